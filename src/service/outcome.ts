// What an attempt means for the change that it carried: one table, from the evidence to a verdict.
// Where nobody can know whether the service applied it, it says so; it never guesses.
import type { EndedAttempt } from '../core/retry.ts'
import { resetMs, retryAfterMs } from '../core/retry.ts'
import type { HttpAttempt } from './http.ts'
import { claimsError, errorMessage, type Reader } from './wire.ts'

export type Verdict<T> = EndedAttempt & {
  readonly value: T | undefined
  readonly status: number | undefined
  /** May hold the service's words. */
  readonly reason: string
  /** Holds nothing that the service or a person wrote. */
  readonly summary: string
}

/** How the request is addressed: 404 means "none" for an object, and "wrong place" for a collection. */
export type Target = 'object' | 'collection'

type Answer = Extract<HttpAttempt, { kind: 'answer' }>
type Kind = Exclude<EndedAttempt['kind'], 'ok'>

const REFUSALS = new Set([400, 409, 413, 415, 422])
/** The service may have been about to answer otherwise. */
const PASSING = new Set([408, 425])

interface Finding {
  readonly kind: Kind
  readonly summary: string
  readonly transient?: boolean
  readonly throttled?: boolean
  readonly pauseMs?: number | undefined
}

function pause(answer: Answer, nowMs: number): number | undefined {
  const { headers } = answer
  const reset = headers['x-rate-limit-reset'] ?? headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']
  return retryAfterMs(headers['retry-after'], nowMs) ?? resetMs(reset, nowMs)
}

function refusal(answer: Answer, target: Target, nowMs: number): Finding | undefined {
  const { status, isJson } = answer
  const transient = true
  if (status === 429)
    return {
      kind: 'not_applied',
      summary: 'the service is throttling (429)',
      throttled: true,
      pauseMs: pause(answer, nowMs),
    }
  if (status === 401) return { kind: 'denied', summary: 'the service refuses the key (401)' }
  // Some gateways throttle with a page and this status: worth one more try.
  if (status === 403)
    return { kind: 'denied', summary: 'the service refuses access (403)', transient: !isJson }
  if (REFUSALS.has(status)) return { kind: 'refused', summary: `the service refuses the request (${status})` }
  if ((status === 404 || status === 405) && target === 'collection')
    return {
      kind: 'not_applied',
      summary: `the service does not know this address (${status}); is service.base_url right?`,
    }
  if (status === 404 && isJson) return { kind: 'absent', summary: 'the service does not have it (404)' }
  if (status === 404)
    return { kind: 'unknown', summary: 'a page instead of an answer (404); is service.base_url right?' }
  if (status === 503 && answer.headers['retry-after'] !== undefined)
    return {
      kind: 'unknown',
      summary: 'the service asks to come back later (503)',
      transient,
      pauseMs: pause(answer, nowMs),
    }
  if (PASSING.has(status) || status >= 500)
    return { kind: 'unknown', summary: `the service failed (${status})`, transient }
  if (status >= 300 && status < 400)
    return {
      kind: 'unknown',
      summary: `the service redirects to ${answer.redirectHost ?? 'nowhere'} (${status}); redirects are not followed`,
    }
  return status >= 400
    ? { kind: 'refused', summary: `the service refuses the request (${status})` }
    : undefined
}

function finding(attempt: HttpAttempt, target: Target, nowMs: number): Finding | undefined {
  if (attempt.kind === 'failure')
    return attempt.sent
      ? { kind: 'unknown', summary: `no answer came (${attempt.code})`, transient: true }
      : { kind: 'not_applied', summary: `no connection (${attempt.code})`, transient: true }
  if (attempt.kind === 'oversized') return { kind: 'unknown', summary: 'the answer is too large' }
  const refused = refusal(attempt, target, nowMs)
  if (refused !== undefined) return refused
  if (!attempt.isJson) return { kind: 'unknown', summary: `the answer is no JSON (${attempt.status})` }
  if (claimsError(attempt.body))
    return { kind: 'refused', summary: `the service reports an error (${attempt.status})` }
  return undefined
}

/** The verdict on one attempt. `read` gives the value of an answer that is the interface's. */
export function verdict<T>(
  attempt: HttpAttempt,
  read: Reader<T>,
  options: { target: Target; nowMs: number },
): Verdict<T> {
  const found = finding(attempt, options.target, options.nowMs)
  const answer = attempt.kind === 'answer' ? attempt : undefined
  const value = found === undefined ? read(answer?.body) : undefined
  const base = { status: answer?.status, throttled: false, transient: false, pauseMs: undefined }
  if (value !== undefined) return { ...base, kind: 'ok', value, reason: '', summary: '' }
  const given = found ?? {
    kind: 'unknown',
    summary: `the answer is not the interface's (${answer?.status ?? 'none'})`,
  }
  const message = errorMessage(answer?.body)
  const reason = message === undefined ? given.summary : `${given.summary}: ${message}`
  return { ...base, ...given, value: undefined, reason }
}
