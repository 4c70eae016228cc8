// Addresses of the sync log: its entries, one of them, and whether it is whole.
import type { Hono } from 'hono'
import type { LogFilter } from '../core/log/sync-log.ts'
import type { PageEnv } from './access.ts'
import { missing, oneOf, ROWS, runIdOf, show, startOf, wholeNumber } from './asked.ts'
import type { ConsoleData } from './data.ts'
import { ACTIONS, entryPage, logPage, OUTCOMES_LOGGED } from './pages/log.ts'
import { verificationPage } from './pages/verification.ts'

/** Without the keys that are not asked for. */
function logFilter(asked: { [Key in keyof LogFilter]: LogFilter[Key] | undefined }): LogFilter {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

export function logRoutes(app: Hono<PageEnv>, data: ConsoleData): void {
  app.get('/log', async (context) => {
    const pipelines = data.live().pipelines.map(({ name }) => name)
    const filter = logFilter({
      run: runIdOf(context.req.query('run')),
      pipeline: oneOf(context.req.query('pipeline'), pipelines),
      action: oneOf(context.req.query('action'), ACTIONS),
      outcome: oneOf(context.req.query('outcome'), OUTCOMES_LOGGED),
    })
    const from = startOf(context)
    const before = wholeNumber(from)
    const range = {
      order: 'newest',
      limit: ROWS + 1,
      ...(before === undefined ? {} : { from: before }),
    } as const
    const entries = await data.log.logPage(filter, range)
    const rows = entries.slice(0, ROWS)
    const next = entries.length > ROWS ? String(rows.at(-1)?.seq) : undefined
    return show(context, logPage({ pipelines, filter, from, entries: { rows, next } }))
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
