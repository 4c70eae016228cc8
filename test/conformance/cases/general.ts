// Sections 1, 4 (general rules), 7, 8 and 9: what is true of every endpoint.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import { isObject, isRefused, told } from '../world.ts'

const rule = ruleOf('4')
const anError = openOf('7')

export const GENERAL = [
  openOf('1')('https', 'All requests use HTTPS; plain HTTP is not supported', async ({ baseUrl }) =>
    Promise.resolve(`asked over ${new URL(baseUrl).protocol.replace(':', '')}`),
  ),
  rule('json-answers', 'Answers are JSON', async ({ call }) => {
    const answer = await call('GET', '/terms')
    must(answer.json !== undefined, `GET /terms is no JSON: ${told(answer)}`)
    const type = answer.headers.get('content-type') ?? 'nothing'
    must(type.includes('json'), `the content type is ${type}`)
    return undefined
  }),
  rule(
    'success',
    'An operation that changes data answers {"success": "true"}, a string',
    async ({ call, make, makeTerm }) => {
      const [id, term] = [await make(), await makeTerm()]
      const operations = [
        ['PUT', `/contact/${id}`, { company: 'X' }],
        ['POST', `/contact/${id}/terms`, [term.id]],
        ['PUT', `/contact/${id}/terms`, [term.id]],
        ['DELETE', `/contact/${id}/terms`, [term.id]],
        ['PUT', `/terms/${term.id}`, { description: 'changed' }],
        ['DELETE', `/contact/${id}`, undefined],
      ] as const
      for (const [method, path, body] of operations)
        mustEqual(
          (await call(method, path, { body })).json,
          { success: 'true' },
          `the answer to ${method} ${path}`,
        )
      return undefined
    },
  ),
  rule(
    'get-is-safe',
    'GET reads: asking twice gives the same and changes nothing',
    async ({ call, make }) => {
      const id = await make({ company: 'Same' })
      const path = `/contact/${id}?fields=mail,company`
      mustEqual((await call('GET', path)).text, (await call('GET', path)).text, 'the second answer')
      return undefined
    },
  ),
  rule('version', '<api_version> is V1 in every endpoint', async ({ call }) => {
    mustEqual((await call('GET', '/terms', { version: 'V1' })).status, 200, 'the status under V1')
    return undefined
  }),
  openOf('9')('other-version', 'Compatibility of versions: not shown', async ({ call }) => {
    return `V0 is answered ${(await call('GET', '/terms', { version: 'V0' })).status}`
  }),
  anError('error-shape', 'Error body shape: not shown', async ({ call }) => {
    const { json, status, text } = await call('GET', '/nowhere')
    const shape = isObject(json)
      ? `JSON with ${Object.keys(json).join(', ')}`
      : text === ''
        ? 'empty'
        : 'no JSON object'
    return `an unknown path: ${status}, ${shape}`
  }),
  anError('broken-json', 'A body that is no JSON: not shown', async ({ call }) =>
    told(await call('POST', '/contact', { body: '{"contact":' })),
  ),
  anError(
    'no-json-type',
    'A body without Content-Type: application/json: not shown',
    async ({ call, newMail }) => {
      const body = JSON.stringify({ contact: { mail: newMail() }, duplicate_check_method: 'none' })
      return told(await call('POST', '/contact', { body, contentType: 'text/plain' }))
    },
  ),
  anError('wrong-verb', 'A verb that an address does not know: not shown', async ({ call }) =>
    told(await call('PUT', '/contacts', { body: {} })),
  ),
  anError('unknown-contact', 'A contact that does not exist: not shown', async ({ call, make }) => {
    const id = await make()
    await call('DELETE', `/contact/${id}`)
    const put = await call('PUT', `/contact/${id}`, { body: { company: 'X' } })
    const again = await call('DELETE', `/contact/${id}`)
    return `GET ${(await call('GET', `/contact/${id}`)).status}, PUT ${put.status}, DELETE ${again.status}`
  }),
  openOf('8')('rate-limits', 'Rate limits: not shown', async ({ call }) => {
    const { headers } = await call('GET', '/terms?limit=1')
    const names = [...headers.keys()].filter((name) => /rate-?limit|retry-after/.test(name))
    return names.length === 0 ? 'no header tells of any' : `headers: ${names.join(', ')}`
  }),
  openOf('8')(
    'custom-field-paging',
    'limit and offset elsewhere than on terms: not documented',
    async ({ call }) => {
      const answer = await call('GET', '/custom-fields?limit=1')
      return isRefused(answer)
        ? told(answer)
        : `GET /custom-fields?limit=1 gives ${Array.isArray(answer.json) ? answer.json.length : 'no array'}`
    },
  ),
]
