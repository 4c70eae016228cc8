// Every habit with every value, over HTTP: what its help says is what the sandbox does, and the default is the
// interface as it is written. The table here must have a proof for each value that the table of habits allows.
import { afterEach, describe, expect, it } from 'vitest'
import { habitsOf, typedName } from '../../src/sandbox/habit-text.ts'
import { type HabitName, HABITS } from '../../src/sandbox/habits.ts'
import { openProbe, type Probe } from './probe.ts'

type Proof = (probe: Probe) => Promise<void>
interface Proven {
  /** What is typed where the value stands for a number or a span. */
  readonly typed?: string
  /** Habits that this one is seen by. */
  readonly beside?: readonly string[]
  readonly proof: Proof
}

const NOBODY = '/contact/99'
const NO_MAIL = '/contact/no%40x.de'
const BAD = { contact: { mail: 'x' } }
const REASON = 'mail must be a valid e-mail address'
const MAILS = ['a@x.de', 'B@x.de', 'c@x.de']
const bulk = (probe: Probe, contacts: unknown = MAILS.map((mail) => ({ mail }))) =>
  probe.call('POST', '/contacts', { contacts, duplicate_check_method: 'none' })
const isThere = async (probe: Probe, mail: string): Promise<boolean> =>
  ((await probe.call('GET', `/contact/${encodeURIComponent(mail)}`)).body as unknown[]).length > 0
const term = async (probe: Probe, name: string): Promise<number> =>
  Number(((await probe.call('POST', '/terms', { name })).body as { id: unknown }).id)
const refusedKey = (probe: Probe) => probe.call('GET', '/terms', undefined, { authorization: 'Bearer x' })

const refused =
  (expected: object): Proof =>
  async (probe) =>
    expect(await probe.call('POST', '/contact', BAD)).toMatchObject(expected)

const keyRefused =
  (status: number, type: string): Proof =>
  async (probe) => {
    const answer = await refusedKey(probe)
    expect(answer).toMatchObject({ status, type: expect.stringContaining(type) as string })
    expect(answer.body === undefined).toBe(type === 'text/html')
  }

const unknown =
  (byId: object, byMail: object): Proof =>
  async (probe) => {
    expect(await probe.call('GET', NOBODY)).toMatchObject(byId)
    expect(await probe.call('GET', `${NOBODY}/terms`)).toMatchObject(byId)
    expect(await probe.call('GET', NO_MAIL)).toMatchObject(byMail)
    expect((await probe.call('PUT', NOBODY, { phone: '1' })).status).toBe(404)
  }
const JSON_404 = { status: 404, body: { error: true, message: 'there is no such contact' } }
const HTML_404 = { status: 404, type: expect.stringContaining('text/html') as string, body: undefined }
const NO_ONE = { status: 200, body: [] }

const succeeds =
  (success: unknown): Proof =>
  async (probe) => {
    const id = await probe.create({ mail: 'a@x.de' })
    expect((await probe.call('PUT', `/contact/${id}`, { phone: '1' })).body).toEqual({ success })
    expect((await probe.call('DELETE', `/contact/${id}`)).body).toEqual({ success })
  }

const ids =
  (as: (id: number) => unknown): Proof =>
  async (probe) => {
    const termId = await term(probe, 'a')
    const id = await probe.create({ mail: 'a@x.de', mail_status: 3, shoe_size: 43, terms: [termId] })
    expect((await probe.call('GET', `/contact/${id}?fields=terms,mail_status,shoe_size`)).body).toEqual({
      id: as(id),
      terms: [as(termId)],
      mail_status: 3,
      shoe_size: 43,
    })
    expect((await probe.call('GET', `/terms/${termId}`)).body).toMatchObject({ id: as(termId) })
    expect((await bulk(probe)).body).toMatchObject([{ id: as(id + 1) }, {}, {}])
    expect((await probe.call('GET', '/custom-fields/8')).body).toMatchObject({ field_id: as(8) })
  }

const listed =
  (keys: readonly string[] | undefined): Proof =>
  async (probe) => {
    const shown = (await bulk(probe)).body as object
    expect(Array.isArray(shown)).toBe(keys === undefined)
    expect(Object.keys(shown)).toEqual(keys ?? ['0', '1', '2'])
    expect(Object.values(shown)).toMatchObject(MAILS.map((email) => ({ email })))
  }

const birthday =
  (expected: readonly string[]): Proof =>
  async (probe) => {
    const sent = ['1980-03-04T12:00:00+00:00', '1980-03-04T23:30:00+00:00', '1980-03-04T00:10:00+01:00']
    for (const [index, date_of_birth] of sent.entries()) {
      const id = await probe.create({ mail: 'a@x.de', date_of_birth })
      const shown = String(await probe.field(id, 'date_of_birth'))
      expect(shown).toBe(expected[index])
      expect(Date.parse(shown)).toBe(Date.parse(date_of_birth))
      expect(shown.slice(0, 10)).toBe('1980-03-04')
    }
  }
const AS_SENT = ['1980-03-04T12:00:00+00:00', '1980-03-04T23:30:00+00:00', '1980-03-04T00:10:00+01:00']

const LIMITED = 'rate-limit=2/100s'
const limitHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => /retry-after|limit/.test(name)))
const throttled =
  (first: object, refusal: object): Proof =>
  async (probe) => {
    expect(limitHeaders((await probe.call('GET', '/terms')).headers)).toEqual(first)
    await probe.call('GET', '/terms')
    const { status, headers } = await probe.call('GET', '/terms')
    expect(status).toBe(429)
    expect(limitHeaders(headers)).toEqual(refusal)
  }
const SECONDS = expect.stringMatching(/^(9\d|100)$/) as string
const prefixed = (prefix: string): Proof => {
  const told = (remaining: string) => ({
    [`${prefix}-limit`]: '2',
    [`${prefix}-remaining`]: remaining,
    [`${prefix}-reset`]: SECONDS,
  })
  return throttled(told('1'), told('0'))
}
const reset =
  (isEpoch: boolean): Proof =>
  async (probe) => {
    const { headers } = await probe.call('GET', '/terms')
    const at =
      Number(headers.get('ratelimit-reset')) - (isEpoch ? Date.parse(headers.get('date') ?? '') / 1000 : 0)
    expect(at).toBeGreaterThan(90)
    expect(at).toBeLessThanOrEqual(102)
  }

const pages =
  (query: string, expected: readonly string[]): Proof =>
  async (probe) => {
    for (const name of ['a', 'b', 'c']) await term(probe, name)
    const { body } = await probe.call('GET', `/terms?${query}`)
    expect((body as { name: string }[]).map(({ name }) => name)).toEqual(expected)
  }

/** Contacts of one mail, a page at a time. */
const pagesByMail =
  (query: string, expected: readonly number[]): Proof =>
  async (probe) => {
    for (const _ of [1, 2, 3]) await probe.create({ mail: 'a@x.de' })
    const { body } = await probe.call('GET', `/contact/a%40x.de?${query}`)
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(expected)
  }

const pagesOfContact =
  (query: string, expected: readonly number[]): Proof =>
  async (probe) => {
    const terms = [await term(probe, 'x'), await term(probe, 'y'), await term(probe, 'z')]
    const id = await probe.create({ mail: 'b@x.de', terms })
    const { body } = await probe.call('GET', `/contact/${id}/terms?${query}`)
    expect((body as { id: number }[]).map((one) => terms.indexOf(one.id))).toEqual(expected)
    // The field of the contact is one value, and no page.
    expect(await probe.field(id, 'terms')).toEqual(terms)
  }

const pagesOfDefinitions =
  (query: string, expected: readonly number[]): Proof =>
  async (probe) => {
    const { body } = await probe.call('GET', `/custom-fields?${query}`)
    expect((body as { field_id: number }[]).map(({ field_id }) => field_id)).toEqual(expected)
  }

const ANOTHER = [
  { mail: 'a_b@x.de' },
  { mail: 'acb@x.de' },
  { mail: 'a_b@x.de.example' },
  { mail: 'other@x.de', mail2: 'A_b@x.de' },
]
const lookedUp =
  (expected: readonly number[]): Proof =>
  async (probe) => {
    for (const one of ANOTHER) await probe.create(one)
    const { body } = await probe.call('GET', '/contact/a_b%40x.de')
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(expected)
    expect((await probe.call('GET', NO_MAIL)).body).toEqual([])
  }

const termInPath =
  (found: string | undefined, alone: number): Proof =>
  async (probe) => {
    for (const name of ['a', '1', '42']) await term(probe, name)
    expect((await probe.call('GET', '/terms/1')).body).toMatchObject({ name: found })
    expect((await probe.call('GET', '/terms/42')).status).toBe(alone)
    expect((await probe.call('GET', '/terms/3')).body).toMatchObject({ id: 3, name: '42' })
    // An update names a term by its id, and by nothing else.
    expect((await probe.call('PUT', '/terms/1', { name: 'b' })).body).toEqual({ success: 'true' })
    expect((await probe.call('GET', '/terms/b')).body).toMatchObject({ id: 1 })
  }

const status =
  (expected: number): Proof =>
  async (probe) => {
    const id = await probe.create({ mail: 'a@x.de', mail_status: 7 })
    expect(await probe.field(id, 'mail_status')).toBe(expected)
    expect((await probe.call('PUT', `/contact/${id}`, { mail_status: 4 })).status).toBe(200)
    expect(await probe.field(id, 'mail_status')).toBe(expected === 3 ? 3 : 4)
  }

const statusAgain =
  (unsaid: number, said: number): Proof =>
  async (probe) => {
    const deleted = await probe.create({ mail: 'a@x.de', mail_status: 2 })
    for (const [given, expected] of [
      [{}, unsaid],
      [{ mail_status: 4 }, said],
    ] as const) {
      await probe.call('DELETE', `/contact/${given.mail_status === undefined ? deleted : deleted + 1}`)
      const id = await probe.create({ mail: 'A@x.de', ...given })
      expect(await probe.field(id, 'mail_status')).toBe(expected)
    }
  }

const SAME = { first_name: 'Quillon', family_name: 'Sonde', phone: '+49 30 5550100', ba_city: 'Probeweiler' }
const foundByAuto =
  (isProbable: boolean, isSameMail: boolean): Proof =>
  async (probe) => {
    const id = await probe.create({ ...SAME, ba_street: 'Weg 7', mail: 'a@x.de' })
    expect((await probe.create({ ...SAME, ba_street: 'Weg 7', mail: 'b@x.de' }, 'auto')) === id).toBe(
      isProbable,
    )
    expect((await probe.create({ ...SAME, ba_street: 'Weg 7', mail: 'a@x.de' }, 'auto')) === id).toBe(
      isSameMail,
    )
  }

const mergedByUpdate =
  (present: string, added: string | null): Proof =>
  async (probe) => {
    const id = await probe.create({ mail: 'a@x.de', phone: '1' })
    await probe.create({ mail: 'a@x.de', phone: '2', fax: '9' }, 'email', 'update')
    expect([await probe.field(id, 'phone'), await probe.field(id, 'fax')]).toEqual([present, added])
  }

const cleared =
  (byNull: boolean, byText: boolean): Proof =>
  async (probe) => {
    const id = await probe.create({ mail: 'a@x.de', phone: '1', fax: '2' })
    expect((await probe.call('PUT', `/contact/${id}`, { phone: null, fax: '' })).status).toBe(200)
    expect(await probe.field(id, 'phone')).toBe(byNull ? null : '1')
    expect(await probe.field(id, 'fax')).toBe(byText ? null : '2')
  }

const termsInCreate =
  (inNew: readonly number[], inMerged: readonly number[]): Proof =>
  async (probe) => {
    for (const name of ['a', 'b', 'c']) await term(probe, name)
    const id = await probe.create({ mail: 'a@x.de', terms: [1] })
    expect(await probe.field(id, 'terms')).toEqual(inNew)
    await probe.call('POST', `/contact/${id}/terms`, [1, 2])
    expect(await probe.create({ mail: 'a@x.de', terms: [3] }, 'email')).toBe(id)
    expect(await probe.field(id, 'terms')).toEqual(inMerged)
  }

const BY_METHOD: readonly (readonly [merge: string, had: readonly number[], then: readonly number[]])[] = [
  ['update_add', [], [3]],
  ['update_add', [1, 2], [3]],
  ['update', [], []],
  ['update', [1, 2], [3]],
  ['add', [], [3]],
  ['add', [1, 2], [1, 2]],
]
const termsByMethod: Proof = async (probe) => {
  for (const name of ['a', 'b', 'c']) await term(probe, name)
  for (const [merge, had, then] of BY_METHOD) {
    const mail = `${merge}.${had.length}@x.de`
    const id = await probe.create({ mail, terms: had })
    expect(await probe.field(id, 'terms')).toEqual(had)
    expect(await probe.create({ mail, terms: [] }, 'email', merge)).toBe(id)
    expect(await probe.field(id, 'terms')).toEqual(had)
    expect(await probe.create({ mail, terms: [3] }, 'email', merge)).toBe(id)
    expect(await probe.field(id, 'terms'), `${merge} over ${had.join()}`).toEqual(then)
  }
}

const termsInUpdate =
  (expected: readonly number[]): Proof =>
  async (probe) => {
    for (const name of ['a', 'b', 'c']) await term(probe, name)
    const id = await probe.create({ mail: 'a@x.de' })
    await probe.call('POST', `/contact/${id}/terms`, [1, 2])
    await probe.call('PUT', `/contact/${id}`, { terms: [3] })
    expect(await probe.field(id, 'terms')).toEqual(expected)
  }

const container =
  (array: number, keyed: number): Proof =>
  async (probe) => {
    expect((await bulk(probe, [{ mail: 'a@x.de' }])).status).toBe(array)
    expect((await bulk(probe, { '5': { mail: 'a@x.de' } })).status).toBe(keyed)
  }

const bulkRefused =
  (expected: number, there: readonly boolean[]): Proof =>
  async (probe) => {
    const { status, body } = await bulk(probe, [
      { mail: 'a@x.de' },
      { mail: 'b@x.de', title: 'x' },
      { mail: 'c@x.de' },
    ])
    expect(status).toBe(expected)
    if (status === 200) expect(body).toMatchObject([{ email: 'a@x.de' }, { email: 'c@x.de' }])
    else expect(body).toMatchObject({ message: 'contact 2 of the call: title must be one of m, f' })
    for (const [index, mail] of ['a@x.de', 'b@x.de', 'c@x.de'].entries())
      expect(await isThere(probe, mail)).toBe(there[index])
  }

const bulkAnswer =
  (emails: readonly string[]): Proof =>
  async (probe) => {
    const body = (await bulk(probe)).body as { id: number; email: string }[]
    expect(body.map(({ email }) => email)).toEqual(emails)
    for (const { id, email } of body)
      expect(String(await probe.field(id, 'mail')).toLowerCase()).toBe(email.toLowerCase())
    for (const mail of MAILS) expect(await isThere(probe, mail)).toBe(true)
  }

const folded =
  (accents: boolean, spaces: boolean): Proof =>
  async (probe) => {
    expect((await term(probe, 'Cafe 1')) === (await term(probe, 'CAFÉ 1'))).toBe(accents)
    expect((await term(probe, 'New York')) === (await term(probe, 'new  york '))).toBe(spaces)
    expect(await term(probe, ' cafe 1')).toBe(1)
  }

/** What is left after a DELETE of the terms that are named; a missing body is answered otherwise by default. */
const removed =
  (body: unknown, left: readonly number[], expected = 200): Proof =>
  async (probe) => {
    for (const name of ['a', 'b']) await term(probe, name)
    const id = await probe.create({ mail: 'a@x.de' })
    await probe.call('POST', `/contact/${id}/terms`, [1, 2])
    expect((await probe.call('DELETE', `/contact/${id}/terms`, body)).status).toBe(expected)
    expect(await probe.field(id, 'terms')).toEqual(left)
  }
const all =
  (...proofs: Proof[]): Proof =>
  async (probe) => {
    for (const proof of proofs) await proof(probe)
  }

const redirected =
  (expected: number, location: RegExp): Proof =>
  async (probe) => {
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { name: 'a' }],
    ] as const) {
      const answer = await probe.call(method, '/terms/1', body)
      expect(answer.status).toBe(expected)
      expect(answer.headers.get('location')).toMatch(location)
    }
  }

const answersAfter =
  (atLeastMs: number): Proof =>
  async (probe) => {
    const start = performance.now()
    expect((await probe.call('GET', '/terms')).status).toBe(200)
    // Timers may be a millisecond early.
    expect(performance.now() - start).toBeGreaterThanOrEqual(atLeastMs - 1)
  }

const PROOFS: Record<HabitName, Record<string, Proof | Proven>> = {
  errorBody: {
    message: refused({ status: 422, body: { error: true, message: REASON } }),
    error: refused({ status: 422, body: { error: REASON } }),
    errors: refused({ status: 422, body: { errors: [REASON] } }),
    html: refused({ status: 422, type: 'text/html; charset=UTF-8', body: undefined }),
    empty: refused({ status: 422, text: '' }),
  },
  errorsIn200: {
    false: refused({ status: 422 }),
    true: all(refused({ status: 200, body: { error: true, message: REASON } }), unknown(JSON_404, NO_ONE)),
  },
  refusedKey: {
    '401': keyRefused(401, 'application/json'),
    '403': keyRefused(403, 'application/json'),
    '401-html': keyRefused(401, 'text/html'),
    '403-html': keyRefused(403, 'text/html'),
  },
  refusedContact: Object.fromEntries(
    HABITS.refusedContact.values.map((value) => [
      value,
      async (probe: Probe) => {
        expect((await probe.call('POST', '/contact', BAD)).status).toBe(Number(value))
        expect((await bulk(probe, [{ mail: 'x' }])).status).toBe(Number(value))
        const id = await probe.create({ mail: 'a@x.de' })
        expect((await probe.call('PUT', `/contact/${id}`, { title: 'x' })).status).toBe(Number(value))
        expect((await probe.call('POST', '/terms', { name: '' })).status).toBe(422)
      },
    ]),
  ),
  unknownContact: {
    'id-404': unknown(JSON_404, NO_ONE),
    'json-404': unknown(JSON_404, JSON_404),
    'empty-list': unknown(NO_ONE, NO_ONE),
    'html-404': unknown(HTML_404, HTML_404),
  },
  success: { text: succeeds('true'), boolean: succeeds(true), number: succeeds(1) },
  idsAsText: { false: ids((id) => id), true: ids(String) },
  lists: {
    array: listed(undefined),
    keyed: listed(['0', '1', '2']),
    'keyed-with-gaps': listed(['0', '2', '4']),
  },
  birthdayOffset: {
    'as-sent': birthday(AS_SENT),
    other: birthday(['1980-03-04T13:00:00+01:00', '1980-03-04T22:30:00-01:00', '1980-03-04T00:10:00+01:00']),
  },
  rateLimit: {
    none: async (probe) => {
      for (let index = 0; index < 50; index += 1) expect((await probe.call('GET', '/terms')).status).toBe(200)
    },
    'N/SPAN': { typed: '2/100s', proof: throttled({}, { 'retry-after': SECONDS }) },
  },
  rateLimitHeaders: {
    'retry-after': { beside: [LIMITED], proof: throttled({}, { 'retry-after': SECONDS }) },
    'retry-after-date': {
      beside: [LIMITED],
      proof: throttled(
        {},
        { 'retry-after': expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/) as string },
      ),
    },
    none: { beside: [LIMITED], proof: throttled({}, {}) },
    'x-rate-limit': { beside: [LIMITED], proof: prefixed('x-rate-limit') },
    'x-ratelimit': { beside: [LIMITED], proof: prefixed('x-ratelimit') },
    ratelimit: { beside: [LIMITED], proof: prefixed('ratelimit') },
  },
  rateLimitReset: {
    seconds: { beside: [LIMITED, 'rate-limit-headers=ratelimit'], proof: reset(false) },
    epoch: { beside: [LIMITED, 'rate-limit-headers=ratelimit'], proof: reset(true) },
  },
  pageCap: {
    '0': all(
      pages('limit=3', ['a', 'b', 'c']),
      pagesByMail('limit=3', [1, 2, 3]),
      pagesOfContact('limit=3', [0, 1, 2]),
      pagesOfDefinitions('limit=3', [1, 2, 3]),
    ),
    N: {
      typed: '2',
      proof: all(
        pages('limit=3', ['a', 'b']),
        pagesByMail('limit=3', [1, 2]),
        pagesByMail('', [1, 2]),
        pagesOfContact('limit=3&offset=1', [1, 2]),
        pagesOfDefinitions('', [1, 2]),
      ),
    },
  },
  offsetIgnored: {
    false: all(
      pages('offset=2', ['c']),
      pagesByMail('offset=2', [3]),
      pagesOfContact('offset=2', [2]),
      pagesOfDefinitions('offset=6', [7, 8]),
    ),
    true: all(
      pages('offset=2&limit=2', ['a', 'b']),
      pagesByMail('offset=2&limit=2', [1, 2]),
      pagesOfContact('offset=2&limit=2', [0, 1]),
      pagesOfDefinitions('offset=2&limit=2', [1, 2]),
    ),
  },
  bulkLimit: {
    '0': async (probe) => {
      const many = Array.from({ length: 300 }, (_, index) => ({ mail: `p${index}@x.de` }))
      expect((await bulk(probe, many)).status).toBe(200)
    },
    N: {
      typed: '2',
      proof: async (probe) => {
        expect(await bulk(probe)).toMatchObject({ status: 413, body: { error: true } })
        expect((await bulk(probe, [{ mail: 'a@x.de' }, { mail: 'b@x.de' }])).status).toBe(200)
      },
    },
  },
  mailLookup: {
    exact: lookedUp([1]),
    wildcard: lookedUp([1, 2]),
    prefix: lookedUp([1, 3]),
    secondary: lookedUp([1, 4]),
  },
  mailStatusPermission: { false: status(3), true: status(7) },
  statusAfterDelete: {
    forgotten: { beside: ['mail-status-permission'], proof: statusAgain(3, 4) },
    remembered: { beside: ['mail-status-permission'], proof: statusAgain(2, 2) },
  },
  auto: {
    probable: foundByAuto(true, true),
    mail: foundByAuto(false, true),
    none: foundByAuto(false, false),
  },
  merge: { 'as-documented': mergedByUpdate('2', null), 'update-add': mergedByUpdate('2', '9') },
  clearedBy: {
    both: cleared(true, true),
    null: cleared(true, false),
    'empty-text': cleared(false, true),
    nothing: cleared(false, false),
  },
  termsInCreate: {
    'by-method': termsByMethod,
    add: termsInCreate([1], [1, 2, 3]),
    replace: termsInCreate([1], [3]),
    ignore: termsInCreate([], [1, 2]),
  },
  termsInUpdate: {
    replace: termsInUpdate([3]),
    add: termsInUpdate([1, 2, 3]),
    ignore: termsInUpdate([1, 2]),
  },
  bulkContainer: { both: container(200, 200), array: container(200, 422), keyed: container(422, 200) },
  bulkRefusal: {
    'whole-call': bulkRefused(422, [false, false, false]),
    'after-earlier': bulkRefused(422, [true, false, false]),
    itself: bulkRefused(200, [true, false, true]),
  },
  bulkOrder: {
    'as-sent': bulkAnswer(['a@x.de', 'B@x.de', 'c@x.de']),
    reversed: bulkAnswer(['c@x.de', 'B@x.de', 'a@x.de']),
  },
  bulkMail: {
    'as-sent': bulkAnswer(['a@x.de', 'B@x.de', 'c@x.de']),
    upper: bulkAnswer(['A@X.DE', 'B@X.DE', 'C@X.DE']),
    lower: bulkAnswer(['a@x.de', 'b@x.de', 'c@x.de']),
  },
  bulkMissing: {
    false: bulkAnswer(['a@x.de', 'B@x.de', 'c@x.de']),
    true: bulkAnswer(['a@x.de', 'c@x.de']),
  },
  termFolding: { case: folded(false, false), accents: folded(true, false), spaces: folded(false, true) },
  termInPath: {
    'id-or-name': termInPath('a', 200),
    id: termInPath('a', 404),
    'name-or-id': termInPath('1', 200),
  },
  emptyTerms: {
    nothing: all(removed([], [1, 2]), removed(undefined, [1, 2], 415)),
    all: all(removed([], []), removed(undefined, []), removed([1], [2])),
  },
  deleteBodyLost: {
    false: removed([1], [2]),
    true: removed([1], [1, 2]),
  },
  redirects: {
    none: async (probe) => expect((await probe.call('GET', '/terms')).status).toBe(200),
    'login-page': redirected(302, /^\/user\/login\?destination=%2Fpublic%2Fapi%2FV1%2Fterms%2F1$/),
    'other-host': redirected(301, /^https:\/\/moved\.example\.com\/public\/api\/V1\/terms\/1$/),
  },
  latencyMs: { '0': answersAfter(0), N: { typed: '40', proof: answersAfter(40) } },
}

let probe: Probe | undefined
afterEach(async () => probe?.close())

const rows = Object.entries(PROOFS).flatMap(([name, proofs]) =>
  Object.entries(proofs).map(([value, given]) => {
    const proven: Proven = typeof given === 'function' ? { proof: given } : given
    return { name: name as HabitName, value, ...proven }
  }),
)

it('every value of every habit has a proof', () => {
  for (const [name, { values }] of Object.entries(HABITS))
    expect(Object.keys(PROOFS[name as HabitName]).sort(), name).toEqual([...values].sort())
})

describe('every habit does what its help says', () => {
  it.each(rows)('$name=$value', async ({ name, value, typed = value, beside = [], proof }) => {
    probe = await openProbe(habitsOf([...beside, `${typedName(name)}=${typed}`]))
    await proof(probe)
  })
})

describe('without any habit', () => {
  const plain = rows.filter(({ name, value }) => value === HABITS[name].values[0])
  it.each(plain)('the default of $name is $value', async ({ beside = [], proof }) => {
    probe = await openProbe(habitsOf(beside))
    await proof(probe)
  })
})

describe('two habits together', () => {
  it.each<[string[], Proof]>([
    [['empty-terms=all', 'delete-body-lost'], removed([1], [])],
    [
      ['unknown-contact=empty-list', 'lists=keyed'],
      unknown({ status: 200, body: {} }, { status: 200, body: {} }),
    ],
    [
      ['errors-in-200', 'refused-contact=409', 'error-body=error'],
      refused({ status: 200, body: { error: REASON } }),
    ],
  ])('%j', async (typed, proof) => {
    probe = await openProbe(habitsOf(typed))
    await proof(probe)
  })
})

describe('habits as they are typed', () => {
  it('a switch needs no value, and a later one counts', () => {
    expect(
      habitsOf(['ids-as-text', 'lists=keyed', 'lists=array', 'rate-limit=5/2m', 'latency-ms=7']),
    ).toEqual({
      idsAsText: true,
      lists: 'array',
      rateLimit: { requests: 5, perMs: 120_000 },
      latencyMs: 7,
    })
  })
  it.each([
    ['id-as-text', 'there is no habit "id-as-text"; did you mean ids-as-text?', 'sandbox --help'],
    ['', 'there is no habit ""', 'sandbox --help'],
    ['__proto__', 'there is no habit', 'sandbox --help'],
    ['lists', 'the habit lists needs a value', 'Allowed: array, keyed, keyed-with-gaps.'],
    ['lists=keyd', 'the habit lists cannot be "keyd"; did you mean keyed?', 'Allowed: array, keyed'],
    ['ids-as-text=1', 'cannot be "1"', 'Allowed: false, true'],
    ['page-cap=-1', 'the habit page-cap cannot be "-1"', 'Allowed: 0, N'],
    ['rate-limit=0/1s', 'the habit rate-limit cannot be "0/1s"', 'Allowed: none, N/SPAN'],
  ])('%s is refused', (typed, message, hint) => {
    expect(() => habitsOf([typed])).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: expect.stringContaining(message) as string,
        hint: expect.stringContaining(hint) as string,
      }) as Error,
    )
  })
})
