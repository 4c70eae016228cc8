// Which configuration an entry was made under, after the file has changed.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'canary-of-the-key'
let place: Place
let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ API_KEY: KEY })
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const configuration = (map: string): string => `
service: { base_url: "${sandbox.url}", api_key: "\${API_KEY}" }
state: { path: state.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    map: { mail: mail, ${map} }
`

/** The configuration of the newest create. */
async function configHash(): Promise<string> {
  const { entries } = await place.json('audit', 'list', '--action', 'create')
  return (entries as { config_hash: string }[])[0]?.config_hash ?? ''
}

async function runUnder(map: string, name: string): Promise<string> {
  await place.write('config.yaml', configuration(map))
  await place.write(`inbox/${name}.csv`, `no,mail,first,last\n${name},${name}@example.com,A,B\n`)
  expect((await place.cli('run')).code).toBe(0)
  return configHash()
}

it('shows each that was in force, what it changed, and no secret; an entry says when another came', async () => {
  const first = await runUnder('first_name: first', 'k1')
  const second = await runUnder('first_name: first, family_name: last', 'k2')
  expect(first).not.toBe(second)
  const shown = await place.json('audit', 'config', second)
  expect(shown).toMatchObject({
    pipelines: { shop: second },
    settings: { 'service.api_key': '(set, not shown)', 'pipelines.shop.map.family_name.column': 'last' },
    changes: [{ path: 'pipelines.shop.map.family_name.column', from: null, to: 'last' }],
    also: [],
  })
  expect(await place.json('audit', 'config', first.slice(0, 8))).toMatchObject({ before: null, changes: [] })
  const text = await place.cli('audit', 'config', second)
  expect(text.stdout).toContain('+ pipelines.shop.map.family_name.column: last')
  expect(JSON.stringify([shown, text])).not.toContain(KEY)
  const { entries } = await place.json('audit', 'list', '--action', 'configure')
  expect(entries).toMatchObject([{ config_hash: shown['hash'] }])
})

it('says that a configuration is unknown', async () => {
  await runUnder('first_name: first', 'k1')
  for (const hash of ['abcdef', 'abc', '*'])
    expect(await place.cli('audit', 'config', hash)).toMatchObject({ code: 2, stdout: '' })
})
