// The rate limit, when one is asked for: counted over a sliding window, as services do, and told in the headers
// that the habits name.
import type { Context, MiddlewareHandler } from 'hono'
import type { Clock } from '../core/ports.ts'
import { Failure } from './failure.ts'
import type { Habits } from './habits.ts'

const PREFIXES = {
  'x-rate-limit': 'X-Rate-Limit',
  'x-ratelimit': 'X-RateLimit',
  ratelimit: 'RateLimit',
} as const

const isPrefixed = (style: Habits['rateLimitHeaders']): style is keyof typeof PREFIXES => style in PREFIXES

interface Window {
  readonly limit: number
  readonly remaining: number
  /** Until a place is free again. */
  readonly resetMs: number
}

function tell(context: Context, { limit, remaining, resetMs }: Window, habits: Habits, now: number): void {
  const style = habits.rateLimitHeaders
  if (!isPrefixed(style)) return
  const seconds = Math.ceil(resetMs / 1000)
  const reset = habits.rateLimitReset === 'epoch' ? Math.ceil((now + resetMs) / 1000) : seconds
  const values = { Limit: limit, Remaining: remaining, Reset: reset }
  for (const [name, value] of Object.entries(values))
    context.header(`${PREFIXES[style]}-${name}`, String(value))
}

function tellToWait(context: Context, resetMs: number, { rateLimitHeaders }: Habits, now: number): void {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  if (rateLimitHeaders === 'retry-after') context.header('Retry-After', String(seconds))
  if (rateLimitHeaders === 'retry-after-date')
    // The date has whole seconds: rounded up, or the caller comes too early.
    context.header('Retry-After', new Date(Math.ceil((now + resetMs) / 1000) * 1000).toUTCString())
}

export function throttle(habits: Habits, clock: Clock): MiddlewareHandler {
  const limit = habits.rateLimit
  let seen: number[] = []
  return async (context, next) => {
    if (limit === 'none') return next()
    const now = clock.now()
    seen = seen.filter((at) => at > now - limit.perMs)
    const isOver = seen.length >= limit.requests
    if (!isOver) seen.push(now)
    const [oldest = now] = seen
    const resetMs = oldest + limit.perMs - now
    tell(context, { limit: limit.requests, remaining: limit.requests - seen.length, resetMs }, habits, now)
    if (!isOver) return next()
    tellToWait(context, resetMs, habits, now)
    throw new Failure(429, 'too many requests')
  }
}
