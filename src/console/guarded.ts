// Rules for every answer of the server: the accepted host names, what browsers may do with it, and that
// only a request with the token sees more than health.
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context, MiddlewareHandler } from 'hono'
import { isOwnHost } from './host.ts'
import { bearerToken, RETRY_AFTER_S, type TokenGate } from './token.ts'

/** Of any answer that does not say otherwise itself. There is no CORS: no other site may read anything. */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The address that a request came from: of the proxy, where one stands before the server. */
export function cameFrom(context: Context): string {
  return getConnInfo(context).remote.address ?? 'unknown'
}

/** Whether the client disconnected before the request was complete: then nothing is wrong here. */
export function isBrokenOff(context: Context): boolean {
  const { incoming } = context.env as {
    readonly incoming?: { readonly complete: boolean; readonly destroyed: boolean }
  }
  return incoming?.complete === false && incoming.destroyed
}

/** Fills in the headers that keep browsers from doing harm; a route may set its own before. */
export const safeHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  for (const [name, value] of Object.entries(HEADERS))
    if (!context.res.headers.has(name)) context.res.headers.set(name, value)
}

/** Refuses requests under foreign names, unless they show the path's token: a page of another site cannot do that. */
export function ownHostOnly(
  names: () => readonly string[],
  gateOf: (path: string) => TokenGate,
): MiddlewareHandler {
  return async (context, next) => {
    if (isOwnHost(context.req.header('host'), names())) return next()
    const shown = bearerToken(context.req.header('authorization'))
    if (shown !== undefined && gateOf(context.req.path).judge(shown, cameFrom(context)) === 'right')
      return next()
    return context.json({ error: 'not served under this host name; add it to server.hosts' }, 421)
  }
}

/** Lets only requests through that show a token of the gate in an `Authorization: Bearer` header. */
export function bearerOnly(gate: TokenGate): MiddlewareHandler {
  return async (context, next) => {
    if (!gate.isOpen())
      return context.json(
        { error: 'closed: neither server.metrics_token nor server.token is configured' },
        403,
      )
    const shown = bearerToken(context.req.header('authorization'))
    const verdict = shown === undefined ? 'wrong' : gate.judge(shown, cameFrom(context))
    if (verdict === 'right') return next()
    if (verdict === 'throttled') {
      context.header('retry-after', String(RETRY_AFTER_S))
      return context.json({ error: 'too many wrong tokens; wait a minute' }, 429)
    }
    context.header('www-authenticate', 'Bearer realm="contact-sync"')
    return context.json({ error: 'send the token of server.metrics_token: Authorization: Bearer TOKEN' }, 401)
  }
}
