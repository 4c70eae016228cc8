// The sandbox under a hostile tester: whatever breaks a rule of the interface (sections 2 to 9) is refused with a
// status of its own and a message in JSON, and nothing makes it fail.
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { API, openProbe, type Probe } from './probe.ts'

let probe: Probe
beforeEach(async () => {
  probe = await openProbe()
  await probe.call('POST', '/terms', { name: 'Kunde' })
  await probe.call('POST', '/terms', { name: 'VIP' })
  await probe.create({ mail: 'a@x.de', first_name: 'Ada' })
})
afterEach(async () => probe.close())

/** As a client without good behaviour sends it: no URL is mended on the way. */
async function raw(method: string, path: string, head: readonly string[] = [], body = ''): Promise<string> {
  const socket = connect(probe.sandbox.port, '127.0.0.1')
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    'Authorization: Bearer k',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...head,
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer
}

const refusal = (status: number, message: string) => ({
  status,
  body: { error: true, message: expect.stringContaining(message) as string },
})

describe('addresses', () => {
  it.each([
    ['/contact/%zz', 400, 'broken percent sign'],
    ['/contact/%FF', 400, 'broken percent sign'],
    ['/contact/%ED%A0%80', 400, 'broken percent sign'],
    ['/contact/1?fields=%zz', 400, 'broken percent sign'],
    ['/contact//terms', 404, 'nothing at this address'],
    ['/contact/', 404, 'nothing at this address'],
    ['/contact/1/', 404, 'nothing at this address'],
    ['/contact/1/terms/', 404, 'nothing at this address'],
    ['/contact/1/terms/1', 404, 'nothing at this address'],
    ['/terms/', 404, 'nothing at this address'],
    ['//terms', 404, 'nothing at this address'],
    ['', 404, 'nothing at this address'],
    ['/contact/0', 404, 'no such contact'],
    ['/contact/9007199254740993', 404, 'no such contact'],
    [`/contact/${'9'.repeat(400)}`, 404, 'no such contact'],
    ['/contact/abc', 404, 'no such contact'],
    ['/contact/-1', 404, 'no such contact'],
    ['/contact/1.5', 404, 'no such contact'],
    ['/contact/a%40x.de/terms', 404, 'no such contact'],
    ['/terms/0', 404, 'no such term'],
    ['/terms/__proto__', 404, 'no such term'],
    ['/terms/constructor', 404, 'no such term'],
    ['/custom-fields/__proto__', 404, 'no such custom field'],
    ['/custom-fields/99999999999999999999', 404, 'no such custom field'],
    ['/contact/1?fields=nobody', 400, 'fields entry 1 ("nobody") is no field of a contact'],
    ['/contact/1?fields=mail,__proto__', 400, 'fields entry 2 ("__proto__") is no field'],
    ['/contact/1?fields=constructor', 400, 'is no field of a contact'],
    ['/contact/1?fields=', 400, 'is no field of a contact'],
    ['/contact/1?fields=mail,', 400, 'fields entry 2'],
    ['/contact/1?fields=mail&fields=phone', 400, 'fields is given twice'],
    ['/contact/1?fild=mail', 400, 'there is no parameter fild'],
    ['/terms?limit=-1', 400, 'limit must be a whole number'],
    ['/terms?limit=1.5', 400, 'limit must be a whole number'],
    ['/terms?limit=1e2', 400, 'limit must be a whole number'],
    ['/terms?limit=', 400, 'limit must be a whole number'],
    ['/terms?limit=%20', 400, 'limit must be a whole number'],
    ['/terms?limit=501', 400, 'limit must not be larger than 500'],
    ['/custom-fields?limit=501', 400, 'limit must not be larger than 500'],
    ['/contact/1/terms?limit=501', 400, 'limit must not be larger than 500'],
    ['/terms?offset=99999999999999999999', 400, 'offset is too large'],
    [`/terms?offset=${'9'.repeat(400)}`, 400, 'offset is too large'],
    ['/terms?offset=1&offset=2', 400, 'offset is given twice'],
    ['/terms?__proto__=1', 400, 'there is no parameter __proto__'],
  ])('GET %s is refused', async (path, status, message) => {
    expect(await probe.call('GET', path)).toMatchObject(refusal(status, message))
  })

  it.each([
    ['/terms?limit=0', []],
    ['/terms?offset=9007199254740991', []],
    ['/terms?limit=1&offset=1', [{ id: 2, name: 'VIP', description: '' }]],
    ['/contact/1?fields=id', { id: 1 }],
    ['/contact/1?fields=first_name,first_name', { id: 1, first_name: 'Ada' }],
    ['/contact/a%25b%40x.de', []],
    ['/contact/%00%40x', []],
    ['/contact/%F0%9F%98%80%40x.de', []],
    [`/contact/${'a'.repeat(5000)}%40x.de`, []],
  ])('GET %s is taken', async (path, body) => {
    expect(await probe.call('GET', path)).toMatchObject({ status: 200, body })
  })

  it.each([
    "o'neil@x.de",
    'a+b@x.de',
    'a%b@x.de',
    'a/b@x.de',
    'a&b=c@x.de',
    'a#b@x.de',
    'a?b@x.de',
    'ä@x.de',
  ])('%s is found again by its mail', async (mail) => {
    const id = await probe.create({ mail })
    expect((await probe.call('GET', `/contact/${encodeURIComponent(mail)}`)).body).toMatchObject([
      { id, mail },
    ])
  })

  it.each([
    ['OPTIONS', '/terms', 'GET, POST'],
    ['PATCH', '/contact/1', 'GET, PUT, DELETE'],
    ['DELETE', '/terms/1', 'GET, PUT'],
    ['PUT', '/contacts', 'POST'],
    ['POST', '/custom-fields', 'GET'],
  ])('%s %s is not allowed, and what is, is said', async (method, path, allowed) => {
    const answer = await probe.call(method, path)
    expect(answer).toMatchObject(refusal(405, 'method is not allowed'))
    expect(answer.headers.get('allow')).toBe(allowed)
  })

  it('a HEAD is not answered like a GET', async () => {
    expect((await probe.call('HEAD', '/terms')).status).toBe(405)
  })

  it.each([
    ['GET', `${API}/../V1/terms`, 200],
    ['GET', `//evil${API}/terms`, 404],
    // No URL at all: the server under the sandbox refuses it.
    ['GET', `${API}/contact/\\1`, 400],
    ['GET', '/', 404],
    ['GET', '/public/api/V2/terms', 404],
    ['GET', '/public/api/v1/terms', 404],
    ['TRACE', `${API}/terms`, 405],
  ])('raw %s %s is answered %i', async (method, path, status) => {
    expect(await raw(method, path)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it('without the key nothing is told about an address', async () => {
    for (const path of ['/terms', '/nowhere', '/contact/%zz'])
      expect(await probe.call('PATCH', path, undefined, { authorization: 'Basic k' })).toMatchObject(
        refusal(401, 'API key'),
      )
  })
})

describe('bodies', () => {
  const withMail = (fields: string): string => `{"contact":{"mail":"b@x.de",${fields}}}`
  it.each([
    ['', 400, 'the body is no JSON'],
    ['{', 400, 'the body is no JSON'],
    ['NaN', 400, 'the body is no JSON'],
    ['\ufeff{"contact":{"mail":"b@x.de"}}', 400, 'the body is no JSON'],
    ['['.repeat(100_000), 400, 'the body is no JSON'],
    [withMail('"first_name":"\\ud800"'), 400, 'the body is no JSON'],
    [withMail('"first_name":"\\\\\\uDC00"'), 400, 'the body is no JSON'],
    ['null', 422, 'the body must be an object'],
    ['[]', 422, 'the body must be an object'],
    ['1', 422, 'the body must be an object'],
    ['"x"', 422, 'the body must be an object'],
    ['{}', 422, 'contact must be an object'],
    ['{"contact":null}', 422, 'contact must be an object'],
    ['{"contact":[]}', 422, 'contact must be an object'],
    [`{"contact":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 422, 'contact must be an object'],
    ['{"__proto__":{"contact":{"mail":"b@x.de"}}}', 422, 'contact must be an object'],
    ['{"contact":{"mail":"b@x.de"},"merge":"add"}', 422, 'there is no field merge'],
    [
      '{"contact":{"mail":"b@x.de"},"duplicate_check_method":null}',
      422,
      'duplicate_check_method must be one of',
    ],
    [
      '{"contact":{"mail":"b@x.de"},"duplicate_merge_method":"all"}',
      422,
      'duplicate_merge_method must be one of',
    ],
    [withMail('"__proto__":{"mail":"c@x.de"}'), 422, 'there is no field __proto__'],
    [withMail('"constructor":1'), 422, 'there is no field constructor'],
    [withMail('"id":5'), 422, 'there is no field id'],
    [withMail('"first_name":[]'), 422, 'first_name must be text'],
    [withMail('"first_name":{}'), 422, 'first_name must be text'],
    [withMail('"first_name":7'), 422, 'first_name must be text'],
    ['{"contact":{"mail":[]}}', 422, 'mail must be text'],
    [withMail('"title":["m"]'), 422, 'title must be one of m, f'],
    [withMail('"mail2":"x"'), 422, 'mail2 must be a valid e-mail address'],
    [withMail('"mail_status":"7"'), 422, 'mail_status must be one of 1, 2, 3, 4, 7'],
    [withMail('"mail_status":true'), 422, 'mail_status must be one of'],
    [withMail('"mail_status":[7]'), 422, 'mail_status must be one of'],
    [withMail('"date_of_birth":"1980-01-01T00:00:00+99:99"'), 422, 'date_of_birth must have the shape'],
    [withMail('"date_of_birth":"1980-01-01T00:00:00Z"'), 422, 'date_of_birth must have the shape'],
    [withMail('"date_of_birth":"1981-02-29T00:00:00+00:00"'), 422, 'date_of_birth must have the shape'],
    [withMail('"ba_country":"de"'), 422, 'ba_country must be an ISO 3166-1'],
    [withMail('"ba_country":"XX"'), 422, 'ba_country must be an ISO 3166-1'],
    [withMail('"interests":[["books"]]'), 422, 'interests must be a list out of'],
    [withMail('"interests":"books"'), 422, 'interests must be a list out of'],
    [withMail('"revenue":1e999'), 422, 'revenue must be a number'],
    [withMail('"revenue":"1"'), 422, 'revenue must be a number'],
    [withMail('"shoe_size":1e300'), 422, 'shoe_size must be an integer'],
    [withMail('"shoe_size":1.5'), 422, 'shoe_size must be an integer'],
    [withMail('"newsletter_consent":"yes"'), 422, 'newsletter_consent must be true or false'],
    [withMail('"terms":null'), 422, 'terms must be a list of term ids'],
    [withMail('"terms":{"0":1}'), 422, 'terms must be a list of term ids'],
    [withMail('"terms":["1"]'), 422, 'terms entry 1 must be a term id'],
    [withMail('"terms":[1,1.5]'), 422, 'terms entry 2 must be a term id'],
    [withMail('"terms":[1e20]'), 422, 'terms entry 1 must be a term id'],
    [withMail('"terms":[9007199254740991]'), 422, 'there is no term 9007199254740991'],
    [
      '{"contact":{"first_name":" ","family_name":" ","ba_street":" ","ba_city":" ","ba_postal_code":" "}}',
      422,
      'missing: first_name, family_name, ba_street, ba_city, ba_postal_code',
    ],
  ])('POST /contact %.70s is refused', async (body, status, message) => {
    expect(await probe.call('POST', '/contact', body)).toMatchObject(refusal(status, message))
    expect((await probe.call('GET', '/contact/b%40x.de')).body).toEqual([])
  })

  it.each([
    ['{}', 'contacts must be an array or an object of contacts'],
    ['{"contacts":null}', 'contacts must be an array or an object'],
    ['{"contacts":"x"}', 'contacts must be an array or an object'],
    ['{"contacts":[]}', 'contacts must hold at least one contact'],
    ['{"contacts":{}}', 'contacts must hold at least one contact'],
    ['{"contacts":[null]}', 'contact 1 of the call: it must be an object'],
    ['{"contacts":[{"mail":"b@x.de"},[]]}', 'contact 2 of the call: it must be an object'],
    [
      '{"contacts":[{"mail":"b@x.de"},{"mail":""}]}',
      'contact 2 of the call: each contact must have a valid mail',
    ],
    ['{"contacts":{"0":{"mail":"b@x.de"},"__proto__":{"mail":"x"}}}', 'contact 2 of the call: mail must be'],
    [
      '{"contacts":[{"mail":"b@x.de"},{"mail":"c@x.de","terms":[77]}]}',
      'contact 2 of the call: there is no term 77',
    ],
    ['{"contacts":[{"mail":"b@x.de"}],"contact":{}}', 'there is no field contact'],
  ])('POST /contacts %.70s is refused', async (body, message) => {
    expect(await probe.call('POST', '/contacts', body)).toMatchObject(refusal(422, message))
    expect((await probe.call('GET', '/contact/b%40x.de')).body).toEqual([])
  })

  it.each([
    [
      '/contact/1',
      '{"mail":""}',
      422,
      'a contact needs an e-mail address, or a full address; missing: family_name',
    ],
    ['/contact/1', '{"mail":null,"terms":[1]}', 422, 'a contact needs an e-mail address, or a full address'],
    ['/contact/1', '{"id":1}', 422, 'there is no field id'],
    ['/contact/1', '{"contact":{"phone":"1"}}', 422, 'there is no field contact'],
    ['/contact/1', '{"terms":[99],"phone":"1"}', 422, 'there is no term 99'],
    ['/contact/1', '[]', 422, 'the body must be an object'],
    ['/contact/99', '{}', 404, 'no such contact'],
    ['/contact/a%40x.de', '{}', 404, 'no such contact'],
    ['/terms/1', '{"name":""}', 422, 'name must not be empty'],
    ['/terms/1', '{"name":"vip"}', 409, 'another term has this name'],
    ['/terms/1', '{"name":null}', 422, 'name must be text'],
    ['/terms/1', '{"description":1}', 422, 'description must be text'],
    ['/terms/1', '{"id":2}', 422, 'there is no field id'],
    ['/terms/1', 'null', 422, 'the body must be an object'],
    ['/terms/99', '{}', 404, 'no such term'],
    ['/terms/Kunde', '{}', 404, 'no such term'],
  ])('PUT %s %s is refused, and changes nothing', async (path, body, status, message) => {
    expect(await probe.call('PUT', path, body)).toMatchObject(refusal(status, message))
    expect((await probe.call('GET', '/contact/1?fields=mail,phone,terms')).body).toEqual({
      id: 1,
      mail: 'a@x.de',
      phone: null,
      terms: [],
    })
    expect((await probe.call('GET', '/terms/1')).body).toEqual({ id: 1, name: 'Kunde', description: '' })
  })

  it.each(['POST', 'PUT', 'DELETE'])(
    '%s of terms takes nothing but a list of ids that there are',
    async (method) => {
      await probe.call('POST', '/contact/1/terms', [1])
      for (const body of [
        'null',
        '{}',
        '1',
        '["1"]',
        '[0]',
        '[-1]',
        '[1.5]',
        '[1e20]',
        '[[1]]',
        '[null]',
        '{"0":1}',
      ])
        expect(await probe.call(method, '/contact/1/terms', body)).toMatchObject(refusal(422, 'must be'))
      expect(await probe.call(method, '/contact/1/terms', '[1,99]')).toMatchObject(
        refusal(422, 'there is no term 99'),
      )
      expect(await probe.call(method, '/contact/1/terms')).toMatchObject(refusal(415, 'application/json'))
      expect(await probe.call(method, '/contact/99/terms', '[1]')).toMatchObject(
        refusal(404, 'no such contact'),
      )
      expect(await probe.field(1, 'terms')).toEqual([1])
    },
  )

  it.each([
    ['PUT', '/contact/1', '{}'],
    ['PUT', '/terms/1', '{}'],
    ['PUT', '/terms/1', '{"name":"KUNDE"}'],
    ['PUT', '/contact/1/terms', '[1,1]'],
    ['POST', '/contact/1/terms', '[]'],
  ])('%s %s %s is taken', async (method, path, body) => {
    expect(await probe.call(method, path, body)).toMatchObject({ status: 200, body: { success: 'true' } })
  })

  it('a term may be named by digits, and is found by them where they are no id', async () => {
    const { body } = await probe.call('POST', '/terms', { name: '2' })
    expect(body).toEqual({ id: 3 })
    expect((await probe.call('GET', '/terms/2')).body).toMatchObject({ name: 'VIP' })
    expect((await probe.call('GET', '/terms/3')).body).toMatchObject({ name: '2' })
    expect((await probe.call('POST', '/terms', { name: '42' })).body).toEqual({ id: 4 })
    expect((await probe.call('GET', '/terms/42')).body).toEqual({ id: 4, name: '42', description: '' })
    expect((await probe.call('POST', '/terms', { name: '42' })).body).toEqual({ id: 4 })
    expect((await probe.call('PUT', '/terms/42', { name: 'x' })).status).toBe(404)
  })

  it('whole surrogate pairs and escaped backslashes are text like any other', async () => {
    const id = await probe.create({ mail: 'b@x.de', first_name: '😀', family_name: '\\ud800' })
    expect(await probe.field(id, 'first_name')).toBe('😀')
    expect(await probe.field(id, 'family_name')).toBe('\\ud800')
  })

  it('a delete that has no body in the interface is sent without', async () => {
    expect(await probe.call('DELETE', '/contact/1', '{}')).toMatchObject(refusal(400, 'has no body'))
    expect((await probe.call('DELETE', '/contact/1')).status).toBe(200)
  })

  it.each([
    ['application/json', 200],
    ['APPLICATION/JSON', 200],
    ['application/json;charset="UTF-8"', 200],
    ['application/json; charset=latin1', 415],
    ['application/jsonx', 415],
    ['application/json, text/plain', 415],
    ['text/json', 415],
    ['text/plain', 415],
  ])('a body as %s: %i', async (type, status) => {
    const answer = await probe.call('POST', '/terms', '{"name":"a"}', { 'content-type': type })
    expect(answer.status).toBe(status)
    if (status === 415) expect(answer).toMatchObject(refusal(415, 'application/json in UTF-8'))
  })

  it('bytes that are no UTF-8 are refused', async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"name":"'), 0xff, 0x22, 0x7d])
    expect(await probe.call('POST', '/terms', bytes)).toMatchObject(refusal(400, 'the body is no UTF-8'))
  })

  it('no body makes it fail', async () => {
    const place = fc.constantFrom<[string, string]>(
      ['POST', '/contact'],
      ['POST', '/contacts'],
      ['PUT', '/contact/1'],
      ['PUT', '/terms/1'],
      ['POST', '/terms'],
      ['DELETE', '/contact/1/terms'],
    )
    const text = fc.oneof(
      fc.json(),
      fc.string(),
      fc.jsonValue().map((contact) => JSON.stringify({ contact })),
      fc.jsonValue().map((contacts) => JSON.stringify({ contacts })),
      fc
        .jsonValue()
        .map((value) => JSON.stringify({ name: value, mail: value, revenue: value, terms: value })),
    )
    await fc.assert(
      fc.asyncProperty(place, text, async ([method, path], body) => {
        const answer = await probe.call(method, path, body)
        expect(answer.status).toBeLessThan(500)
        expect(answer.type).toContain('application/json')
      }),
      { numRuns: 200 },
    )
  })
})
