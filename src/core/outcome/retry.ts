// Whether a request may be sent again, and when. Pure: it is handed what one attempt gave and chance,
// and knows neither HTTP nor a clock. It must never allow a repetition that could double a contact.
import { HOUR_MS } from '../words/duration.ts'
import type { CallResult, Random } from '../ports.ts'

/**
 * How the summary of a call begins that was not sent because `service.rate_limit.per_day` is used up.
 * The run that meets it ends with DAILY_LIMIT.
 */
export const DAILY_ALLOWANCE_USED_UP = 'The daily request limit is reached'

/** The longest that one call waits for a service that answers nothing but "too many requests". */
export const MAX_THROTTLED_MS = HOUR_MS

const FIRST_DELAY_MS = 500
const SHORTEST_THROTTLE_MS = 1_000

/** What one attempt came to, as far as repeating it goes. */
export interface AttemptVerdict {
  readonly kind: CallResult<unknown>['kind']
  /** yes: another answer is likely. once: it may have been throttling in disguise. no: the same would come again. */
  readonly retriable: 'yes' | 'once' | 'no'
  /** The service asked to be left alone for a while; it has not processed the request. */
  readonly throttled: boolean
}

export interface RetryQuestion {
  readonly verdict: AttemptVerdict
  /** Whether sending the same request twice has the effect of sending it once. */
  readonly repeatable: boolean
  /** Attempts spent so far, this one included; counted from 1. */
  readonly attempt: number
  /** Attempts allowed (`service.retry.attempts`). */
  readonly attempts: number
  /** How often this call was throttled, this time included, and how long it has waited for that. */
  readonly throttles: number
  readonly throttledMs: number
  /** The cap of our own backoff (`service.retry.max_delay`); what the service asks for is not capped by it. */
  readonly maxDelayMs: number
  /** What the service asked for, already clamped; undefined: it did not say. */
  readonly retryAfterMs: number | undefined
  readonly random: Random
}

export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number; readonly spendsAttempt: boolean }
  | { readonly retry: false }

const GIVE_UP: RetryDecision = { retry: false }

/** Decides whether the call is retried after this attempt. Delays in milliseconds. */
export function retryDecision(question: RetryQuestion): RetryDecision {
  const { verdict, attempt } = question
  if (verdict.throttled) return afterThrottling(question)
  // The same request would get the same answer: repeating it is only noise for the service.
  if (verdict.retriable === 'no') return GIVE_UP
  // A refusal in disguise stays one: a second look settles it, a third would knock at a locked door.
  if (verdict.retriable === 'once' && attempt > 1) return GIVE_UP
  // The service may have applied it, and applying it twice would double a contact: reading back settles it.
  if (verdict.kind === 'unknown' && !question.repeatable) return GIVE_UP
  // Enough is enough: the call goes back to the run, which keeps the operation for later.
  if (attempt >= question.attempts) return GIVE_UP
  const delayMs = Math.max(backoffMs(attempt, question), question.retryAfterMs ?? 0)
  return { retry: true, delayMs, spendsAttempt: true }
}

function afterThrottling(question: RetryQuestion): RetryDecision {
  // Hours of throttling are an outage: without an end, a one-shot run would never come back to its caller.
  if (question.throttledMs >= MAX_THROTTLED_MS) return GIVE_UP
  // Provably not processed, and the service will take it later: so it costs no attempt.
  const ownMs = Math.max(SHORTEST_THROTTLE_MS, backoffMs(question.throttles, question))
  return { retry: true, delayMs: question.retryAfterMs ?? ownMs, spendsAttempt: false }
}

/** Exponential with full jitter, so that many callers who failed together do not come back together. */
function backoffMs(
  times: number,
  { maxDelayMs, random }: Pick<RetryQuestion, 'maxDelayMs' | 'random'>,
): number {
  return Math.round(random() * Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** (times - 1)))
}
