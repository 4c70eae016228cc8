// When the next request may leave: the rate limit of the interface, and the pauses between attempts.
import type { FetchTask } from '../pull/fetcher.ts'
import type { HttpOptions } from './options.ts'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
/** What an interface may ask for; longer is left to the next run. */
const LONGEST_ASKED_MS = 15 * 60_000

/** Resolves when a request may leave. */
export function createPace(
  limit: HttpOptions['rate_limit'],
  { clock, signal }: Pick<FetchTask, 'clock' | 'signal'>,
): () => Promise<void> {
  if (limit === undefined) return () => Promise.resolve()
  const left: number[] = []
  return async () => {
    const oldest = left.length < limit.requests ? undefined : left.shift()
    const wait = oldest === undefined ? 0 : oldest + limit.per - clock.monotonic()
    if (wait > 0) await clock.sleep(wait, signal)
    left.push(clock.monotonic())
  }
}

/** `asked`: the header Retry-After, in seconds or as a date. */
export function pauseMs(attempt: number, asked: string | undefined, nowMs: number): number {
  const own = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
  if (asked === undefined) return own
  const ms = /^\d+$/.test(asked.trim()) ? Number(asked) * 1000 : Date.parse(asked) - nowMs
  return Number.isNaN(ms) ? own : Math.min(Math.max(ms, own), LONGEST_ASKED_MS)
}
