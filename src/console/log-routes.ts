// Addresses of the sync log: its entries, one of them, and whether it is whole.
import type { Hono } from 'hono'
import type { LogFilter } from '../core/log/sync-log.ts'
import type { PageEnv } from './access.ts'
import { missing, oneOf, ROWS, runIdOf, show, startOf, wholeNumber } from './asked.ts'
import type { ConsoleData } from './data.ts'
import { DAY_MS } from '../core/words/duration.ts'
import { address } from './html/table.ts'
import { ACTIONS, entryPage, logPage, logPersonsPage, type LogQuery, OUTCOMES_LOGGED } from './pages/log.ts'
import { verificationPage } from './pages/verification.ts'

const LONGEST_FIELD = 100
const LONGEST_PERSON = 320

/** A day in UTC, in milliseconds since the epoch. */
function dayOf(text: string | undefined): number | undefined {
  const at = text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN
  return Number.isNaN(at) ? undefined : at
}

type Asked = (name: keyof LogQuery) => string | undefined

/** What of it can be asked for: the rest is left out. */
function logQuery(asked: Asked, pipelines: readonly string[]) {
  const field = asked('field')?.trim().slice(0, LONGEST_FIELD)
  return {
    run: runIdOf(asked('run')),
    pipeline: oneOf(asked('pipeline'), pipelines),
    action: oneOf(asked('action'), ACTIONS),
    outcome: oneOf(asked('outcome'), OUTCOMES_LOGGED),
    field: field === '' ? undefined : field,
    since: dayOf(asked('since')) === undefined ? undefined : asked('since'),
    until: dayOf(asked('until')) === undefined ? undefined : asked('until'),
    person: wholeNumber(asked('person')) === undefined ? undefined : asked('person'),
  }
}

/** Without the keys that are not asked for. */
function logFilter(query: ReturnType<typeof logQuery>): LogFilter {
  const { since, until, person, ...rest } = query
  const last = dayOf(until)
  const asked = {
    ...rest,
    since: dayOf(since),
    until: last === undefined ? undefined : last + DAY_MS,
    person: wholeNumber(person),
  }
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

const pipelineNames = (data: ConsoleData): string[] => data.live().pipelines.map(({ name }) => name)

/** Asked for by a form, so that whom it is about stands in no address. */
function personRoute(app: Hono<PageEnv>, data: ConsoleData): void {
  app.post('/log', async (context) => {
    const form = await context.req.parseBody()
    const asked: Asked = (name) => {
      const value = form[name]
      return typeof value === 'string' ? value : undefined
    }
    const query = logQuery(asked, pipelineNames(data))
    const who = typeof form['who'] === 'string' ? form['who'].trim().slice(0, LONGEST_PERSON) : ''
    const persons = who === '' ? [] : await data.log.people(who)
    const [only] = persons
    if (only === undefined || persons.length > 1) return show(context, logPersonsPage(query, persons))
    return context.redirect(address('/log', { ...query, person: String(only.person) }), 303)
  })
}

export function logRoutes(app: Hono<PageEnv>, data: ConsoleData): void {
  personRoute(app, data)
  app.get('/log', async (context) => {
    const pipelines = pipelineNames(data)
    const query = logQuery((name) => context.req.query(name), pipelines)
    const from = startOf(context)
    const before = wholeNumber(from)
    const range = {
      order: 'newest',
      limit: ROWS + 1,
      ...(before === undefined ? {} : { from: before }),
    } as const
    const entries = await data.log.logPage(logFilter(query), range)
    const rows = entries.slice(0, ROWS)
    const next = entries.length > ROWS ? String(rows.at(-1)?.seq) : undefined
    return show(context, logPage({ pipelines, query, from, entries: { rows, next } }))
  })
  app.get('/log/verification', async (context) =>
    show(context, verificationPage(await data.log.verification(), data.live().now)),
  )
  app.get('/log/:seq', async (context) => {
    const seq = wholeNumber(context.req.param('seq'))
    const entry = seq === undefined ? undefined : await data.log.logEntry(seq)
    if (entry === undefined) return missing(context)
    return show(context, entryPage(entry, await data.views.isConfigurationKept(entry.config_hash)))
  })
}
