// The server of the interface: every endpoint of the table at its address, behind the key, the rate limit and the
// habits of the line. What an endpoint does lies with its room.
import { type Context, Hono, type HonoRequest, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Clock } from '../core/ports.ts'
import { isRightSecret, secretDigest } from '../core/words/secrets/secret-digest.ts'
import { answer, answerRefusal, answerSuccess, page } from './answers.ts'
import { contactEndpoints } from './contact-endpoints.ts'
import { type ContactRules, createContactRules } from './contact-rules.ts'
import { createContacts } from './contacts.ts'
import { type Definition, PLAIN_DEFINITIONS } from './custom-fields.ts'
import { type Endpoint, success } from './endpoint.ts'
import { Failure } from './failure.ts'
import type { Habits } from './habits.ts'
import { openApiDocument } from './openapi/document.ts'
import { checked, jsonBody, queryOf } from './requests.ts'
import type { Db } from './tables.ts'
import { customFieldEndpoints, termEndpoints } from './term-endpoints.ts'
import { createTerms } from './terms.ts'
import { throttle } from './throttle.ts'

interface RouteOptions {
  readonly db: Db
  readonly apiKey: string
  readonly habits: Habits
  /** Of custom fields; the plain ones where it says nothing. */
  readonly definitions?: readonly Definition[]
  readonly clock: Clock
}

/** Before every path of the interface. */
export const PREFIX = '/public/api/V1'
const LOGIN = '/user/login'
const LARGEST_BODY = 4 * 1024 * 1024

function createEndpoints(
  { db, habits, definitions = PLAIN_DEFINITIONS }: RouteOptions,
  rules: ContactRules,
): Endpoint[] {
  const terms = createTerms(db, habits)
  const contacts = createContacts(db, terms, habits)
  return [
    ...contactEndpoints({ db, contacts, terms, habits, rules }),
    ...termEndpoints(terms, habits),
    ...customFieldEndpoints(habits, definitions),
  ]
}

function authorise(apiKey: string): MiddlewareHandler {
  const wanted = secretDigest(apiKey)
  return (context, next) => {
    // The scheme is a word in any case (RFC 9110, 11.1); the key is not.
    const [, key = ''] = /^bearer +(.+)$/i.exec(context.req.header('authorization') ?? '') ?? []
    if (isRightSecret(key, wanted)) return next()
    throw new Failure(401, 'the API key is missing or wrong', 'key')
  }
}

function redirect({ redirects }: Habits): MiddlewareHandler {
  return async (context, next) => {
    if (redirects === 'none') return next()
    const { pathname, search } = new URL(context.req.url)
    if (redirects === 'other-host')
      return context.redirect(`https://moved.example.com${pathname}${search}`, 301)
    return context.redirect(`${LOGIN}?destination=${encodeURIComponent(pathname + search)}`, 302)
  }
}

/** Whether the path, as it was sent, is one of the pattern: as many segments, and none of them empty. */
function isAt(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.slice(PREFIX.length).split('/')
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) =>
      segment.startsWith(':') ? given[index] !== '' : segment === given[index],
    )
  )
}

/** 404 where there is no endpoint, 405 where there is none of this method: the interface has four (4). */
function assertKnown(endpoints: readonly Endpoint[]): MiddlewareHandler {
  return (context, next) => {
    const { pathname } = new URL(context.req.url)
    const there = endpoints.filter(({ path }) => isAt(path, pathname))
    if (there.length === 0) throw new Failure(404, 'there is nothing at this address')
    const methods = there.map(({ method }) => method.toUpperCase())
    // A HEAD would be answered like its GET; `method` of the context says so already.
    if (methods.includes(context.req.raw.method)) return next()
    context.header('Allow', methods.join(', '))
    throw new Failure(405, 'this method is not allowed here')
  }
}

async function bodyOf(
  request: HonoRequest,
  { method, body, bodyKind }: Endpoint,
  habits: Habits,
): Promise<unknown> {
  if (method === 'get') return undefined
  const isMissing = (await request.arrayBuffer()).byteLength === 0
  if (body === undefined) {
    if (!isMissing) throw new Failure(400, 'this request has no body')
    return undefined
  }
  const isLost = method === 'delete' && (habits.deleteBodyLost || (isMissing && habits.emptyTerms === 'all'))
  const sent = isLost ? [] : await jsonBody(request)
  return checked(body, sent, { status: 422, ...(bodyKind === undefined ? {} : { kind: bodyKind }) })
}

function placeOf(context: Context, { place }: Endpoint): unknown {
  if (place === undefined) return undefined
  const parsed = place.schema.safeParse(Object.values(context.req.param())[0])
  if (!parsed.success) throw place.none()
  return parsed.data
}

function serveEndpoint(app: Hono, endpoint: Endpoint, habits: Habits): void {
  app.on(endpoint.method.toUpperCase(), `${PREFIX}${endpoint.path}`, async (context) => {
    const query = checked(endpoint.query, queryOf(context.req), { status: 400, part: 'parameter' })
    const place = placeOf(context, endpoint)
    const value = endpoint.handle({ place, query, body: await bodyOf(context.req, endpoint, habits) })
    if (endpoint.answer === success) return answerSuccess(context, habits)
    return answer(context, endpoint.answer.parse(value) as object, habits)
  })
}

export function createRoutes(options: RouteOptions): Hono {
  const { habits, clock } = options
  const rules = createContactRules(options.definitions ?? PLAIN_DEFINITIONS)
  const endpoints = createEndpoints(options, rules)
  const tooLarge = (): never => {
    throw new Failure(413, 'the body is too large')
  }
  const wait: MiddlewareHandler = async (_, next) => {
    if (habits.latencyMs > 0) await clock.sleep(habits.latencyMs)
    await next()
  }
  const app = new Hono()
  app.use(
    `${PREFIX}/*`,
    wait,
    redirect(habits),
    throttle(habits, clock),
    authorise(options.apiKey),
    assertKnown(endpoints),
    bodyLimit({ maxSize: LARGEST_BODY, onError: tooLarge }),
  )
  for (const endpoint of endpoints) serveEndpoint(app, endpoint, habits)
  app.get(LOGIN, (context) => context.html(page('Log in')))
  app.get('/openapi.json', (context) =>
    context.json(
      openApiDocument({ endpoints, rules, habits }, `${new URL(context.req.url).origin}${PREFIX}`),
    ),
  )
  app.notFound((context) =>
    answerRefusal(context, new Failure(404, 'there is nothing at this address'), habits),
  )
  app.onError((error, context) => {
    if (error instanceof Failure) return answerRefusal(context, error, habits)
    return context.json({ error: true, message: 'the sandbox failed' }, 500)
  })
  return app
}
