// One call, from its first attempt to its last: retry(limiter(attempt)), with retry outermost, so that
// waiting takes no place and every attempt pays the limit. It never rejects for what a network does.
import type { CallResult, Clock, Lane, Random } from '../core/ports.ts'
import { retryDecision } from '../core/outcome/retry.ts'
import type { RetryDecision } from '../core/outcome/retry.ts'
import type { ServiceEvent, ServiceListener } from '../core/log/events/service-event.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { failure, newCourse, noteAttempt, requestTrace, withoutTurn } from './course.ts'
import type { Course } from './course.ts'
import type { Attempt, Transport } from './http.ts'
import { judge } from './judge.ts'
import type { Call, Judged } from './judge.ts'
import type { KeyTrust } from './key-trust.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { waitHints } from './wait-hints.ts'
import type { WaitHints } from './wait-hints.ts'

/** Over all calls of one session. */
export interface RequestCounts {
  requests: number
  retries: number
}

export interface CallContext {
  readonly settings: Pick<ServiceSettings, 'retry'>
  /** Keeps the key out of the service's words. */
  readonly mask: (text: string) => string
  readonly transport: Transport
  readonly limiter: RateLimiter
  /** In which lane a call is that is made now. */
  readonly lane: () => Lane
  readonly trust: KeyTrust
  readonly clock: Clock
  readonly random: Random
  readonly onEvent: ServiceListener
  /** Ends the waiting of every call; what has been sent is let finish. */
  readonly signal: AbortSignal
  readonly counts: RequestCounts
}

/** One attempt, understood. */
interface Reply<T> extends WaitHints {
  readonly judged: Judged<T>
  readonly status?: number
}

/** `tell`: says what has come of it, once others need not wait for that. */
type Sent<T> = Reply<T> & { readonly tell: () => void }

/** A call on its way within one session (see `perform`). */
export type Perform = <T>(call: Call<T>) => Promise<CallResult<T>>

/** Sends the call until it has a usable answer, or until retries end (see CallResult). */
export async function perform<T>(call: Call<T>, context: CallContext): Promise<CallResult<T>> {
  const course = newCourse()
  for (;;) {
    const askedAtMs = context.clock.monotonic()
    const attempt = () => send(call, { course, askedAtMs }, context)
    const turn = await context.limiter.run(attempt, context.signal, context.lane())
    if (turn.kind !== 'taken') {
      if (turn.kind === 'daily_limit') context.onEvent({ type: 'daily_limit' })
      return failure(course, call, withoutTurn(call, turn.kind))
    }
    // Its place is free from the answer on: the next request leaves before this answer is worked on.
    const { judged } = turn.value
    await context.transport.handOver?.(Array.isArray(judged.value) ? judged.value.length : 1)
    turn.value.tell()
    const { kind } = judged.verdict
    if (kind === 'ok' && judged.value !== undefined) {
      const echo = course.inDoubt ? ({ echo: true } as const) : {}
      return { kind, value: judged.value, request: requestTrace(course, call), ...echo }
    }
    const decision = decide(turn.value, course, { ...context, repeatable: call.repeatable })
    if (decision.retry) await waitFor(decision, { call, course, judged, sentAtMs: turn.sentAtMs }, context)
    if (!decision.retry || context.signal.aborted) return failure(course, call, { ...judged, kind })
  }
}

/** One attempt; counts it, and holds all calls back where the answer asks for it. */
async function send<T>(
  call: Call<T>,
  { course, askedAtMs }: { course: Course; askedAtMs: number },
  context: CallContext,
): Promise<Sent<T>> {
  context.counts.requests += 1
  if (course.sent > 0) context.counts.retries += 1
  course.sent += 1
  const { method, url, body } = call
  const number = context.trust.begin()
  const event = requestEvent(call, { attempt: course.sent, askedAtMs }, context.clock)
  const attempt = await context.transport.send({ method, url, ...(body === undefined ? {} : { body }) })
  const request = event(attempt)
  const reply = weighed(understood(call, attempt, context), number, context.trust)
  noteAttempt(course, call, { ...reply, verdict: reply.judged.verdict })
  const delayMs = holdBack(reply, context)
  const tell = (): void => {
    context.onEvent(request)
    if (delayMs > 0) context.onEvent({ type: 'waiting', delayMs })
  }
  return { ...reply, tell }
}

/** Gives what to call when the request has its answer, or is known to get none: the event of it. */
function requestEvent(
  { method, path }: Call<unknown>,
  { attempt, askedAtMs }: { attempt: number; askedAtMs: number },
  clock: Clock,
): (ended: Attempt) => ServiceEvent {
  const sentAt = clock.now()
  const sentAtMs = clock.monotonic()
  return (ended) => ({
    type: 'request',
    method,
    path,
    status: ended.answered ? ended.status : undefined,
    attempt,
    durationMs: clock.monotonic() - sentAtMs,
    waitedMs: sentAtMs - askedAtMs,
    sentAt,
  })
}

function understood<T>(call: Call<T>, attempt: Attempt, context: CallContext): Reply<T> {
  const judged = judge(call, attempt, context.mask)
  if (!attempt.answered) return { judged }
  return { judged, status: attempt.status, ...waitHints(attempt.headers, context.clock.now()) }
}

/** A 401 is final unless the key was taken before and this is the first refusal since. */
function weighed<T>(reply: Reply<T>, attempt: number, trust: KeyTrust): Reply<T> {
  const { judged, status } = reply
  const { kind } = judged.verdict
  if (kind === 'ok' || kind === 'absent' || kind === 'refused') trust.taken(attempt)
  if (status !== 401 || !trust.refused()) return reply
  return { ...reply, judged: { ...judged, verdict: { ...judged.verdict, retriable: 'yes' } } }
}

/** "Nothing is left" and "away until then" concern all calls, not only the one that was told. Gives for how long, in ms. */
function holdBack(reply: Reply<unknown>, { limiter }: Pick<CallContext, 'limiter'>): number {
  // A throttled call causes its own pause.
  if (reply.judged.verdict.throttled) return 0
  const awayMs = reply.status === 503 ? (reply.retryAfterMs ?? 0) : 0
  const delayMs = Math.max(reply.exhaustedMs ?? 0, awayMs)
  if (delayMs > 0) limiter.pause(delayMs)
  return delayMs
}

function decide(
  { judged: { verdict }, retryAfterMs, resetMs }: Reply<unknown>,
  { spent, throttles, throttledMs }: Course,
  { settings, random, repeatable }: Pick<CallContext, 'settings' | 'random'> & { repeatable: boolean },
): RetryDecision {
  return retryDecision({
    verdict,
    repeatable,
    attempt: spent,
    attempts: settings.retry.attempts,
    throttles,
    throttledMs,
    maxDelayMs: settings.retry.max_delay,
    retryAfterMs: retryAfterMs ?? (verdict.throttled ? resetMs : undefined),
    random,
  })
}

/** Waits here after a failure; after throttling the limiter makes this call wait together with all others. */
async function waitFor(
  { delayMs }: RetryDecision & { retry: true },
  of: { call: Call<unknown>; course: Course; judged: Judged<unknown>; sentAtMs: number },
  { limiter, clock, signal, onEvent }: CallContext,
): Promise<void> {
  const { summary, verdict } = of.judged
  if (verdict.throttled) {
    of.course.throttledMs += delayMs
    limiter.slowDown(delayMs, of.sentAtMs)
    onEvent({ type: 'throttled', delayMs, summary })
    return
  }
  const { method, path } = of.call
  onEvent({ type: 'retry', method, path, attempt: of.course.spent, delayMs, summary })
  await clock.sleep(delayMs, signal)
}
