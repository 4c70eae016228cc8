// The course of one call: what has been sent so far, and what follows from it for the result.
// Pure bookkeeping; it sends and decides nothing.
import type { CallResult, RequestTrace } from '../core/ports.ts'
import { DAILY_ALLOWANCE_USED_UP } from '../core/outcome/retry.ts'
import type { AttemptVerdict } from '../core/outcome/retry.ts'
import type { Call } from './judge.ts'

/** What has happened to one call. */
export interface Course {
  /** HTTP requests sent. */
  sent: number
  /** Attempts spent: those sent, without the ones that were throttled. */
  spent: number
  throttles: number
  throttledMs: number
  /** The last status seen. */
  status: number | undefined
  /** An attempt may have been applied without our knowing. */
  inDoubt: boolean
}

/** Why a call goes no further, in words for logs and for the state. */
interface Ending {
  readonly kind: AttemptVerdict['kind']
  readonly summary: string
  readonly reason: string
}

export function newCourse(): Course {
  return { sent: 0, spent: 0, throttles: 0, throttledMs: 0, status: undefined, inDoubt: false }
}

/** Takes note of an attempt that has ended. */
export function noteAttempt(
  course: Course,
  call: Call<unknown>,
  seen: { verdict: AttemptVerdict; status?: number },
): void {
  course.status = seen.status ?? course.status
  if (seen.verdict.throttled) course.throttles += 1
  else course.spent += 1
  // A read that got lost has changed nothing.
  if (seen.verdict.kind === 'unknown' && call.method !== 'GET') course.inDoubt = true
}

/** For a call, or a repetition, that did not get its turn. */
export function withoutTurn(call: Call<unknown>, why: 'aborted' | 'daily_limit'): Ending {
  const name = `${call.method} ${call.path}`
  const summary =
    why === 'daily_limit'
      ? `${DAILY_ALLOWANCE_USED_UP}: ${name} was not sent`
      : `${name} was not sent: the run is ending`
  return { kind: 'not_applied', summary, reason: summary }
}

/**
 * The result of a call that did not succeed. Where an earlier attempt may have been applied, a later
 * refusal proves nothing: it may even be the answer to the first one's success.
 */
export function failure<T>(course: Course, call: Call<unknown>, ending: Ending): CallResult<T> {
  const request = requestTrace(course, call)
  // `ok` without a value cannot be: the table says ok only of a body that could be read.
  const kind = ending.kind === 'ok' ? 'unknown' : ending.kind
  const { summary, reason } = ending
  if (!course.inDoubt || kind === 'unknown' || kind === 'absent') return { kind, summary, reason, request }
  const earlier = 'An earlier attempt may have been applied; then '
  return { kind: 'unknown', summary: earlier + summary, reason: earlier + reason, request }
}

export function requestTrace({ status, sent }: Course, { method, path }: Call<unknown>): RequestTrace {
  return { method, path, status, attempts: sent }
}

/** The result of a read that was not sent because its path could name something else. */
export function notAsked(path: string, summary: string): CallResult<never> {
  const request = { method: 'GET', path, status: undefined, attempts: 0 } as const
  return { kind: 'unknown', reason: summary, summary, request }
}
