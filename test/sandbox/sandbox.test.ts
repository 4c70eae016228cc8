// The sandbox over HTTP on loopback: every endpoint and rule of the interface.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openProbe, type Probe } from './probe.ts'

let probe: Probe
beforeEach(async () => {
  probe = await openProbe()
})
afterEach(async () => probe.close())

const call: Probe['call'] = (...request) => probe.call(...request)
const create: Probe['create'] = (...contact) => probe.create(...contact)
const ADDRESS = {
  first_name: 'Ada',
  family_name: 'Muster',
  ba_street: 'Weg 1',
  ba_city: 'Ort',
  ba_postal_code: '01067',
}

describe('authorisation and addresses', () => {
  it.each([
    ['no key', { authorization: '' }, 401],
    ['a wrong key', { authorization: 'Bearer x' }, 401],
    ['a key of the same length', { authorization: 'Bearer j' }, 401],
    ['a key in other case', { authorization: 'Bearer K' }, 401],
    ['another scheme', { authorization: 'Basic k' }, 401],
    ['the key without a scheme', { authorization: 'k' }, 401],
    ['the key and more', { authorization: 'Bearer k k' }, 401],
  ])('%s', async (_, headers, status) => {
    expect(await call('GET', '/terms', undefined, headers)).toMatchObject({ status, body: { error: true } })
  })
  it.each(['Bearer k', 'bearer k', 'BEARER k', 'Bearer  k'])('"%s" is the key', async (authorization) => {
    expect((await call('GET', '/terms', undefined, { authorization })).status).toBe(200)
  })
  it.each([
    ['GET', '/nowhere', 404],
    ['GET', '/contact/99', 404],
    ['GET', '/terms/99', 404],
    ['GET', '/terms/nobody', 404],
    ['GET', '/custom-fields/nobody', 404],
    ['PUT', '/contacts', 405],
    ['GET', '/terms?limit=501', 400],
    ['GET', '/terms?offset=x', 400],
    ['GET', '/contact/a%40x.de?limit=501', 400],
    ['GET', '/contact/a%40x.de?offset=-1', 400],
    ['GET', '/custom-fields?limit=501', 400],
    ['GET', '/contact/1/terms?limit=501', 400],
    ['GET', '/contact/1?limit=501', 400],
  ])('%s %s is %i, in JSON', async (method, path, status) => {
    expect(await call(method, path)).toMatchObject({ status, body: { error: true } })
  })
  it('bodies must be JSON, and small', async () => {
    expect((await call('POST', '/contact', '{', {})).status).toBe(400)
    expect((await call('POST', '/contact', '{}', { 'content-type': 'text/plain' })).status).toBe(415)
    expect(
      (await call('POST', '/contact', JSON.stringify({ contact: { company: 'x'.repeat(5 * 1024 * 1024) } })))
        .status,
    ).toBe(413)
  })
})

describe('contacts', () => {
  it('are created, read, updated and deleted', async () => {
    const id = await create({ mail: 'Ada@Example.com', first_name: 'Ada', phone: '030' })
    expect((await call('GET', `/contact/${id}`)).body).toEqual({
      id,
      first_name: 'Ada',
      family_name: null,
      mail: 'Ada@Example.com',
    })
    expect((await call('GET', `/contact/${id}?fields=phone,mail_status`)).body).toEqual({
      id,
      phone: '030',
      mail_status: 3,
    })
    expect((await call('GET', '/contact/ada%40example.COM')).body).toMatchObject([{ id }])
    expect((await call('PUT', `/contact/${id}`, { phone: '', company: 'ACME' })).body).toEqual({
      success: 'true',
    })
    expect((await call('GET', `/contact/${id}?fields=phone,company`)).body).toEqual({
      id,
      phone: null,
      company: 'ACME',
    })
    expect((await call('DELETE', `/contact/${id}`)).body).toEqual({ success: 'true' })
    expect((await call('DELETE', `/contact/${id}`)).status).toBe(404)
    expect((await call('GET', '/contact/ada%40example.com')).body).toEqual([])
    expect(await create({ mail: 'b@example.com' })).toBeGreaterThan(id)
  })

  it.each<[string, object, string]>([
    ['nothing', {}, 'missing: first_name'],
    ['half an address', { first_name: 'A', family_name: 'B' }, 'missing: ba_street, ba_city, ba_postal_code'],
    ['a bad mail', { mail: 'x' }, 'mail must be a valid'],
    ['a bad title', { mail: 'a@x.de', title: 'Herr' }, 'title must be one of m, f'],
    ['a bad country', { mail: 'a@x.de', ba_country: 'Deutschland' }, 'ba_country'],
    ['a bad birthday', { mail: 'a@x.de', date_of_birth: '1980-01-01' }, 'date_of_birth'],
    [
      'a birthday that never was',
      { mail: 'a@x.de', date_of_birth: '1980-02-30T00:00:00+00:00' },
      'date_of_birth',
    ],
    [
      'too long a postal code',
      { mail: 'a@x.de', ba_postal_code: '1'.repeat(21) },
      'ba_postal_code has more than 20',
    ],
    ['a number for a text', { mail: 'a@x.de', phone: 30 }, 'phone must be text'],
    ['an unknown field', { mail: 'a@x.de', shoe: '43' }, 'there is no field shoe'],
    ['too long a custom field', { mail: 'a@x.de', member_no: '123456789' }, 'member_no has more than 8'],
    ['an unknown choice', { mail: 'a@x.de', language: 'xx' }, 'language must be one of'],
    ['a bad status', { mail: 'a@x.de', mail_status: 5 }, 'mail_status'],
    ['an unknown term', { mail: 'a@x.de', terms: [7] }, 'there is no term 7'],
  ])('with %s are refused with the reason', async (_, contact, message) => {
    const answer = await call('POST', '/contact', { contact })
    expect(answer).toMatchObject({
      status: 422,
      body: { error: true, message: expect.stringContaining(message) as string },
    })
  })

  it('may have an address instead of a mail, and custom fields of every kind', async () => {
    const custom = {
      nickname: 'Addie',
      newsletter_consent: true,
      language: 'de',
      interests: ['books'],
      revenue: 1.5,
      shoe_size: 43,
    }
    const id = await create({ ...ADDRESS, ...custom })
    expect((await call('GET', `/contact/${id}?fields=${Object.keys(custom).join(',')}`)).body).toEqual({
      id,
      ...custom,
    })
  })

  it.each([
    ['array', (contacts: object[]) => contacts],
    [
      'object',
      (contacts: object[]) => Object.fromEntries(contacts.map((contact, index) => [index, contact])),
    ],
  ])('in bulk come as %s, all or none', async (_, container) => {
    const good = [{ mail: 'a@x.de' }, { mail: 'B@x.de' }]
    expect((await call('POST', '/contacts', { contacts: container(good) })).body).toEqual([
      { id: 1, email: 'a@x.de' },
      { id: 2, email: 'B@x.de' },
    ])
    const bad = await call('POST', '/contacts', { contacts: container([{ mail: 'c@x.de' }, ADDRESS]) })
    expect(bad).toMatchObject({
      status: 422,
      body: { message: 'contact 2 of the call: each contact must have a valid mail' },
    })
    expect((await call('GET', '/contact/c%40x.de')).body).toEqual([])
    expect((await call('POST', '/contacts', { contacts: [] })).status).toBe(422)
  })

  it.each([
    ['email', 'A@EXAMPLE.com', true],
    ['none', 'a@example.com', false],
    ['auto', 'a@example.com', true],
  ])('under check %s a second one with the same mail is a duplicate: %s %s', async (check, mail, same) => {
    const first = await create({ mail: 'a@example.com', first_name: 'Ada', family_name: 'Muster' })
    const second = await create({ mail, first_name: 'Ada', family_name: 'Muster' }, check)
    expect(second === first).toBe(same)
  })

  it.each([
    ['update_add', { phone: '2', fax: '9', company: 'C' }],
    ['update', { phone: '2', fax: null, company: 'C' }],
    ['add', { phone: '1', fax: '9', company: 'C' }],
  ])('a duplicate is merged by %s', async (merge, expected) => {
    const id = await create({ mail: 'a@x.de', phone: '1', company: 'C' })
    expect(await create({ mail: 'a@x.de', phone: '2', fax: '9' }, 'email', merge)).toBe(id)
    expect((await call('GET', `/contact/${id}?fields=phone,fax,company`)).body).toEqual({ id, ...expected })
  })

  it.each([
    ['update_add', [1, 2, 4, 7], [3, 3, 3, 3]],
    ['update', [1, 2, 4, 7], [3, 3, 3, 3]],
    ['add', [1, 2, 4, 7], [1, 2, 4, 7]],
  ] as const)('mail_status 3 is a value: under %s it is no missing field', async (merge, given, expected) => {
    await probe.close()
    probe = await openProbe({ mailStatusPermission: true })
    for (const [index, mail_status] of given.entries()) {
      const mail = `s${mail_status}@x.de`
      const id = await create({ mail, mail_status })
      expect(await create({ mail, mail_status: 3 }, 'email', merge)).toBe(id)
      expect(await probe.field(id, 'mail_status')).toBe(expected[index])
    }
    // The default of a contact that was made without one is as much of a value.
    const plain = await create({ mail: 'plain@x.de' })
    await create({ mail: 'plain@x.de', mail_status: 2 }, 'email', merge)
    expect(await probe.field(plain, 'mail_status')).toBe(merge === 'add' ? 3 : 2)
  })

  it('of one mail are paged', async () => {
    const contacts = Array.from({ length: 502 }, () => ({ mail: 'a@x.de' }))
    const { body } = await call('POST', '/contacts', { contacts, duplicate_check_method: 'none' })
    const made = (body as { id: number }[]).map(({ id }) => id)
    const ids = async (query: string) =>
      ((await call('GET', `/contact/A%40x.de${query}`)).body as { id: number }[]).map(({ id }) => id)
    expect(await ids('')).toEqual(made.slice(0, 500))
    expect(await ids('?offset=500')).toEqual(made.slice(500))
    expect(await ids('?limit=2&offset=1&fields=company')).toEqual(made.slice(1, 3))
    expect(await ids('?offset=502')).toEqual([])
  })

  it('a bad method is refused', async () => {
    expect(
      await call('POST', '/contact', { contact: { mail: 'a@x.de' }, duplicate_check_method: 'x' }),
    ).toMatchObject({ status: 422 })
  })
})

describe('terms', () => {
  it('are made once, whatever the case, and renamed', async () => {
    const { id } = (await call('POST', '/terms', { name: 'Kunde', description: 'd' })).body as { id: number }
    expect((await call('POST', '/terms', { name: 'KUNDE' })).body).toEqual({ id })
    expect((await call('GET', '/terms/kunde')).body).toEqual({ id, name: 'Kunde', description: 'd' })
    expect((await call('PUT', `/terms/${id}`, { name: 'Käufer' })).body).toEqual({ success: 'true' })
    expect((await call('GET', `/terms/${id}`)).body).toEqual({ id, name: 'Käufer', description: 'd' })
    await call('POST', '/terms', { name: 'VIP' })
    expect((await call('PUT', `/terms/${id}`, { name: 'vip' })).status).toBe(409)
    expect((await call('GET', '/terms?limit=1&offset=1')).body).toMatchObject([{ name: 'VIP' }])
    expect((await call('POST', '/terms', { name: ' ' })).status).toBe(422)
  })

  it('of a contact are set, added and removed', async () => {
    const contact = await create({ mail: 'a@x.de' })
    for (const name of ['a', 'b', 'c']) await call('POST', '/terms', { name })
    const names = async () =>
      ((await call('GET', `/contact/${contact}/terms`)).body as { name: string }[]).map(({ name }) => name)
    await call('POST', `/contact/${contact}/terms`, [1, 2])
    expect(await names()).toEqual(['a', 'b'])
    await call('PUT', `/contact/${contact}/terms`, [3])
    await call('DELETE', `/contact/${contact}/terms`, [1])
    expect(await names()).toEqual(['b', 'c'])
    expect((await call('PUT', `/contact/${contact}/terms`, [9])).status).toBe(422)
    expect((await call('PUT', '/contact/99/terms', [1])).status).toBe(404)
    await call('PUT', `/contact/${contact}`, { terms: [1] })
    expect((await call('GET', `/contact/${contact}?fields=terms`)).body).toEqual({ id: contact, terms: [1] })
  })
})

it('custom fields are listed, and found by id and name', async () => {
  const all = (await call('GET', '/custom-fields')).body as { field_name: string }[]
  expect(all.map(({ field_name }) => field_name)).toContain('shoe_size')
  expect((await call('GET', '/custom-fields/8')).body).toEqual(
    (await call('GET', '/custom-fields/shoe_size')).body,
  )
})

it('keeps its data in a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  await probe.close()
  probe = await openProbe({}, join(folder, 'a.db'))
  const id = await create({ mail: 'a@x.de' })
  await probe.close()
  probe = await openProbe({}, join(folder, 'a.db'))
  expect((await call('GET', `/contact/${id}`)).body).toMatchObject({ mail: 'a@x.de' })
  await rm(folder, { recursive: true })
})
