// `drift`: contacts that were changed or deleted at the service, as an admin counts them.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'drift-key'
const configuration = (url: string, more = ''): string => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s${more} } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    map:
      mail: mail
      first_name: first
      phone: { column: phone, hand_edits: keep }
    terms: { create_missing: true, assign: [ { name: Kunde } ] }
`
const CONTACTS = 12
const rows = Array.from({ length: CONTACTS }, (_, n) => `K${n},p${n}@example.com,Anna,${n}`)

let sandbox: Sandbox
let place: Place
let ids: number[] = []
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration(sandbox.url))
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

async function pushAll(): Promise<void> {
  await place.write('inbox/1.csv', ['no,mail,first,phone', ...rows, ''].join('\n'))
  expect((await place.cli('run')).code).toBe(0)
  ids = []
  for (let n = 0; n < CONTACTS; n += 1) {
    const { contacts } = (await place.json('contact', `p${n}@example.com`)) as { contacts: { id: number }[] }
    ids.push(contacts[0]?.id ?? 0)
  }
}

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
async function atService(method: string, path: string, body?: object): Promise<void> {
  const answer = await fetch(`${sandbox.url}/public/api/V1/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(answer.status).toBeLessThan(300)
}

it('counts each contact once, sends no write and leaves the state as it is', async () => {
  await pushAll()
  const unchanged = { differing: 0, gone: 0, kept: 0, by_field: {}, share: 0, low: 0, high: 0 }
  expect(await place.json('drift')).toEqual({
    pipelines: [{ pipeline: 'shop', checked: CONTACTS, ...unchanged }],
  })
  await atService('PUT', `contact/${ids[0]}`, { first_name: 'Berta' })
  await atService('PUT', `contact/${ids[1]}`, { first_name: 'Berta', phone: '77' })
  await atService('PUT', `contact/${ids[2]}`, { phone: '77' })
  await atService('DELETE', `contact/${ids[3]}`)
  const before = sandbox.requests().length
  const found = { differing: 2, gone: 1, kept: 1, by_field: { first_name: 2 } }
  expect(await place.json('drift', 'shop', '--all')).toEqual({
    pipelines: [{ pipeline: 'shop', checked: CONTACTS, ...found, share: 2 / 12, low: 2 / 12, high: 2 / 12 }],
  })
  expect(
    sandbox
      .requests()
      .slice(before)
      .every(({ method }) => method === 'GET'),
  ).toBe(true)
  const text = await place.cli('drift')
  expect([text.code, text.stdout.split('\n')]).toEqual([
    0,
    [
      'shop: 12 contacts compared with what was last sent',
      '  differing 2 (16.7%)',
      '    first_name 2',
      '  gone 1',
      '  edited and kept 1',
      '',
    ],
  ])
})

it('draws a sample, and gives an interval', async () => {
  await pushAll()
  const { pipelines } = (await place.json('drift', '--sample', '5')) as {
    pipelines: { checked: number; low: number; high: number }[]
  }
  expect(pipelines).toMatchObject([{ checked: 5, low: 0 }])
  expect(pipelines[0]?.high).toBeCloseTo(0.4345, 3)
  const text = await place.cli('drift', '--sample', '5')
  expect(text.stdout).toContain('shop: 5 of 12 contacts compared with what was last sent')
  expect(text.stdout).toContain('differing 0 (0.0%); over all contacts 0.0% to 43.4% (95% interval)')
})

it('leaves the rest of a day to runs, and says what was not read', async () => {
  await pushAll()
  await place.write('config.yaml', configuration(sandbox.url, ', per_day: 20'))
  const found = await place.cli('drift')
  expect(found.code).toBe(3)
  expect(found.stderr).toContain('6 contacts not read: the rest of the daily allowance is left to runs')
  expect(found.stdout).toContain('  not read 6')
})

it('says when the service does not answer', async () => {
  await pushAll()
  await place.write('config.yaml', configuration(sandbox.url).replace('${THE_KEY}', 'wrong'))
  const found = await place.cli('drift')
  expect(found.code).toBe(5)
  expect(found.stderr).toContain('12 contacts not read')
})

it('has nothing to compare before the first run, and refuses what makes no sense', async () => {
  const nothing = await place.cli('drift')
  expect([nothing.code, nothing.stdout]).toEqual([0, 'shop: no contacts yet\n'])
  expect((await place.cli('drift', '--all', '--sample', '5')).code).toBe(2)
  expect((await place.cli('drift', '--sample', '0')).code).toBe(2)
  expect((await place.cli('drift', 'shopp')).code).toBe(2)
})
