// A source that is asked for its records, by the command line: what the configuration makes of it, and what commands say.
import { readdir, readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'pull-key'
const MODULE = `
export default async function* ({ fail, people }, { cursor = 0, log }) {
  log.info('cursor ' + cursor)
  for (const no of people.filter((one) => one >= cursor))
    yield { record: { no: 'K' + no, mail: 'p' + no + '@example.com', first: 'First' + no }, cursor: no }
  if (fail) throw new Error('the list ended')
}
`

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('my-source.mjs', MODULE)
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const configure = (options: object, more = '', map = 'mail: mail, first_name: first'): Promise<void> =>
  place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: module, path: my-source.mjs, options: ${JSON.stringify(options)} }
    key: no
    map: { ${map} }
    ${more}
`,
  )

it('is checked, planned, run and explained; a plan leaves no trace and moves no cursor', async () => {
  await configure({ people: [1, 2] })
  expect(await place.cli('check')).toMatchObject({ code: 0, stderr: '' })
  const plan = await place.json('plan')
  expect(plan).toMatchObject({ pipelines: [{ read: 2, created: 2 }] })
  expect(await readdir(place.folder)).not.toContain('spool')
  const run = await place.cli('run')
  expect(run.code).toBe(0)
  expect(run.stdout + run.stderr).toContain('cursor 0')
  expect(await place.json('run')).toMatchObject({ pipelines: [{ read: 1, unchanged: 1 }] })
  expect(await place.json('explain', 'shop', 'K2')).toMatchObject({
    record: { file: expect.stringMatching(/^fetch-.*\.jsonl$/) as string, line: 2 },
    fields: { first_name: { value: 'First2' } },
  })
})

it('that fails is reported with the name of the module, and is fetched again', async () => {
  await configure({ people: [1], fail: true })
  const { code, stdout, stderr } = await place.cli('run')
  expect(code).toBe(3)
  expect(stdout + stderr).toContain('module my-source.mjs: it failed after 1 records: Error: the list ended')
  expect(stdout + stderr).not.toMatch(/at .*my-source\.mjs:\d/)
  // Other options: from the start.
  await configure({ people: [1, 2] })
  expect(await place.json('run')).toMatchObject({ pipelines: [{ read: 2, created: 1, unchanged: 1 }] })
})

it('whose records lack a column is refused, and the cursor stays', async () => {
  await configure({ people: [1] }, '', 'mail: mail, first_name: frist')
  const { code, stdout, stderr } = await place.cli('run')
  expect(code).toBe(3)
  expect(stdout + stderr).toContain('column "frist" is in no record; the nearest is "first"')
  await configure({ people: [1] })
  expect(await place.json('run')).toMatchObject({ pipelines: [{ read: 1, created: 1 }] })
})

it('is not watched', async () => {
  await configure({ people: [1] }, 'watch: true')
  const { code, stdout, stderr } = await place.cli('check')
  expect(code).toBe(2)
  expect(stdout + stderr).toMatch(/pipelines\.shop\.watch: does not go with source\.type: module/)
})

it('keeps its cursor under a new name', async () => {
  await configure({ people: [1, 2] })
  await place.cli('run')
  const text = await readFile(place.path('config.yaml'), 'utf8')
  await place.write('config.yaml', text.replace('shop:', 'store:'))
  expect((await place.cli('state', 'rename-pipeline', 'shop', 'store')).code).toBe(0)
  expect(await place.json('run')).toMatchObject({ pipelines: [{ pipeline: 'store', read: 1, unchanged: 1 }] })
})
