// Access to the pages: for a signed-in session, or a request with the token. Signing in sets a cookie that no
// script can read and no other site can send; whatever changes something is asked only from pages of our own.
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { cameFrom } from './guarded.ts'
import type { AccountChoice } from './html/layout.ts'
import { closedPage, problemPage, signInPage } from './pages/sign-in.ts'
import type { Session, Sessions } from './sessions.ts'
import { bearerToken, RETRY_AFTER_S, type TokenGate, type TokenHolder } from './token.ts'

export interface PageEnv {
  readonly Variables: {
    /** Undefined: the request has no session, but the token. */
    readonly session: Session | undefined
    /** The page has asked by itself, not the user. */
    readonly isRefresh: boolean
    /** Who asks. */
    readonly holder: TokenHolder
    /** Where there are several. */
    readonly account: AccountChoice | undefined
  }
}

const COOKIE = 'contact_sync_session'
const LONGEST_PATH = 500

/** A path of the console to continue to after signing in: never another site's address. */
function ownPath(path: unknown): string {
  return typeof path === 'string' &&
    path.length <= LONGEST_PATH &&
    /^\/(?![/\\])[!-~]*$/.test(path) &&
    !path.includes('\\')
    ? path
    : '/'
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined

/** Browsers say where a request comes from, and pages cannot change what they say. */
function isOwnPage(context: Context): boolean {
  const site = context.req.header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = context.req.header('origin')
  return origin !== undefined && hostOf(origin) === context.req.header('host')?.toLowerCase()
}

/** Behind a proxy that speaks https, or by https itself: then the cookie never goes without. */
const isSecure = (context: Context): boolean =>
  context.req.header('x-forwarded-proto') === 'https' || context.req.url.startsWith('https:')

function writeCookie(context: Context, value: string): void {
  const age = value === '' ? { maxAge: 0 } : {}
  const secure = isSecure(context)
  setCookie(context, COOKIE, value, { httpOnly: true, sameSite: 'Strict', path: '/', secure, ...age })
}

export const ownPagesOnly: MiddlewareHandler = async (context, next) => {
  if (context.req.method === 'GET' || context.req.method === 'HEAD' || isOwnPage(context)) return next()
  const text = 'This request did not come from a page of this console. Open the console and try again.'
  return context.html(problemPage('Refused', text), 403)
}

/** The page that says why there is no access, where no token is configured. */
export function openOnly(gate: TokenGate): MiddlewareHandler {
  return async (context, next) => (gate.isOpen() ? next() : context.html(closedPage(), 403))
}

const isCurrent =
  (gate: TokenGate) =>
  (holder: string): boolean =>
    gate.holder(holder) !== undefined

export function signedInOnly(gate: TokenGate, sessions: Sessions): MiddlewareHandler<PageEnv> {
  return async (context, next) => {
    const shown = bearerToken(context.req.header('authorization'))
    const sender =
      shown !== undefined && gate.judge(shown, cameFrom(context)) === 'right'
        ? gate.holderOf(shown)
        : undefined
    if (sender !== undefined) {
      context.set('holder', sender)
      context.set('session', undefined)
      context.set('isRefresh', false)
      return next()
    }
    const asked = { isCurrent: isCurrent(gate), path: context.req.path }
    const found = await sessions.find(getCookie(context, COOKIE), asked)
    const holder = found === undefined ? undefined : gate.holder(found.holder)
    if (found === undefined || holder === undefined) {
      const { pathname, search } = new URL(context.req.url)
      const path = context.req.method === 'GET' ? ownPath(pathname + search) : '/'
      return context.redirect(path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`, 303)
    }
    context.set('holder', holder)
    context.set('session', found.session)
    context.set('isRefresh', found.isRefresh)
    return next()
  }
}

const STATUSES = { wrong: 401, throttled: 429 } as const

/** `/sign-in` and `/sign-out`. */
export function accessRoutes(app: Hono<PageEnv>, gate: TokenGate, sessions: Sessions): void {
  app.get('/sign-in', async (context) => {
    const next = ownPath(context.req.query('next'))
    const asked = { isCurrent: isCurrent(gate), path: '/sign-in' }
    const found = await sessions.find(getCookie(context, COOKIE), asked)
    return found === undefined ? context.html(signInPage(next)) : context.redirect(next, 303)
  })
  app.post('/sign-in', async (context) => {
    const body = await context.req.parseBody()
    const next = ownPath(body['next'])
    const token = typeof body['token'] === 'string' ? body['token'].trim() : ''
    const verdict = gate.judge(token, cameFrom(context))
    const holder = verdict === 'right' ? gate.holderOf(token) : undefined
    if (holder !== undefined) {
      // Never the former id: someone else may have set it.
      await sessions.end(getCookie(context, COOKIE))
      writeCookie(context, await sessions.begin(holder.id))
      return context.redirect(next, 303)
    }
    if (verdict === 'throttled') context.header('retry-after', String(RETRY_AFTER_S))
    const trouble = verdict === 'throttled' ? 'throttled' : 'wrong'
    return context.html(signInPage(next, trouble), STATUSES[trouble])
  })
  app.post('/sign-out', async (context) => {
    await sessions.end(getCookie(context, COOKIE))
    writeCookie(context, '')
    return context.redirect('/sign-in', 303)
  })
}
