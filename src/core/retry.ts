// Whether a call is tried again, and when: pure functions of how the attempt ended.

/** `not_applied` for this reason is no fault of the network: the run has to end. */
export const DAILY_LIMIT_SUMMARY = 'the daily allowance of requests is used up'

const SECOND = 1000
const SHORTEST_PAUSE = SECOND
const LONGEST_PAUSE = 15 * 60 * SECOND
const FIRST_DELAY = 500
/** Epoch seconds of our time are ten digits, milliseconds thirteen; a span of seconds is far shorter. */
const EPOCH_SECONDS = 1e9
const EPOCH_MILLISECONDS = 1e12

const clampPause = (ms: number): number => Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, ms))

/** `Retry-After` in milliseconds, 1 s to 15 min; undefined for what is neither seconds nor a date. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined
  const seconds = Number(header)
  if (!Number.isNaN(seconds)) return clampPause(seconds * SECOND)
  // Only a date with letters is one: `Date.parse` takes almost anything for a date.
  const date = /[A-Za-z]{3}/.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : clampPause(date - nowMs)
}

/** How long until a rate window resets, in milliseconds; undefined where the value could mean several things. */
export function resetMs(header: string | undefined, nowMs: number): number | undefined {
  const value = Number(header)
  if (header === undefined || header.trim() === '' || !Number.isFinite(value) || value < 0) return undefined
  if (value >= EPOCH_MILLISECONDS) return clampPause(value - nowMs)
  if (value >= EPOCH_SECONDS) return clampPause(value * SECOND - nowMs)
  // A span of more than a day is no window of a rate limit.
  return value <= 86_400 ? clampPause(value * SECOND) : undefined
}

export interface EndedAttempt {
  readonly kind: 'ok' | 'absent' | 'refused' | 'denied' | 'not_applied' | 'unknown'
  /** 429, or 503 with a Retry-After: the service asks for a pause. */
  readonly throttled: boolean
  /** A repetition may help: no connection, 5xx, a time-out, 408, 425. */
  readonly transient: boolean
  /** How long the service asks to wait. */
  readonly pauseMs: number | undefined
}

export interface RetryRules {
  /** Whether an applied call may be applied again without harm. */
  readonly repeatable: boolean
  /** The attempts that were spent so far, this one included. */
  readonly attempt: number
  readonly attempts: number
  readonly maxDelayMs: number
  /** How often in a row the service asked for a pause without saying how long. */
  readonly throttles: number
  /** In [0, 1). */
  readonly random: number
}

export type RetryDecision =
  | { readonly retry: false }
  | { readonly retry: true; readonly delayMs: number; readonly spendsAttempt: boolean }

/** Exponential with full jitter: many callers must not come back in step. */
const backoffMs = (step: number, { maxDelayMs, random }: RetryRules): number =>
  Math.round(Math.min(maxDelayMs, FIRST_DELAY * 2 ** step) * (0.5 + random / 2))

export function retryDecision(ended: EndedAttempt, rules: RetryRules): RetryDecision {
  // Being asked to wait is no failure: it spends no attempt, and the request was not processed.
  if (ended.throttled) {
    const delayMs = ended.pauseMs ?? Math.max(SHORTEST_PAUSE, backoffMs(rules.throttles + 1, rules))
    return { retry: true, delayMs, spendsAttempt: false }
  }
  // The answer is final: the same request would get it again.
  if (!ended.transient) return { retry: false }
  // It may have been applied, and once more could double somebody.
  if (ended.kind === 'unknown' && !rules.repeatable) return { retry: false }
  if (rules.attempt >= rules.attempts) return { retry: false }
  return { retry: true, delayMs: backoffMs(rules.attempt - 1, rules), spendsAttempt: true }
}
