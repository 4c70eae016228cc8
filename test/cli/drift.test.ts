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

async function atServiceNow(id: number | undefined): Promise<Record<string, unknown>> {
  const { contacts } = (await place.json('contact', String(id))) as {
    contacts: { fields: Record<string, unknown> }[]
  }
  return contacts[0]?.fields ?? {}
}

const writes = (since: number): number =>
  sandbox
    .requests()
    .slice(since)
    .filter(({ method }) => method !== 'GET').length

interface Repaired {
  readonly repairs: readonly {
    readonly run_id: string | null
    readonly changes: number
    readonly left: number
  }[]
}

const repair = async (...options: string[]): Promise<Repaired> =>
  (await place.json('drift', '--all', '--repair', ...options)) as object as Repaired

it.each(['incremental', 'full'])(
  'plans a repair that waits for a release, and then sends only what still differs: %s',
  async (mode) => {
    const as = configuration(sandbox.url).replace('    key: no\n', `    key: no\n    mode: ${mode}\n`)
    await place.write('config.yaml', as)
    await pushAll()
    await atService('PUT', `contact/${ids[0]}`, { first_name: 'Berta' })
    await atService('PUT', `contact/${ids[1]}`, { first_name: 'Berta', phone: '77' })
    await atService('PUT', `contact/${ids[2]}`, { first_name: 'Berta' })
    await atService('DELETE', `contact/${ids[3]}`)
    await atService('PUT', `contact/${ids[4]}`, { phone: '77' })
    const before = sandbox.requests().length
    const { repairs } = await repair('--reason', 'tidy up')
    expect(repairs).toMatchObject([{ pipeline: 'shop', changes: 3, left: 0 }])
    // A second plan does not double the first.
    expect(await repair()).toMatchObject({
      repairs: [{ run_id: null, changes: 0, left: 3 }],
    })
    expect((await place.cli('run')).code).toBe(0)
    expect(writes(before)).toBe(0)
    // A later file with the same records says nothing against it.
    await place.write('inbox/2.csv', ['no,mail,first,phone', ...rows, ''].join('\n'))
    await place.cli('run')
    expect(writes(before)).toBe(0)
    const run = repairs[0]?.run_id ?? ''
    await atService('PUT', `contact/${ids[2]}`, { first_name: 'Anna' })
    const since = sandbox.requests().length
    expect((await place.cli('held', 'release', run)).stdout).toContain('3')
    expect((await place.cli('run')).code).toBe(0)
    expect(writes(since)).toBe(2)
    const first = await atServiceNow(ids[0])
    expect(first).toMatchObject({ first_name: 'Anna' })
    expect(await atServiceNow(ids[1])).toMatchObject({ first_name: 'Anna', phone: '77' })
    expect(await atServiceNow(ids[4])).toMatchObject({ phone: '77' })
    const log = await place.cli('audit', 'list')
    expect(log.stdout).toContain('K0, contact 1: update done; first_name "Berta" -> "Anna"; drift repair\n')
    expect(log.stdout).toContain('tidy up')
    expect((await place.cli('audit', 'verify')).code).toBe(0)
    expect(await place.json('drift', '--all')).toMatchObject({
      pipelines: [{ differing: 0, gone: 1, kept: 2 }],
    })
  },
)

it('lets a newer change of the record replace its repair, and drops what is given up', async () => {
  await pushAll()
  await atService('PUT', `contact/${ids[0]}`, { first_name: 'Berta' })
  await atService('PUT', `contact/${ids[1]}`, { first_name: 'Berta' })
  const { repairs } = await repair()
  await place.write('inbox/2.csv', 'no,mail,first,phone\nK0,p0@example.com,Clara,0\n')
  expect((await place.cli('run')).code).toBe(0)
  expect(await atServiceNow(ids[0])).toMatchObject({ first_name: 'Clara' })
  const run = repairs[0]?.run_id ?? ''
  const text = await place.cli('held', 'list')
  expect(text.stdout).toContain(run)
  expect((await place.cli('held', 'drop', run)).stdout).toContain('1')
  const since = sandbox.requests().length
  await place.cli('run')
  expect(writes(since)).toBe(0)
  expect(await atServiceNow(ids[1])).toMatchObject({ first_name: 'Berta' })
})

it('enters what the contact showed before, so that a repair can be undone', async () => {
  await pushAll()
  await atService('PUT', `contact/${ids[0]}`, { first_name: 'Berta' })
  const { repairs } = await repair()
  await place.cli('held', 'release', repairs[0]?.run_id ?? '')
  await place.cli('run')
  expect(await atServiceNow(ids[0])).toMatchObject({ first_name: 'Anna' })
  const { entries } = (await place.json('audit', 'list', '--action', 'update')) as {
    entries: { run_id: string }[]
  }
  expect(await place.cli('undo', entries[0]?.run_id ?? '', '--yes')).toMatchObject({ code: 0 })
  expect(await atServiceNow(ids[0])).toMatchObject({ first_name: 'Berta' })
})

it('gives a removed term again, and leaves what others gave', async () => {
  await pushAll()
  const terms = await place.cli('terms', '--json')
  const { terms: all } = JSON.parse(terms.stdout) as { terms: { id: number; name: string }[] }
  const id = all.find(({ name }) => name === 'Kunde')?.id
  await atService('DELETE', `contact/${ids[0]}/terms`, [id])
  const { repairs } = await repair()
  expect(repairs).toMatchObject([{ changes: 1 }])
  await place.cli('held', 'release', repairs[0]?.run_id ?? '')
  expect((await place.cli('run')).code).toBe(0)
  expect(await place.json('drift', '--all')).toMatchObject({ pipelines: [{ differing: 0 }] })
})

it('says in words what is held, and that nothing is', async () => {
  await pushAll()
  expect((await place.cli('drift', '--repair')).stdout).toContain('shop: nothing to put back')
  await atService('PUT', `contact/${ids[0]}`, { first_name: 'Berta' })
  const { stdout, code } = await place.cli('drift', '--repair')
  expect(code).toBe(0)
  expect(stdout).toContain('shop: 1 contact to be set back to what was last sent, held for release')
  expect(stdout).toContain('to send them: contact-sync held release ')
})

it('waits for approvers where the rules of the pipeline ask for them', async () => {
  await pushAll()
  await atService('PUT', `contact/${ids[0]}`, { first_name: 'Berta' })
  const users = ['anna', 'ben'].map(
    (name) => `{ name: ${name}, role: approver, token: "${'a'.repeat(40)}${name}" }`,
  )
  const rules = `server: { users: [${users.join(', ')}] }\napprovals: [{ when: { changes: 1 }, by: 2 }]\n`
  await place.write('config.yaml', configuration(sandbox.url) + rules)
  const { repairs } = await repair()
  expect(repairs).toMatchObject([{ changes: 1 }])
  const run = repairs[0]?.run_id ?? ''
  const released = await place.cli('held', 'release', run)
  expect([released.code, released.stderr]).toEqual([2, expect.stringContaining('2 approvers')])
  const since = sandbox.requests().length
  await place.cli('run')
  expect(writes(since)).toBe(0)
})
