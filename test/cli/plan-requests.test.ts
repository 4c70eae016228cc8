// The number of requests that a plan names is that of the run after it.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'plan-key'

let sandbox: Sandbox
let place: Place
const startWith = async (terms: readonly { name: string }[]): Promise<void> => {
  const seed = { terms: [...terms], contacts: [], custom_fields: [] }
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock, seed })
}

beforeEach(async () => {
  await startWith([{ name: 'there' }])
  place = await openPlace({ THE_KEY: KEY })
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const FIVE = [1, 2, 3, 4, 5]

const drop = (name: string, first: string, tags = '', people = FIVE): Promise<void> =>
  place.write(
    `in/${name}`,
    `Mail,First,Tags\n${people.map((no) => `p${no}@example.org,${first}${no},${tags}\n`).join('')}`,
  )

/** Of the plan, and of the run after it. */
async function requests(): Promise<readonly number[]> {
  const plan = await place.json('plan')
  const run = await place.json('run')
  const [planned] = plan['pipelines'] as [{ estimate: { requests: number } }]
  const [made] = run['pipelines'] as [{ requests: number }]
  return [planned.estimate.requests, made.requests]
}

/** The same, over a file of five people. */
async function requestsOver(name: string, first: string, tags = ''): Promise<readonly number[]> {
  await drop(name, first, tags)
  return requests()
}

const configure = (keys: string): Promise<void> =>
  place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: in, settle: 0s }
    map: { mail: Mail, first_name: First }
    ${keys}
`,
  )

it('where updates share calls', async () => {
  await configure('update_via: bulk')
  expect(await requestsOver('a.csv', 'A')).toEqual([1, 1])
  expect(await requestsOver('b.csv', 'B')).toEqual([1, 1])
})

it('where several files wait, which share no call', async () => {
  await configure('update_via: bulk')
  await drop('a.csv', 'A')
  await drop('b.csv', 'B', '', [6, 7])
  expect(await requests()).toEqual([2, 2])
  await drop('c.csv', 'C')
  await drop('d.csv', 'D', '', [6, 7])
  await drop('e.csv', 'E', '', [8])
  expect(await requests()).toEqual([3, 3])
})

it('where each contact is looked up before it is created', async () => {
  await configure('writes: create')
  expect(await requestsOver('a.csv', 'A')).toEqual([11, 11])
})

it.each(['add', 'managed', 'replace'])('with terms, new ones and known ones, under %s', async (policy) => {
  const column = '{ column: Tags, split: ";" }'
  await configure(`terms: { policy: ${policy}, create_missing: true, assign: [${column}] }`)
  const all = [
    await requestsOver('a.csv', 'A', 'red;blue'),
    await requestsOver('b.csv', 'A', 'red;blue;green'),
    await requestsOver('c.csv', 'A', 'red;green'),
    await requestsOver('d.csv', 'A', 'blue;red;green'),
    await requestsOver('e.csv', 'A', '1;2;3;4;5;blue;red;green'),
  ]
  expect(all.map(([planned]) => planned)).toEqual(all.map(([, made]) => made))
})

it.each([0, 1700])('where the service has %i terms', async (number) => {
  await sandbox.close()
  await startWith(Array.from({ length: number }, (_, index) => ({ name: `term ${index}` })))
  await configure('terms: { assign: [term 0, a, b, c, d] }')
  const [planned, made] = await requestsOver('a.csv', 'A')
  expect(planned).toBe(made)
})
