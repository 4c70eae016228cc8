// A run at a service of its own kind follows what `probe` has seen of it, by the command line: the first request is the one that works.
import { readFile } from 'node:fs/promises'
import { afterEach, expect, it } from 'vitest'
import { habitsOf } from '../../src/sandbox/habit-text.ts'
import { startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace } from '../support/in-process.ts'

const KEY = 'profile-key'
const FILES = [
  'no,mail,first,phone\n1,ada@example.com,Ada,030 1\n2,bo@example.com,Bo,030 2\n',
  'no,mail,first,phone\n1,ada@example.com,Ada,\n2,bo@example.com,Bo,030 2\n',
]

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function openWorld(habits: readonly string[]) {
  const sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: habitsOf(habits), clock: systemClock })
  const place = await openPlace({ THE_KEY: KEY })
  closing.push(
    () => sandbox.close(),
    () => place.close(),
  )
  const configure = async (more = ''): Promise<void> =>
    place.write(
      'config.yaml',
      `service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 1000 }${more} }
state: { path: state.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 1ms }
    key: no
    blank: clear
    map: { mail: mail, first_name: first, phone: phone }
    duplicate_check_method: email
`,
    )
  const requests = (from: number): readonly string[] =>
    sandbox
      .requests()
      .slice(from)
      .map(({ method, path }) => `${method} ${path.replace('/public/api/V1', '')}`)
  /** Both files, one after the other; the requests of the second run. */
  async function run(): Promise<readonly string[]> {
    let from = 0
    for (const [index, text] of FILES.entries()) {
      await place.write(`inbox/${index}.csv`, text)
      from = sandbox.requests().length
      const { code, stderr } = await place.cli('run')
      expect(code, stderr).toBe(0)
    }
    return requests(from)
  }
  return { place, sandbox, configure, run, requests }
}

it('fields are emptied by the form that the service takes', async () => {
  const world = await openWorld(['cleared-by=null', 'bulk-container=keyed'])
  await world.configure()
  expect((await world.place.cli('probe', '--yes', '--output', world.place.path('service.yaml'))).code).toBe(0)
  await world.configure(', profile: service.yaml')
  const checked = await world.place.cli('check')
  expect(checked.stdout + checked.stderr).not.toContain('service.profile')
  const second = await world.run()
  expect(second.filter((request) => request.startsWith('PUT'))).toHaveLength(1)
  const bulk = world.sandbox
    .requests()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/contacts'))
  expect(bulk.at(-1)?.status).toBe(200)
})

it('without the profile the other form follows', async () => {
  const world = await openWorld(['cleared-by=null'])
  await world.configure()
  const second = await world.run()
  expect(second.filter((request) => request.startsWith('PUT'))).toHaveLength(2)
})

it('prints the profile as JSON as well where it is written to a file', async () => {
  const world = await openWorld([])
  await world.configure()
  const file = world.place.path('service.yaml')
  const { code, stdout } = await world.place.cli('probe', '--yes', '--json', '--output', file)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ auto: 'probable', bulk_max: 500 })
  expect(await readFile(file, 'utf8')).toBe(stdout)
})
