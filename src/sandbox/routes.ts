// The endpoints of the interface (section 4), over the sandbox's contacts, terms and custom fields.
import { timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { Clock } from '../core/ports.ts'
import { createContacts } from './contacts.ts'
import { customField, customFields } from './custom-fields.ts'
import { Failure } from './failure.ts'
import type { Habits } from './habits.ts'
import {
  fieldNames,
  idOf,
  idsBody,
  isId,
  membersOf,
  methodsOf,
  newTerm,
  objectBody,
  pageOf,
  termChanges,
} from './requests.ts'
import type { Db } from './tables.ts'
import { createTerms } from './terms.ts'

export interface RouteOptions {
  readonly db: Db
  readonly apiKey: string
  readonly habits: Habits
  readonly clock: Clock
}

const PREFIX = '/public/api/V1'
const LARGEST_BODY = 4 * 1024 * 1024

function keyFits(header: string | undefined, apiKey: string): boolean {
  const given = Buffer.from(header ?? '')
  const wanted = Buffer.from(`Bearer ${apiKey}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

async function jsonBody(context: Context): Promise<unknown> {
  if (!(context.req.header('content-type') ?? '').includes('json'))
    throw new Failure(415, 'the body must be JSON')
  const text = await context.req.text()
  if (text.length > LARGEST_BODY) throw new Failure(413, 'the body is too large')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new Failure(400, 'the body is no JSON')
  }
}

function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asText)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === 'id' ? String(inner) : asText(inner)]),
  )
}

/** Answers in the shape that the habits ask for. */
function createAnswers(habits: Habits) {
  const shaped = (value: unknown): unknown => (habits.idsAsText ? asText(value) : value)
  return {
    one: (context: Context, value: object) => context.json(shaped(value) as object),
    list: (context: Context, values: readonly unknown[]) => {
      const shapedValues = values.map(shaped)
      return context.json(
        habits.keyedLists
          ? Object.fromEntries(shapedValues.map((value, index) => [String(index), value]))
          : shapedValues,
      )
    },
    success: (context: Context) => context.json({ success: habits.success }),
  }
}

type Answers = ReturnType<typeof createAnswers>

function contactRoutes(app: Hono, options: RouteOptions, answers: Answers): void {
  const terms = createTerms(options.db)
  const contacts = createContacts(options.db, terms, options.habits)
  app.post('/contact', async (context) => {
    const body = objectBody(await jsonBody(context))
    return answers.one(context, { id: contacts.create(objectBody(body['contact']), methodsOf(body)) })
  })
  app.post('/contacts', async (context) => {
    const body = objectBody(await jsonBody(context))
    const members = contacts.createMany(membersOf(body['contacts']), methodsOf(body))
    return answers.list(context, options.habits.reversedBulk ? members.reverse() : members)
  })
  app.get('/contact/:place', (context) => {
    const place = context.req.param('place')
    const fields = fieldNames(context.req.query('fields'))
    if (isId(place)) return answers.one(context, contacts.byId(idOf(place), fields))
    const found = contacts.byMail(place, fields)
    if (found.length === 0 && options.habits.unknownMailIs404)
      throw new Failure(404, 'there is no such contact')
    return answers.list(context, found)
  })
  app.put('/contact/:id', async (context) => {
    contacts.update(idOf(context.req.param('id')), objectBody(await jsonBody(context)))
    return answers.success(context)
  })
  app.delete('/contact/:id', (context) => {
    contacts.delete(idOf(context.req.param('id')))
    return answers.success(context)
  })
  const contactId = (context: Context): number => {
    const id = idOf(context.req.param('id') ?? '')
    contacts.assertThere(id)
    return id
  }
  app.get('/contact/:id/terms', (context) => answers.list(context, terms.ofContact(contactId(context))))
  const changes = { post: terms.set, put: terms.add, delete: terms.remove }
  for (const [method, change] of Object.entries(changes))
    app.on(method.toUpperCase(), '/contact/:id/terms', async (context) => {
      change(contactId(context), idsBody(await jsonBody(context)))
      return answers.success(context)
    })
}

function termRoutes(app: Hono, options: RouteOptions, answers: Answers): void {
  const terms = createTerms(options.db)
  app.get('/terms', (context) => answers.list(context, terms.list(pageOf(context.req.query()))))
  app.get('/terms/:place', (context) => {
    const place = context.req.param('place')
    return answers.one(context, isId(place) ? terms.byId(idOf(place)) : terms.byName(place))
  })
  app.post('/terms', async (context) => {
    const { name, description } = newTerm(await jsonBody(context))
    return answers.one(context, { id: terms.create(name, description) })
  })
  app.put('/terms/:id', async (context) => {
    terms.update(idOf(context.req.param('id')), termChanges(await jsonBody(context)))
    return answers.success(context)
  })
  app.get('/custom-fields', (context) => {
    const { offset, limit } = pageOf(context.req.query())
    return answers.list(context, customFields().slice(offset, offset + limit))
  })
  app.get('/custom-fields/:place', (context) => answers.one(context, customField(context.req.param('place'))))
}

/** Counts over a sliding window, as services do. */
function throttle(app: Hono, { habits, clock }: RouteOptions): void {
  const limit = habits.rateLimit
  if (limit === undefined) return
  let seen: number[] = []
  app.use(async (context, next) => {
    const now = clock.now()
    seen = seen.filter((at) => at > now - limit.perMs)
    context.header('X-Rate-Limit-Limit', String(limit.requests))
    context.header('X-Rate-Limit-Remaining', String(Math.max(0, limit.requests - seen.length - 1)))
    if (seen.length >= limit.requests) {
      const [oldest = now] = seen
      const seconds = Math.max(1, Math.ceil((oldest + limit.perMs - now) / 1000))
      context.header('Retry-After', String(seconds))
      return context.json({ error: true, message: 'too many requests' }, 429)
    }
    seen.push(now)
    await next()
    return undefined
  })
}

export function createRoutes(options: RouteOptions): Hono {
  const api = new Hono()
  const answers = createAnswers(options.habits)
  throttle(api, options)
  api.use(async (context, next) => {
    if (!keyFits(context.req.header('authorization'), options.apiKey))
      throw new Failure(401, 'the API key is missing or wrong')
    if (options.habits.latencyMs > 0) await options.clock.sleep(options.habits.latencyMs)
    await next()
  })
  contactRoutes(api, options, answers)
  termRoutes(api, options, answers)
  /** Addresses that have an endpoint, whatever its method: how many segments, and the first of them. */
  const place = (path: string): string => `${path.split('/').length} ${path.split('/')[1] ?? ''}`
  const known = new Set(api.routes.filter(({ method }) => method !== 'ALL').map(({ path }) => place(path)))
  const app = new Hono()
  app.route(PREFIX, api)
  app.notFound((context) => {
    const { path } = context.req
    if (path.startsWith(`${PREFIX}/`) && known.has(place(path.slice(PREFIX.length))))
      return context.json({ error: true, message: 'this method is not allowed here' }, 405)
    return context.json({ error: true, message: 'there is nothing at this address' }, 404)
  })
  app.onError((error, context) => {
    if (error instanceof Failure) return context.json({ error: true, message: error.message }, error.status)
    return context.json({ error: true, message: 'the sandbox failed' }, 500)
  })
  return app
}
