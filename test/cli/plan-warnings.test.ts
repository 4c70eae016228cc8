// A plan says what a run would warn of: in its text, in JSON, on its page, and by name alone where no value may stand.
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: 'key', habits: {}, clock: systemClock })
  place = await openPlace({})
  const pipeline = (name: string) => `
  ${name}:
    source: { type: csv, folder: ${name}, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, skype: { column: skype, on_invalid: drop } }`
  await place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: key, rate_limit: { requests: 500, per: 1s } }
state: { path: state.db }
pipelines:${pipeline('shop')}${pipeline('crm')}${pipeline('erp')}
`,
  )
  await place.write('shop/1.csv', `no,mail,first,skype\nK1,ada@example.com,=Ada,${'x'.repeat(600)}\n`)
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const DROPPED = 'values dropped or truncated, field skype, times 1'

it('as the run says it', async () => {
  const files = ['--output', place.path('plan.html'), '--markdown', place.path('plan.md')]
  const { stdout } = await place.cli('plan', 'shop', ...files)
  expect(stdout).toContain(`  warning: ${DROPPED}\n`)
  expect(await readFile(place.path('plan.html'), 'utf8')).toContain(`warning: ${DROPPED}`)
  const markdown = await readFile(place.path('plan.md'), 'utf8')
  expect(markdown).toContain('- warning: values dropped or truncated\n')
  const planned = (await place.json('plan', 'shop')) as { pipelines: { warnings: string[] }[] }
  const run = (await place.json('run', 'shop')) as typeof planned
  expect(planned.pipelines[0]?.warnings).toContain(DROPPED)
  expect(planned.pipelines[0]?.warnings).toEqual(run.pipelines[0]?.warnings)
  expect(await place.json('plan', 'shop')).toMatchObject({ pipelines: [{ warnings: [] }] })
})

it('fields that two pipelines write are named once, where one of the two is planned', async () => {
  const pairs = async (...names: string[]) =>
    (await place.cli('plan', ...names)).stderr.match(/(?<=warning: )\w+ and \w+(?= write the same)/g)
  expect(await pairs('shop')).toEqual(['shop and crm', 'shop and erp'])
  expect(await pairs()).toEqual(['shop and crm', 'shop and erp', 'crm and erp'])
})

it('says which pipeline has another name in the state, as its run would stop', async () => {
  await place.cli('run', 'shop')
  const path = place.path('config.yaml')
  await place.write('config.yaml', (await readFile(path, 'utf8')).replace('  shop:', '  web:'))
  const { stderr } = await place.cli('plan')
  expect(stderr.match(/^note: .*$/gm)).toEqual([
    expect.stringMatching(
      /^note: web has no records yet, .* 1 record of the pipeline shop,.* \(PIPELINE_RENAMED\) .*rename-pipeline OLD NEW/,
    ),
  ])
  await place.cli('state', 'rename-pipeline', 'shop', 'web')
  expect((await place.cli('plan')).stderr).not.toContain('note: ')
})

it('says which of its pipelines are paused, and so does the plan of an undo', async () => {
  const run = (await place.json('run', 'shop')) as { pipelines: [{ run_id: string }] }
  await place.cli('pause', 'shop', '--reason', 'wrong export')
  const note = /^note: shop: paused since .*: wrong export; it sends nothing.* contact-sync resume shop$/m
  expect((await place.cli('plan')).stderr).toMatch(note)
  expect((await place.cli('undo', run.pipelines[0].run_id, '--plan')).stderr).toMatch(note)
  expect((await place.cli('plan', 'crm')).stderr).not.toContain('paused')
})
