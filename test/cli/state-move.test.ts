// `state move` to a file in another folder: what lies beside the former state is named, since it does not go along.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'state-move-key'
let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration('before'))
  await place.write('inbox/a.csv', 'mail\nanna@example.com\n')
  expect((await place.cli('run')).code).toBe(0)
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const configuration = (folder: string): string => `
service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 100ms } }
state: { path: ${folder}/state.db }
pipelines:
  shop: { source: { type: csv, folder: inbox, settle: 0s }, map: { mail: mail } }
`

const move = (...args: string[]) => place.cli('state', 'move', '--yes', '--to', ...args)

it('names what was fetched and not read to its end, and where it belongs', async () => {
  await place.write('before/spool/shop/1.jsonl', '{}\n')
  const { code, stdout } = await move('after/state.db')
  expect(code).toBe(0)
  const [from, to] = [place.path('before/spool/shop'), place.path('after/spool/shop')]
  expect(stdout).toContain(`stays in ${from}: move it to ${to} before the next run`)
  // Called again, it says so once more.
  const again = await move('after/state.db', '--json')
  expect(JSON.parse(again.stdout)).toMatchObject({ resumed: true, spool: [{ from, to }] })
})

it('names nothing where nothing waits, and where the folder stays', async () => {
  expect((await move('after/state.db')).stdout).not.toContain('spool')
  await place.write('config.yaml', configuration('after'))
  await place.write('after/spool/shop/1.jsonl', '{}\n')
  expect((await move('after/other.db')).stdout).not.toContain('spool')
})
