// `terms rename` as an operator meets it: the command line, a real file, the sandbox.
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openState } from '../../src/store/state-store.ts'
import { KEY, openWorkshop, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
const configuration = (
  assign = '{ column: tags, split: "," }',
  more = '',
  { rules = '', keys = '' } = {},
) => `
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
  retry: { attempts: 2, max_delay: 1s }
  doubt: { quiesce: 200ms, absent_reads: 1 }
state: { path: state/contact-sync.db }
server: { port: 0, users: [{ name: anna, role: approver, token: ${'a'.repeat(40)} }] }
${rules}pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    map: { mail: mail }
    terms: { policy: managed, assign: [${assign}]${more} }
${keys}`
const brakeOn = (term: string): string =>
  configuration(undefined, '', {
    keys: `    guards: { brake: { terms: [${term}], above: 2, first: 1, watch: 24h } }\n`,
  })
const FIRST = 'no,mail,tags\nK1,a@example.com,"Kunde,VIP"\n'

beforeEach(async () => {
  shop = await openWorkshop()
  await shop.configure(configuration())
  await shop.drop('shop', 'a.csv', FIRST)
  expect((await shop.cli('run')).code).toBe(0)
})
afterEach(() => shop.close())

async function api(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${shop.sandbox.url}/public/api/V1${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return response.json()
}

const all = async (): Promise<{ id: number; name: string }[]> =>
  (await api('GET', '/terms')) as { id: number; name: string }[]
const names = async (): Promise<string[]> => (await all()).map(({ name }) => name).sort()

async function termsOf(mail: string): Promise<string[]> {
  const id = String((await shop.contacts(mail, 'id'))[0]?.['id'])
  return ((await api('GET', `/contact/${id}/terms`)) as { name: string }[]).map(({ name }) => name).sort()
}

async function json(...args: string[]) {
  const { code, stdout, stderr } = await shop.cli(...args, '--json')
  return { code, stderr, said: JSON.parse(stdout === '' ? '{}' : stdout) as Record<string, unknown> }
}

const renamed = (from: string, to: string) => shop.cli('terms', 'rename', from, to, '--yes')

it('the ledger, old exports and new records follow: nothing is sent, doubled or taken away', async () => {
  expect(await json('terms', 'rename', 'kunde', 'Customer', '--yes')).toMatchObject({
    code: 0,
    said: { id: expect.any(Number) as number, from: 'Kunde', to: 'Customer', renamed: true },
  })
  expect(await names()).toEqual(['Customer', 'VIP'])
  const writes = shop.writes()
  // Another header, so that each row is mapped again.
  await shop.drop('shop', 'b.csv', 'no,mail,tags,x\nK1,a@example.com,"Kunde,VIP",1\n')
  expect((await json('run')).said).toMatchObject({ pipelines: [{ unchanged: 1, updated: 0 }] })
  expect(shop.writes()).toBe(writes)
  await shop.drop('shop', 'c.csv', 'no,mail,tags\nK2,b@example.com,"KUNDE,Customer"\n')
  expect((await json('plan')).said).toMatchObject({
    pipelines: [{ terms_created: 0, changes: [{ terms: { add: ['Customer'], remove: [] } }] }],
  })
  expect((await json('run')).said).toMatchObject({ pipelines: [{ created: 1, terms_created: 0 }] })
  expect(await termsOf('b@example.com')).toEqual(['Customer'])
  await shop.drop('shop', 'd.csv', 'no,mail,tags\nK1,a@example.com,VIP\n')
  await shop.cli('run')
  expect(await termsOf('a@example.com')).toEqual(['VIP'])
  await shop.cli('audit', 'export', shop.path('log.jsonl'))
  expect(await readFile(shop.path('log.jsonl'), 'utf8')).toContain('"name":{"from":"Kunde","to":"Customer"}')
  expect((await shop.cli('audit', 'verify')).code).toBe(0)
})

it('a rename that was made at the service itself is taken over: its contacts keep the term, and lose it with their record', async () => {
  const { id } = (await all()).find(({ name }) => name === 'Kunde') ?? { id: 0 }
  await api('PUT', `/terms/${id}`, { name: 'Customer' })
  const writes = shop.writes()
  expect(await renamed('Never', 'Customer')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('neither the service nor any record has the term "Never"') as string,
  })
  expect(await json('terms', 'rename', 'Kunde', 'Customer', '--yes')).toMatchObject({
    code: 0,
    said: { id, from: 'Kunde', to: 'Customer', renamed: true, taken_over: true },
  })
  expect(await json('terms', 'rename', 'Kunde', 'Customer', '--yes')).toMatchObject({
    code: 0,
    said: { renamed: false },
  })
  await shop.drop('shop', 'b.csv', 'no,mail,tags,x\nK1,a@example.com,"Kunde,VIP",1\n')
  expect((await json('run')).said).toMatchObject({ pipelines: [{ unchanged: 1, terms_created: 0 }] })
  expect(shop.writes()).toBe(writes)
  await shop.drop('shop', 'c.csv', 'no,mail,tags\nK1,a@example.com,VIP\n')
  await shop.cli('run')
  expect(await termsOf('a@example.com')).toEqual(['VIP'])
  expect((await shop.cli('audit', 'list', '--action', 'update_term')).stdout).toContain(
    '"Kunde" -> "Customer"',
  )
})

it('it is refused while something names OLD, where OLD is unknown, and where NEW is there', async () => {
  const writes = shop.writes()
  const refusals: readonly (readonly [string, string, string])[] = [
    ['Kunde', 'vip', 'has a term "VIP" already'],
    ['Never', 'New', 'has no term "Never"'],
    ['Kunde', 'Kunde', 'both names are the same'],
    ['Kunde', ' ', 'must have a name'],
  ]
  for (const [from, to, text] of refusals)
    expect(await renamed(from, to)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(text) as string,
    })
  const unasked = await shop.cli('terms', 'rename', 'Kunde', 'New')
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('no confirmation possible')])
  expect((await shop.cli('terms', 'remove', 'Kunde')).code).toBe(2)
  expect((await shop.cli('terms', 'rename', 'Kunde')).code).toBe(2)
  const approval = { rules: 'approvals: [{ when: { terms: [Kunde] }, by: 1 }]\n' }
  const naming: [string, string][] = [
    ['terms', configuration('kunde')],
    ['terms', configuration('{ column: tags }', ', descriptions: { KUNDE: x }')],
    ['guards.brake', brakeOn('kunde')],
    ['approvals', configuration(undefined, '', approval)],
  ]
  for (const [place, yaml] of naming) {
    await shop.configure(yaml)
    const refused = await renamed('Kunde', 'Customer')
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`still names "Kunde", in shop (${place})`),
    ])
  }
  await shop.configure(configuration())
  expect(shop.writes()).toBe(writes)
  expect(await names()).toEqual(['Kunde', 'VIP'])
})

it('a brake goes on where the pipeline is paused for the rename', async () => {
  await shop.configure(brakeOn('Kunde'))
  const people = (from: number, to: number) =>
    Array.from(
      { length: to - from + 1 },
      (_, index) => `K${from + index},p${from + index}@example.com,Kunde\n`,
    )
  await shop.drop('shop', 'b.csv', `no,mail,tags\n${people(2, 8).join('')}`)
  expect((await shop.cli('run')).code).toBe(4)
  expect((await shop.cli('pause', 'shop')).code).toBe(0)
  await shop.configure(brakeOn('Customer'))
  expect((await renamed('Kunde', 'Customer')).code).toBe(0)
  expect((await shop.cli('resume', 'shop')).code).toBe(0)
  const writes = shop.writes()
  await shop.drop('shop', 'c.csv', `no,mail,tags,x\n${people(2, 8).join('').replaceAll('Kunde', 'Kunde,1')}`)
  const { code, said } = await json('run')
  expect([code, said]).toMatchObject([4, { pipelines: [{ unchanged: 1, held: 6 }] }])
  expect(shop.writes()).toBe(writes)
  expect((await shop.cli('held', 'list')).stdout).toContain(
    '6 changes held by brake: they wait for the term Customer',
  )
})

it('again, onward, back and by case alone: each name leads to that of today', async () => {
  expect((await renamed('Kunde', 'B')).code).toBe(0)
  expect((await renamed('Kunde', 'B')).stdout).toContain('already')
  expect((await renamed('B', 'C')).code).toBe(0)
  await shop.drop('shop', 'b.csv', 'no,mail,tags\nK2,b@example.com,"Kunde,B,C"\n')
  await shop.cli('run')
  expect(await termsOf('b@example.com')).toEqual(['C'])
  expect((await renamed('C', 'Kunde')).code).toBe(0)
  expect((await renamed('Kunde', 'KUNDE')).code).toBe(0)
  const writes = shop.writes()
  await shop.drop(
    'shop',
    'c.csv',
    'no,mail,tags,x\nK2,b@example.com,"B,kunde",1\nK1,a@example.com,"C,VIP",1\n',
  )
  expect((await json('run')).said).toMatchObject({ pipelines: [{ unchanged: 2 }] })
  expect(shop.writes()).toBe(writes)
  expect(await names()).toEqual(['KUNDE', 'VIP'])
})

it.each([false, true])(
  'one that was cut short is completed, and runs know both names (sent: %s)',
  async (sent) => {
    const { id = 0 } = (await all()).find(({ name }) => name === 'Kunde') ?? {}
    const state = openState(shop.path('state', 'contact-sync.db'), {
      pid: process.pid,
      since: 0,
      thorough: false,
    })
    expect(state.terms.begin({ id, from: 'Kunde', to: 'Customer' })).toBe(1)
    await state.close()
    if (sent) await api('PUT', `/terms/${id}`, { name: 'Customer' })
    await shop.drop(
      'shop',
      'b.csv',
      'no,mail,tags,x\nK1,a@example.com,"Kunde,VIP",1\nK2,b@example.com,Kunde,1\n',
    )
    expect((await json('run')).said).toMatchObject({
      pipelines: [{ unchanged: 1, created: 1, terms_created: 0 }],
    })
    const other = await renamed('VIP', 'Best')
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('"Kunde" to "Customer" was interrupted'),
    ])
    expect((await renamed('Kunde', 'Customer')).code).toBe(0)
    expect(await names()).toEqual(['Customer', 'VIP'])
    expect(await termsOf('b@example.com')).toEqual(['Customer'])
    expect((await renamed('Kunde', 'Customer')).stdout).toContain('already')
  },
)

it('one that the service refuses leaves everything as it was', async () => {
  await shop.close()
  shop = await openWorkshop({ termFolding: 'accents' })
  await shop.configure(configuration())
  await shop.drop('shop', 'a.csv', FIRST)
  await shop.cli('run')
  const refused = await renamed('Kunde', 'V\u00cdP')
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('does not rename the term')])
  expect(await names()).toEqual(['Kunde', 'VIP'])
  await shop.drop('shop', 'b.csv', 'no,mail,tags,x\nK1,a@example.com,"Kunde,VIP",1\n')
  expect((await json('run')).said).toMatchObject({ pipelines: [{ unchanged: 1, terms_created: 0 }] })
  expect((await renamed('Kunde', 'Customer')).code).toBe(0)
})

it('an earlier run is undone by the names of today', async () => {
  await shop.drop('shop', 'b.csv', 'no,mail,tags\nK1,a@example.com,"Kunde,VIP,New"\n')
  const { said } = await json('run')
  const { run_id: run = '' } = (said as { pipelines: { run_id: string }[] }).pipelines[0] ?? {}
  await renamed('New', 'Newer')
  expect((await shop.cli('undo', run, '--yes')).code).toBe(0)
  expect(await termsOf('a@example.com')).toEqual(['Kunde', 'VIP'])
})
