// The operations as the interface writes them (4.2): paths, queries, bodies, and the answers in every
// shape that was met.
import nock from 'nock'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { CreateOptions, ServiceSession } from '../../src/core/ports.ts'
import type { ServiceSettings } from '../../src/core/settings.ts'
import { systemClock } from '../../src/system.ts'
import { createService } from '../../src/service/service.ts'

const BASE = 'https://acme.s1.example.com'
const settings: ServiceSettings = {
  base_url: BASE,
  api_key: 'key-1',
  api_key_file: undefined,
  api_version: 'V1',
  timeout: 5_000,
  rate_limit: { requests: 1_000, per: 1_000, concurrency: 4, per_day: undefined },
  retry: { attempts: 1, max_delay: 1 },
  bulk: { size: 50, container: 'array' },
  doubt: { quiesce: 1, absent_reads: 1 },
  marker_field: undefined,
  custom_field_key: '{field_name}',
}
const options: CreateOptions = {
  duplicateCheckMethod: 'email',
  duplicateMergeMethod: 'update_add',
  repeatable: true,
}
const methods = { duplicate_check_method: 'email', duplicate_merge_method: 'update_add' }

beforeAll(() => nock.disableNetConnect())
afterEach(() => {
  const left = nock.pendingMocks()
  nock.cleanAll()
  expect(left).toEqual([])
})
afterAll(() => nock.restore())

function session(changes: Partial<ServiceSettings> = {}): ServiceSession {
  const service = createService({ ...settings, ...changes }, { clock: systemClock, random: () => 0 })
  return service.session({ signal: new AbortController().signal })
}

function api(): nock.Scope {
  return nock(`${BASE}/public/api/V1`, {
    reqheaders: { authorization: 'Bearer key-1', accept: 'application/json', 'user-agent': 'contact-sync' },
  })
}

describe('contactById', () => {
  it('asks for the fields by name', async () => {
    api()
      .get('/contact/12')
      .query({ fields: 'first_name,shoe_size' })
      .reply(200, { id: 12, first_name: 'Ann' })
    expect(await session().contactById(12, ['first_name', 'shoe_size'])).toEqual({
      kind: 'ok',
      value: { id: 12, fields: { first_name: 'Ann' } },
      request: { method: 'GET', path: '/contact/<contact_id>', status: 200, attempts: 1 },
    })
  })

  it('asks for the id alone rather than for whatever the service would choose', async () => {
    api().get('/contact/12').query({ fields: 'id' }).reply(200, { id: '12', mail: 'a@x.example' })
    expect(await session().contactById(12, [])).toMatchObject({ value: { id: 12, fields: {} } })
  })

  it.each([
    [404, { error: true, message: 'not found' }, 'absent'],
    [200, [], 'absent'],
    [404, '<h1>Not found</h1>', 'unknown'],
    [200, { id: 13 }, 'unknown'],
    [200, {}, 'unknown'],
    [200, { error: 'no such field' }, 'refused'],
  ])('takes %i %j for %s', async (status, body, kind) => {
    api().get('/contact/12?fields=mail').reply(status, body)
    expect((await session().contactById(12, ['mail'])).kind).toBe(kind)
  })
})

describe('contactsByMail', () => {
  const onlyPage = (answer: object) => {
    api().get('/contact/a%40x.example?fields=mail').reply(200, answer)
    api()
      .get(/fields=mail&offset=\d&limit=500$/)
      .reply(200, [])
  }

  it('reads all that share the mail', async () => {
    api()
      .get("/contact/o'hara%2B1%40x.example?fields=mail")
      .reply(200, {
        '0': { id: 1, mail: "o'hara+1@x.example" },
        '2': { id: '3', mail: "O'Hara+1@x.example" },
      })
    // An empty list as an object.
    api().get("/contact/o'hara%2B1%40x.example?fields=mail&offset=2&limit=500").reply(200, {})
    expect(await session().contactsByMail("o'hara+1@x.example", ['mail'])).toMatchObject({
      kind: 'ok',
      value: { contacts: [{ id: 1 }, { id: 3, fields: { mail: "O'Hara+1@x.example" } }], others: [] },
    })
  })

  it('always asks for the mail, and believes no contact that shows another', async () => {
    api()
      .get('/contact/a_b%40x.example?fields=phone,mail')
      .reply(200, [
        { id: 1, mail: 'acb@x.example' },
        { id: 2, mail: 'A_B@X.example', phone: '1' },
        { id: 3, mail: 'a_b@x.example.org' },
        { id: 4, mail: null },
      ])
    api().get('/contact/a_b%40x.example?fields=phone,mail&offset=4&limit=500').reply(200, [])
    const result = await session().contactsByMail('a_b@x.example', ['phone'])
    expect(result).toMatchObject({
      value: { contacts: [{ id: 2, fields: { phone: '1' } }], others: [{ id: 1 }, { id: 3 }, { id: 4 }] },
    })
  })

  it('is not known where a contact in the answer does not show its mail', async () => {
    onlyPage([{ id: 1, mail: 'a@x.example' }, { id: 2 }])
    expect(await session().contactsByMail('a@x.example', [])).toMatchObject({
      kind: 'unknown',
      summary: expect.stringContaining('contacts without mail') as string,
    })
  })

  it('reads on where pages are capped, and ends where a page brings nothing new', async () => {
    const shared = (id: number) => ({ id, mail: 'a@x.example' })
    api()
      .get('/contact/a%40x.example?fields=mail')
      .reply(200, [shared(1), shared(2)])
    api()
      .get('/contact/a%40x.example?fields=mail&offset=2&limit=500')
      .reply(200, [shared(3), shared(4)])
    api()
      .get('/contact/a%40x.example?fields=mail&offset=4&limit=500')
      .reply(200, [shared(3), shared(4)])
    const bound = session()
    const ids = [1, 2, 3, 4].map((id) => ({ id }))
    expect(await bound.contactsByMail('a@x.example', [])).toMatchObject({ value: { contacts: ids } })
    // Shorter than a page that is known: nothing more is asked.
    api()
      .get('/contact/b%40x.example?fields=mail')
      .reply(200, [{ id: 9, mail: 'b@x.example' }])
    expect(await bound.contactsByMail('b@x.example', [])).toMatchObject({ value: { contacts: [{ id: 9 }] } })
  })

  it.each([
    [404, { error: true }, 'ok'],
    [200, [], 'ok'],
    [404, '', 'unknown'],
    [200, {}, 'unknown'],
    [200, { id: 1 }, 'unknown'],
    [200, [{ id: 1 }, { id: null }], 'unknown'],
  ])('%i %j is %s', async (status, body, kind) => {
    api().get('/contact/a%40x.example?fields=mail').reply(status, body)
    const result = await session().contactsByMail('a@x.example', ['mail'])
    expect(result.kind).toBe(kind)
    if (result.kind === 'ok') expect(result.value).toEqual({ contacts: [], others: [] })
  })

  it.each(['a/b@x.example', '77', '..', ''])('never sends a lookup of %j', async (mail) => {
    const bound = session()
    expect(await bound.contactsByMail(mail, [])).toMatchObject({ kind: 'unknown', request: { attempts: 0 } })
    expect(bound.counts.requests).toBe(0)
  })
})

describe('createContact', () => {
  it('nests the contact and names both duplicate methods', async () => {
    api()
      .post('/contact', { contact: { mail: 'a@x.example', tags: ['b'] }, ...methods })
      .matchHeader('content-type', 'application/json')
      .reply(201, { id: '31' })
    const result = await session().createContact({ mail: 'a@x.example', tags: ['b'] }, options)
    expect(result).toEqual({
      kind: 'ok',
      value: 31,
      request: { method: 'POST', path: '/contact', status: 201, attempts: 1 },
    })
  })

  it.each([
    [200, { id: 0 }, 'unknown'],
    [200, { success: 'true' }, 'unknown'],
    [200, '', 'unknown'],
    [404, { error: true }, 'not_applied'],
    [400, { errors: ['mail'] }, 'refused'],
    [200, { error: true, id: 4 }, 'refused'],
  ])('takes %i %j for %s', async (status, body, kind) => {
    api().post('/contact').reply(status, body)
    expect((await session().createContact({ mail: 'a@x.example' }, options)).kind).toBe(kind)
  })
})

describe('createContacts', () => {
  const contacts = [{ mail: 'a@x.example' }, { mail: 'b@x.example' }]

  it.each([
    ['array', contacts],
    ['keyed', { '0': contacts[0], '1': contacts[1] }],
  ] as const)('sends them as %s', async (container, sent) => {
    api()
      .post('/contacts', { contacts: sent, ...methods })
      .reply(200, [{ id: 2, email: 'B@x.example' }])
    const result = await session({ bulk: { size: 50, container } }).createContacts(contacts, options)
    expect(result).toMatchObject({ kind: 'ok', value: [{ id: 2, email: 'B@x.example' }] })
  })

  it.each([
    [200, {}, 'unknown'],
    [413, '<h1>Too large</h1>', 'refused'],
    [200, { error: 'one of them' }, 'refused'],
  ])('takes %i %j for %s', async (status, body, kind) => {
    api().post('/contacts').reply(status, body)
    expect((await session().createContacts(contacts, options)).kind).toBe(kind)
  })
})

describe('updateContact', () => {
  it('sends the fields directly, null as null', async () => {
    api().put('/contact/5', { fax: null, phone: '', shoe_size: 42 }).reply(200, { success: 'true' })
    const result = await session().updateContact(5, { fax: null, phone: '', shoe_size: 42 })
    expect(result).toMatchObject({ kind: 'ok', value: true, request: { path: '/contact/<contact_id>' } })
  })

  it.each([
    [200, { success: 1 }, 'ok'],
    [200, { success: 'false' }, 'unknown'],
    [200, '', 'unknown'],
    [404, { error: true }, 'absent'],
    [404, 'gone', 'unknown'],
  ])('takes %i %j for %s', async (status, body, kind) => {
    api().put('/contact/5').reply(status, body)
    expect((await session().updateContact(5, { fax: '1' })).kind).toBe(kind)
  })
})

describe('deleteContact', () => {
  it.each([
    [200, { success: true }, 'ok'],
    [404, { error: true }, 'ok'],
    [404, '<h1>Not found</h1>', 'unknown'],
    [403, { error: true }, 'denied'],
  ])('takes %i %j for %s', async (status, body, kind) => {
    api().delete('/contact/5', '').reply(status, body)
    expect(await session().deleteContact(5)).toMatchObject({ kind, request: { method: 'DELETE', status } })
  })
})

describe('customFields, by which the connection is checked', () => {
  it.each([
    [200, [], 'ok'],
    [200, '<form>Sign in</form>', 'unknown'],
    [404, { error: true }, 'not_applied'],
    [401, { error: true }, 'denied'],
  ])('takes %i %j for %s', async (status, body, kind) => {
    api().get('/custom-fields').reply(status, body)
    expect(await session().customFields()).toMatchObject({ kind, request: { path: '/custom-fields' } })
  })
})
