// Section 5: every request carries the header `Authorization: Bearer <API_KEY>`.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import { isRefused, told, type World } from '../world.ts'

const rule = ruleOf('5')
const open = openOf('5')

const ENDPOINTS = [
  ['GET', '/terms'],
  ['GET', '/terms/999999999'],
  ['POST', '/terms'],
  ['PUT', '/terms/999999999'],
  ['GET', '/contact/999999999'],
  ['GET', '/contact/nobody%40example.com'],
  ['POST', '/contact'],
  ['POST', '/contacts'],
  ['PUT', '/contact/999999999'],
  ['GET', '/contact/999999999/terms'],
  ['POST', '/contact/999999999/terms'],
  ['PUT', '/contact/999999999/terms'],
  ['GET', '/custom-fields'],
  ['GET', '/custom-fields/999999999'],
] as const

/** What deletes is asked to delete something of our own, or a service without any check would delete another's. */
const DELETES = [
  ['DELETE', '/contact/<id>', undefined],
  ['DELETE', '/contact/<id>/terms', 'terms'],
] as const

async function mustKeep(
  world: World,
  path: string,
  isOfTerms: boolean,
  value: string | undefined,
): Promise<void> {
  const { id: term } = await world.makeTerm()
  const id = await world.make({ terms: [term] })
  await world.call('PUT', `/contact/${id}/terms`, { body: [term] })
  const body = isOfTerms ? { body: [term] } : {}
  const answer = await world.call('DELETE', path.replace('<id>', String(id)), {
    ...body,
    authorization: { value },
  })
  must(answer.status === 401 || answer.status === 403, `DELETE ${path} was answered ${told(answer)}`)
  mustEqual(await world.termIds(id), [term], 'the terms of the contact afterwards')
}

/** Bodies are empty objects, so that a service without any check has nothing to act on. */
async function mustRefuse(
  world: World,
  method: string,
  path: string,
  value: string | undefined,
): Promise<number> {
  const body = method === 'GET' ? {} : { body: {} }
  const answer = await world.call(method, path, { ...body, authorization: { value } })
  must(answer.status === 401 || answer.status === 403, `${method} ${path} was answered ${told(answer)}`)
  return answer.status
}

export const AUTHENTICATION = [
  rule('key-right', 'A request with the right key is served', async ({ call }) => {
    mustEqual((await call('GET', '/terms')).status, 200, 'the status')
    return undefined
  }),
  ...ENDPOINTS.map(([method, path]) =>
    rule(
      `key-missing ${method} ${path}`,
      `Without the header ${method} ${path} is refused`,
      async (world) => {
        await mustRefuse(world, method, path, undefined)
        return undefined
      },
    ),
  ),
  ...DELETES.map(([method, path, terms]) =>
    rule(
      `key-missing ${method} ${path}`,
      `Without the header ${method} ${path} is refused, and deletes nothing`,
      async (world) => {
        await mustKeep(world, path, terms !== undefined, undefined)
        return undefined
      },
    ),
  ),
  rule('key-wrong', 'A wrong key is refused, wherever it is sent', async (world) => {
    for (const [method, path] of ENDPOINTS)
      await mustRefuse(world, method, path, 'Bearer conformance-no-such-key')
    for (const [, path, terms] of DELETES)
      await mustKeep(world, path, terms !== undefined, 'Bearer conformance-no-such-key')
    return undefined
  }),
  rule('key-empty', 'A Bearer header without a key is refused', async (world) => {
    await mustRefuse(world, 'GET', '/terms', 'Bearer ')
    return undefined
  }),
  open('key-status', 'How a refused key is answered: not shown', async ({ call }) =>
    told(await call('GET', '/terms', { authorization: { value: 'Bearer conformance-no-such-key' } })),
  ),
  open('key-other-scheme', 'Another scheme than Bearer: not shown', async ({ call }) => {
    const answer = await call('GET', '/terms', { authorization: { value: 'Basic bm86a2V5' } })
    return isRefused(answer) ? `refused with ${answer.status}` : 'accepted'
  }),
]
