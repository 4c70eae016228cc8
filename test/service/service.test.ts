// The client against scripted answers: shapes, headers, verdicts, retries.
import nock from 'nock'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServiceSession } from '../../src/core/ports.ts'
import type { ServiceSettings } from '../../src/core/settings.ts'
import { createService, type Service } from '../../src/service/service.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { serviceSettings } from '../support/pipeline.ts'

const BASE = 'https://crm.example.com'
const API = '/public/api/V1'
const EMAIL = { duplicateCheckMethod: 'email', duplicateMergeMethod: 'update_add', repeatable: true } as const
const NONE = { ...EMAIL, duplicateCheckMethod: 'none', repeatable: false } as const

let clock: TestClock
let service: Service
let session: ServiceSession

function open(changes: Partial<ServiceSettings> = {}, daily?: { take(): Promise<boolean> }): void {
  clock = testClock()
  const settings = serviceSettings({ baseUrl: BASE, retry: { attempts: 3, maxDelayMs: 10_000 }, ...changes })
  service = createService(settings, { clock, random: () => 0.5, ...(daily === undefined ? {} : { daily }) })
  session = service.session({ signal: new AbortController().signal })
}

beforeEach(() => {
  nock.disableNetConnect()
  open()
})
afterEach(async () => {
  await service.close()
  const unused = nock.pendingMocks()
  nock.cleanAll()
  nock.enableNetConnect()
  expect(unused).toEqual([])
})

const api = () => nock(BASE, { reqheaders: { authorization: 'Bearer test-key', accept: 'application/json' } })

describe('what is sent', () => {
  it('a create has the contact and both methods', async () => {
    const body = {
      contact: { mail: 'a@x.de' },
      duplicate_check_method: 'none',
      duplicate_merge_method: 'update_add',
    }
    api()
      .post(`${API}/contact`, body)
      .matchHeader('content-type', /application\/json/)
      .reply(200, { id: 7 })
    expect(await session.createContact({ mail: 'a@x.de' }, NONE)).toMatchObject({
      kind: 'ok',
      value: 7,
      request: { method: 'POST', path: '/contact', status: 200, attempts: 1 },
    })
  })

  it.each([
    ['array', [{ mail: 'a@x.de' }]],
    ['keyed', { '0': { mail: 'a@x.de' } }],
  ] as const)('a bulk create holds its contacts as %s', async (container, contacts) => {
    open({ bulk: { size: 50, container } })
    const body = { contacts, duplicate_check_method: 'email', duplicate_merge_method: 'update_add' }
    api()
      .post(`${API}/contacts`, body)
      .reply(200, [{ id: 7, email: 'a@x.de' }])
    expect(await session.createContacts([{ mail: 'a@x.de' }], EMAIL)).toMatchObject({
      kind: 'ok',
      value: [{ id: 7, email: 'a@x.de' }],
    })
  })

  it('an update has the fields themselves, null among them', async () => {
    api().put(`${API}/contact/7`, { phone: '1', fax: null }).reply(200, { success: 'true' })
    expect(await session.updateContact(7, { phone: '1', fax: null })).toMatchObject({ kind: 'ok' })
  })

  it('a mail in the path is encoded, and one that could leave its place is not sent', async () => {
    api().get(`${API}/contact/a%2Bb%3F%23%25%40x.de`).query({ fields: 'id,mail' }).reply(200, [])
    expect(await session.contactsByMail('a+b?#%@x.de', ['mail'])).toMatchObject({ kind: 'ok', value: [] })
    for (const mail of ['a/b@x.de', '..', '123', 'a\\b@x.de'])
      expect(await session.contactsByMail(mail, ['mail'])).toMatchObject({
        kind: 'unknown',
        request: { attempts: 0 },
      })
  })

  it('an id that is none is a fault of the caller', async () => {
    await expect(session.updateContact(-1, {})).rejects.toThrow('-1 is no contact id')
  })
})

describe('what is read', () => {
  it.each([[{ id: '7' }], [{ id: 7, extra: true }]])('an id from %o', async (body) => {
    api().post(`${API}/contact`).reply(200, body)
    expect(await session.createContact({ mail: 'a@x.de' }, NONE)).toMatchObject({ kind: 'ok', value: 7 })
  })

  it.each([
    { id: 0 },
    { id: -1 },
    { id: null },
    { id: 1.5 },
    { id: '7x' },
    { id: 2 ** 53 },
    {},
    [],
    null,
    'text',
  ])('no id from %o: nobody knows whether it was created', async (body) => {
    api().post(`${API}/contact`).reply(200, JSON.stringify(body), { 'content-type': 'application/json' })
    expect(await session.createContact({ mail: 'a@x.de' }, NONE)).toMatchObject({ kind: 'unknown' })
  })

  it.each([
    [
      [
        { id: 1, email: 'a@x.de' },
        { id: '2', email: 'b@x.de' },
      ],
    ],
    [{ '0': { id: 1, email: 'a@x.de' }, '5': { id: 2, email: 'b@x.de' } }],
    [
      [
        { id: 1, email: 'a@x.de' },
        { id: null, email: 'c@x.de' },
        { id: 2, email: 'b@x.de', more: 1 },
      ],
    ],
  ])('the members of a bulk answer from %o', async (body) => {
    api().post(`${API}/contacts`).reply(200, body)
    const result = await session.createContacts([{ mail: 'a@x.de' }, { mail: 'b@x.de' }], NONE)
    expect(result).toMatchObject({
      kind: 'ok',
      value: [
        { id: 1, email: 'a@x.de' },
        { id: 2, email: 'b@x.de' },
      ],
    })
  })

  it.each(['true', true, 1, '1'])('success from %o', async (success) => {
    api().put(`${API}/contact/7`).reply(200, { success })
    expect(await session.updateContact(7, { phone: '1' })).toMatchObject({ kind: 'ok' })
  })

  it.each([
    ['404 with JSON', 404, '{"error":true}', { kind: 'ok', value: [] }],
    ['an empty list', 200, '[]', { kind: 'ok', value: [] }],
    ['a 404 page', 404, '<html>', { kind: 'unknown' }],
    ['a list with a member that is no contact', 200, '[{"id":1},{}]', { kind: 'unknown' }],
    [
      'a keyed list',
      200,
      '{"3":{"id":"5","mail":"a@x.de"}}',
      { kind: 'ok', value: [{ id: 5, fields: { mail: 'a@x.de' } }] },
    ],
  ])('nobody by mail: %s', async (_, status, body, expected) => {
    api().get(`${API}/contact/a%40x.de`).query(true).reply(status, body)
    expect(await session.contactsByMail('a@x.de', ['mail'])).toMatchObject(expected)
  })

  it('a contact by id, or that there is none', async () => {
    api().get(`${API}/contact/7`).query({ fields: 'id,phone' }).reply(200, { id: 7, phone: '1' })
    expect(await session.contactById(7, ['phone'])).toMatchObject({
      kind: 'ok',
      value: { id: 7, fields: { phone: '1' } },
    })
    api().get(`${API}/contact/8`).query(true).reply(404, { message: 'no' })
    expect(await session.contactById(8, ['phone'])).toMatchObject({ kind: 'absent' })
  })

  it('a deletion, also of what is gone already', async () => {
    api().delete(`${API}/contact/7`).reply(404, {})
    expect(await session.deleteContact(7)).toMatchObject({ kind: 'ok' })
  })
})

describe('refusals', () => {
  it.each([
    [422, '{"error":true,"message":"mail is invalid"}', 'refused', 'mail is invalid'],
    [400, '{"errors":["a","b"]}', 'refused', 'a; b'],
    [409, '{"error":"exists"}', 'refused', 'exists'],
    [413, '<html>too large</html>', 'refused', '413'],
    [415, '', 'refused', '415'],
    [418, '{}', 'refused', '418'],
    [401, '{"message":"key"}', 'denied', 'key'],
    [404, '<html>', 'not_applied', 'base_url'],
    [405, '{}', 'not_applied', 'base_url'],
    [200, '{"error":"no","id":7}', 'refused', 'no'],
    [302, '', 'unknown', 'elsewhere.example'],
    [200, '<html>login</html>', 'unknown', 'no JSON'],
  ])('%i %s means %s', async (status, body, kind, text) => {
    api().post(`${API}/contact`).reply(status, body, { location: 'https://elsewhere.example/login?token=x' })
    const result = await session.createContact({ mail: 'a@x.de' }, NONE)
    expect(result).toMatchObject({ kind, request: { attempts: 1, status } })
    expect('reason' in result && result.reason).toContain(text)
    expect(JSON.stringify(result)).not.toContain('token=x')
  })

  it('keep what the service wrote out of the summary', async () => {
    api().post(`${API}/contact`).reply(422, { message: 'secret@person.example is bad' })
    const result = await session.createContact({ mail: 'a@x.de' }, NONE)
    expect(result).toMatchObject({
      summary: 'the service refuses the request (422)',
      reason: expect.stringContaining('secret@person') as string,
    })
  })
})

describe('retries', () => {
  it('a create that could double is not sent again after a 5xx', async () => {
    api().post(`${API}/contact`).reply(502, 'bad gateway')
    expect(await session.createContact({ mail: 'a@x.de' }, NONE)).toMatchObject({
      kind: 'unknown',
      request: { attempts: 1 },
    })
  })

  it('one that may be repeated is, with growing waits', async () => {
    api().post(`${API}/contact`).times(2).reply(502)
    api().post(`${API}/contact`).reply(200, { id: 7 })
    expect(await session.createContact({ mail: 'a@x.de' }, EMAIL)).toMatchObject({
      kind: 'ok',
      request: { attempts: 3 },
    })
    expect(session.counts).toEqual({ requests: 3, retries: 2 })
    expect(clock.slept).toEqual([375, 750])
  })

  it('gives up after the attempts that are allowed', async () => {
    api().put(`${API}/contact/7`).times(3).reply(500)
    expect(await session.updateContact(7, {})).toMatchObject({
      kind: 'unknown',
      request: { attempts: 3, status: 500 },
    })
  })

  it('waiting for a 429 spends no attempt and is as long as the service says', async () => {
    api().put(`${API}/contact/7`).times(5).reply(429, '', { 'retry-after': '120' })
    api().put(`${API}/contact/7`).reply(200, { success: true })
    const before = clock.now()
    expect(await session.updateContact(7, {})).toMatchObject({ kind: 'ok', request: { attempts: 6 } })
    expect(clock.now() - before).toBeGreaterThanOrEqual(600_000)
  })

  it('a 403 page is tried once more, a 403 of the service is not', async () => {
    api().put(`${API}/contact/7`).times(2).reply(403, '<html>')
    expect(await session.updateContact(7, {})).toMatchObject({ kind: 'denied', request: { attempts: 2 } })
    api().put(`${API}/contact/7`).reply(403, { error: true })
    expect(await session.updateContact(7, {})).toMatchObject({ kind: 'denied', request: { attempts: 1 } })
  })

  it('an allowance that is used up waits for its reset', async () => {
    api()
      .put(`${API}/contact/7`)
      .reply(200, { success: true }, { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '30' })
    api().put(`${API}/contact/8`).reply(200, { success: true })
    await session.updateContact(7, {})
    const before = clock.now()
    await session.updateContact(8, {})
    expect(clock.now() - before).toBe(30_000)
  })

  it('the daily allowance ends the call before anything is sent', async () => {
    open({}, { take: async () => Promise.resolve(false) })
    expect(await session.updateContact(7, {})).toMatchObject({
      kind: 'not_applied',
      summary: 'the daily allowance of requests is used up',
    })
    expect(session.counts.requests).toBe(0)
  })

  it('nothing is sent after the signal', async () => {
    const ended = service.session({ signal: AbortSignal.abort() })
    expect(await ended.updateContact(7, {})).toMatchObject({ kind: 'not_applied' })
  })
})

it('the probe is one read with the key', async () => {
  api().get(`${API}/custom-fields`).query(true).reply(200, [])
  expect(await service.probe({ signal: new AbortController().signal })).toMatchObject({ kind: 'ok' })
})
