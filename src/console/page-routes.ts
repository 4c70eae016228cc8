// The console: addresses, what each page is made of, and the headers that hold for all of them.
import { Hono, type Context, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { SyncError } from '../core/words/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { SessionStore } from '../core/console-sessions.ts'
import { readOf } from '../core/log/reads.ts'
import { accessRoutes, openOnly, ownPagesOnly, type PageEnv, signedInOnly } from './access.ts'
import { accountRoutes, type ConsoleAccount, pageAccounts } from './accounts.ts'
import { isBrokenOff } from './guarded.ts'
import { decisionRoutes, mayDecide } from './decision-routes.ts'
import { missing, refreshWhile, ROWS, show, startOf } from './asked.ts'
import { ASSETS } from './assets.ts'
import type { ConsoleData } from './data.ts'
import { logRoutes } from './log-routes.ts'
import { alertsPage } from './pages/alerts.ts'
import { configurationPage, formerConfigurationPage } from './pages/configuration.ts'
import { overviewPage } from './pages/overview.ts'
import { awayPage, problemPage } from './pages/sign-in.ts'
import { termsPage } from './pages/terms.ts'
import { recordRoutes } from './record-routes.ts'
import { runRoutes } from './run-routes.ts'
import type { Mount } from './server.ts'
import { createSessions, SessionsUnavailable } from './sessions.ts'
import type { TokenGate } from './token.ts'
import { DAY_MS } from '../core/words/duration.ts'

/** Everything that a page needs lies here, and nothing within it is a script or a style. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const LARGEST_FORM = 16_384
/** Of a signed-in user: a rejected row may have long texts, and a form writes a letter beyond ASCII as six characters or more. */
const LARGEST_CORRECTION = 262_144

export interface PageSettings {
  /** Asked each time: a reload may have changed them. */
  accounts(): readonly ConsoleAccount[]
  readonly gate: TokenGate
  readonly clock: Clock
  readonly sessions: SessionStore
  onFault(error: unknown): void
}

function assetRoutes(app: Hono<PageEnv>): void {
  for (const { path, type, text } of Object.values(ASSETS))
    app.get(path, (context) =>
      context.body(text, 200, {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
      }),
    )
}

function overviewRoutes(app: Hono<PageEnv>, data: ConsoleData): void {
  app.get('/', async (context) => {
    const live = data.live()
    const names = live.pipelines.map(({ name }) => name)
    const [pipelines, days, receivers] = await Promise.all([
      data.views.pipelines(names),
      data.views.days(live.now - 30 * DAY_MS),
      data.alerts(),
    ])
    const requestsOfDay = data.requestsOfDay()
    const compared = data.drift().length
    const parts = {
      ...{ live, pipelines, days, receivers, requestsOfDay, compared },
      mayDecide: mayDecide(context),
    }
    const refresh = refreshWhile(
      live.pipelines.some(({ running }) => running),
      context,
    )
    return show(context, { ...overviewPage(parts), refresh })
  })
  app.get('/alerts', async (context) => {
    const parts = { now: data.live().now, receivers: await data.alerts(), mayDecide: mayDecide(context) }
    return show(context, alertsPage(parts))
  })
  app.get('/terms', async (context) => show(context, termsPage(await data.views.terms(), data.live().now)))
  app.get('/configuration', async (context) => {
    const from = startOf(context)
    const former = await data.views.configurations({ from, limit: ROWS })
    return show(context, configurationPage({ settings: data.configuration(), former, from }))
  })
  app.get('/configuration/:hash', async (context) => {
    const found = await data.views.configuration(context.req.param('hash'))
    return found === undefined ? missing(context) : show(context, formerConfigurationPage(found))
  })
}

/** When it may be there again, in seconds. */
const AWAY_S = 10

const away = (context: Context): Response | Promise<Response> => {
  context.header('retry-after', String(AWAY_S))
  return context.html(awayPage(), 503)
}

/** No session ends, and none begins, while no account is at work: its state is away. */
function whereThereIsOne(accounts: PageSettings['accounts']): MiddlewareHandler {
  return async (context, next) => (accounts().length > 0 ? next() : away(context))
}

function fault(
  error: unknown,
  context: Context,
  onFault: PageSettings['onFault'],
): Response | Promise<Response> {
  if (error instanceof SessionsUnavailable) {
    onFault(error.cause)
    return away(context)
  }
  if (error instanceof SyncError)
    return context.html(problemPage('The state cannot be read', `${error.message}. ${error.hint}`), 503)
  if (!isBrokenOff(context)) onFault(error)
  return context.html(problemPage('Something went wrong', 'See the log of contact-sync.'), 500)
}

const tooLarge = (context: Context): Response | Promise<Response> =>
  context.html(problemPage('Too large', 'The request is larger than any form of this console.'), 413)

const smallForms: MiddlewareHandler<PageEnv> = bodyLimit({ maxSize: LARGEST_FORM, onError: tooLarge })

/** What is confirmed has a limit of its own, once it is known who sends it. */
const limitForms: MiddlewareHandler<PageEnv> = async (context, next) =>
  context.req.path === '/confirm' ? next() : smallForms(context, next)

/** Who looked at data of persons; not what for. */
function notingReads(data: ConsoleData, clock: Clock): MiddlewareHandler<PageEnv> {
  return async (context, next) => {
    await next()
    const read = context.res.status === 200 ? readOf(context.req) : undefined
    // A page that is left open was looked at once.
    if (read === undefined || context.get('isRefresh')) return
    const { name, role } = context.get('holder')
    data.noteRead({ at: clock.now(), by: name, role: name === undefined ? undefined : role, ...read })
  }
}

/** To be mounted last: it answers what no route before it has answered. */
export function pageRoutes({ accounts, gate, clock, sessions: kept, onFault }: PageSettings): Mount {
  const app = new Hono<PageEnv>()
  const { data, chosen } = pageAccounts(accounts)
  const sessions = createSessions(kept)
  app.use(async (context, next) => {
    await next()
    context.header('content-security-policy', POLICY)
    // Not `no-referrer`: browsers would no longer say that a form was sent from our own page.
    context.header('referrer-policy', 'same-origin')
  })
  assetRoutes(app)
  app.use(whereThereIsOne(accounts))
  app.use(openOnly(gate), ownPagesOnly, limitForms)
  accessRoutes(app, gate, sessions)
  app.use(signedInOnly(gate, sessions))
  app.use('/confirm', bodyLimit({ maxSize: LARGEST_CORRECTION, onError: tooLarge }))
  accountRoutes(app)
  app.use(chosen, notingReads(data, clock))
  overviewRoutes(app, data)
  runRoutes(app, data)
  recordRoutes(app, data)
  logRoutes(app, data)
  decisionRoutes(app, data)
  app.all('*', missing)
  app.onError((error, context) => fault(error, context, onFault))
  return (server) => server.route('/', app)
}
