// The sandbox under a test's hand: seeded, reset, with faults and habits that change while it runs.
import { afterEach, describe, expect, it } from 'vitest'
import { parseSeed } from '../../src/sandbox/seed.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'

const KEY = 'control-key'
const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

let sandbox: Sandbox | undefined
afterEach(async () => sandbox?.close())

async function open(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, control: true, clock: systemClock, ...options })
  return sandbox
}

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const at = path.startsWith('/_sandbox') ? path : `/public/api/V1${path}`
  const given = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${sandbox?.url ?? ''}${at}`, { method, headers, ...given })
  return { status: response.status, body: await response.json() }
}

const create = async (mail: string) => call('POST', '/contact', { contact: { mail } })
const SEED = {
  terms: [{ id: 7, name: 'Newsletter', description: 'monthly' }, { name: 'Customer' }],
  contacts: [
    {
      id: 40,
      mail: 'ada@example.com',
      first_name: 'Ada',
      phone: null,
      mail_status: 2,
      terms: [7],
      level: 'gold',
    },
  ],
  custom_fields: [{ field_id: 3, field_name: 'level', type: 'options_select', options: ['gold', 'silver'] }],
}

describe('a seed', () => {
  it('is there at the beginning, with its ids, and again after a reset', async () => {
    await open({ seed: parseSeed(JSON.stringify(SEED), 'seed.json') })
    const ada = {
      id: 40,
      mail: 'ada@example.com',
      first_name: 'Ada',
      mail_status: 2,
      level: 'gold',
      terms: [7],
    }
    const shown = async () => call('GET', '/contact/40?fields=mail,first_name,mail_status,level,terms')
    expect(await shown()).toEqual({ status: 200, body: ada })
    expect(await call('GET', '/contact/ada%40example.com')).toMatchObject({ body: [{ id: 40 }] })
    expect(await call('GET', '/terms')).toMatchObject({
      body: [{ id: 7, name: 'Newsletter' }, { name: 'Customer' }],
    })
    expect(await call('GET', '/custom-fields')).toEqual({
      status: 200,
      body: [
        {
          field_id: 3,
          field_name: 'level',
          label: 'level',
          description: '',
          type: 'options_select',
          required: false,
        },
      ],
    })
    expect((await call('PUT', '/contact/40', { level: 'bronze' })).status).toBe(422)
    await create('ben@example.com')
    await call('PUT', '/contact/40', { first_name: 'Eve' })
    expect(await call('POST', '/_sandbox/reset')).toEqual({ status: 200, body: { ok: true } })
    expect(await shown()).toEqual({ status: 200, body: ada })
    expect(await call('GET', '/contact/ben%40example.com')).toMatchObject({ body: [] })
  })

  it.each([
    ['no JSON', '{', /^seed\.json is no JSON/],
    ['a key that there is not', '{"people": []}', /^seed\.json: .*people/],
    [
      'wrong in two places',
      '{"terms": [{"id": 1}], "custom_fields": [{"field_id": 7}]}',
      /terms\.0\.name: .*; custom_fields\.0\.field_name: /,
    ],
    ['a term without a name', '{"terms": [{"id": 1}]}', /^seed\.json: terms\.0\.name/],
  ])('that is %s says so', (_, text, message) => {
    expect(() => parseSeed(text, 'seed.json')).toThrow(message)
  })

  it('with a contact that the interface refuses is refused', async () => {
    const seed = parseSeed(
      JSON.stringify({ contacts: [{ mail: 'a@example.com' }, { mail: 'no mail' }] }),
      's',
    )
    await expect(open({ seed })).rejects.toThrow(/^contact 2 of the seed: mail/)
    sandbox = undefined
  })

  const A = { mail: 'a@example.com' }
  const B = { mail: 'b@example.com' }
  it.each([
    ['an unknown term', { contacts: [{ ...A, terms: [99] }] }, /^contact 1 of the seed: there is no term/],
    [
      'one id for two contacts',
      {
        contacts: [
          { ...A, id: 3 },
          { ...B, id: 3 },
        ],
      },
      /^contact 2 .* has this id/,
    ],
    ['an id that is taken', { contacts: [A, { ...B, id: 1 }] }, /^contact 2 .* has this id/],
    [
      'an id beyond all numbers',
      { contacts: [{ ...A, id: 1e30 }] },
      /^contact 1 .*: id must be a whole number/,
    ],
    ['an id that is a text', { contacts: [{ ...A, id: '3' }] }, /^contact 1 .*: id must be a whole number/],
    [
      'one id for two terms',
      {
        terms: [
          { id: 5, name: 'a' },
          { id: 5, name: 'b' },
        ],
      },
      /^term 2 of the seed: another one has this id/,
    ],
  ])('with %s is refused', async (_, given, message) => {
    const seed = parseSeed(JSON.stringify(given), 's')
    const refused = open({ seed })
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toMatchObject({ code: 'USAGE' })
    sandbox = undefined
  })
})

describe('control', () => {
  it('is closed unless it is asked for', async () => {
    await open({ control: false })
    expect((await call('POST', '/_sandbox/reset')).status).toBe(404)
  })

  it('shows the last requests with their bodies, and a page of them', async () => {
    await open()
    await create('<i>@example.com')
    await create('ada@example.com')
    expect(await call('GET', '/_sandbox/requests')).toMatchObject({
      body: {
        requests: [
          { method: 'POST', path: '/public/api/V1/contact', status: 422 },
          { status: 200, body: { contact: { mail: 'ada@example.com' } } },
        ],
      },
    })
    const page = await (await fetch(`${sandbox?.url ?? ''}/_sandbox/`)).text()
    expect(page).toContain('mail: ada@example.com')
    expect(page).toContain('&lt;i&gt;')
    expect(page).not.toContain('<i>')
  })

  it('changes habits while it runs, and refuses what is none', async () => {
    await open()
    for (const name of ['a', 'b', 'c', 'd']) await call('POST', '/terms', { name })
    expect(await call('PUT', '/_sandbox/habits', { 'page-cap': 3, 'ids-as-text': true })).toMatchObject({
      body: { 'page-cap': 3, 'ids-as-text': true },
    })
    expect((await call('GET', '/terms')).body).toMatchObject([{ id: '1' }, {}, { id: '3' }])
    expect(await call('PUT', '/_sandbox/habits', { 'page-kap': 3 })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('page-cap') as string },
    })
    await call('POST', '/_sandbox/reset')
    await create('a@example.com')
    expect((await call('GET', '/contact/1')).body).toMatchObject({ id: 1 })
  })
})

describe('a fault', () => {
  const thereAre = async (): Promise<number> =>
    ((await call('GET', '/contact/ada%40example.com')).body as unknown[]).length

  it('of 503 refuses as many matching requests as it says, and nothing else', async () => {
    await open()
    await call('POST', '/_sandbox/faults', { match: 'POST /contact', next: 2, do: '503' })
    expect((await call('POST', '/terms', { name: 'x' })).status).toBe(200)
    expect([(await create('ada@example.com')).status, (await create('ada@example.com')).status]).toEqual([
      503, 503,
    ])
    expect(await thereAre()).toBe(0)
    expect((await create('ada@example.com')).status).toBe(200)
  })

  it.each([
    ['reset', 0],
    ['lost', 1],
    ['truncated', 1],
  ] as const)('of %s breaks the connection; contacts made by it: %i', async (what, made) => {
    await open()
    await call('POST', '/_sandbox/faults', [{ match: '* /contact', do: what }])
    await expect(create('ada@example.com')).rejects.toThrow()
    expect(await thereAre()).toBe(made)
    expect(await call('GET', '/_sandbox/faults')).toEqual({ status: 200, body: { faults: [] } })
  })

  it('of delay answers later', async () => {
    await open()
    await call('POST', '/_sandbox/faults', { match: 'POST /contact', do: 'delay', ms: 50 })
    const began = performance.now()
    expect((await create('ada@example.com')).status).toBe(200)
    expect(performance.now() - began).toBeGreaterThan(45)
  })

  it('that is none is refused, and those that wait are dropped by DELETE and by a reset', async () => {
    await open()
    expect(await call('POST', '/_sandbox/faults', { do: 'explode' })).toMatchObject({ status: 422 })
    for (const drop of ['DELETE /_sandbox/faults', 'POST /_sandbox/reset']) {
      await call('POST', '/_sandbox/faults', { do: '503', next: 5 })
      const [method = '', path = ''] = drop.split(' ')
      await call(method, path)
      expect((await create('ada@example.com')).status).toBe(200)
    }
  })
})
