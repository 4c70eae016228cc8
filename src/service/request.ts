// retry(limiter(attempt)): retry is outermost, so that waiting holds no slot and every attempt pays the limit.
import type { CallResult, Clock, DailyAllowance, Random, RequestTrace } from '../core/ports.ts'
import { DAILY_LIMIT_SUMMARY, resetMs, retryDecision } from '../core/retry.ts'
import type { ServiceSettings } from '../core/settings.ts'
import type { HttpAttempt, HttpClient, HttpRequest } from './http.ts'
import { type Target, verdict, type Verdict } from './outcome.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { Reader } from './wire.ts'

/** What happens behind a call; holds no personal data. */
export type ServiceEvent =
  | {
      readonly type: 'retry'
      readonly path: string
      readonly attempt: number
      readonly wait_ms: number
      readonly why: string
    }
  | { readonly type: 'throttled'; readonly path: string; readonly wait_ms: number }

export interface Call<T> extends HttpRequest {
  /** The route template, for audit and logs. */
  readonly route: string
  readonly target: Target
  readonly read: Reader<T>
  /** Whether it may be sent again when nobody knows whether it was applied. */
  readonly repeatable: boolean
}

export interface RequestPorts {
  readonly http: HttpClient
  readonly limiter: RateLimiter
  readonly clock: Clock
  readonly random: Random
  readonly settings: ServiceSettings
  readonly daily: DailyAllowance | undefined
  onEvent(event: ServiceEvent): void
}

export interface SessionCounts {
  requests: number
  retries: number
}

type Ended<T> = Verdict<T> & { readonly final?: true }

const notSent = <T>(summary: string): Ended<T> => ({
  kind: 'not_applied',
  value: undefined,
  status: undefined,
  reason: summary,
  summary,
  throttled: false,
  transient: false,
  pauseMs: undefined,
  final: true,
})

/** Slows down before the limit is hit, where the service says how much is left. */
function heedHeaders(attempt: HttpAttempt, { limiter, clock }: RequestPorts): void {
  if (attempt.kind !== 'answer') return
  const { headers } = attempt
  const of = (name: string): string | undefined =>
    headers[`x-rate-limit-${name}`] ?? headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`]
  const wait = of('remaining') === '0' ? resetMs(of('reset'), clock.now()) : undefined
  if (wait !== undefined) limiter.pause(wait, { throttled: false })
}

async function attemptOnce<T>(
  call: Call<T>,
  ports: RequestPorts,
  counts: SessionCounts,
  signal: AbortSignal,
): Promise<Ended<T>> {
  const ended = await ports.limiter.schedule(async (): Promise<Ended<T>> => {
    if (ports.daily !== undefined && !(await ports.daily.take(ports.clock.now())))
      return notSent(DAILY_LIMIT_SUMMARY)
    counts.requests += 1
    const attempt = await ports.http.send(call)
    heedHeaders(attempt, ports)
    const judged = verdict(attempt, call.read, { target: call.target, nowMs: ports.clock.now() })
    if (judged.throttled) ports.limiter.pause(judged.pauseMs ?? 1000, { throttled: true })
    return judged
  }, signal)
  return ended ?? notSent('the run was ended before the request was sent')
}

function callResult<T>(call: Call<T>, ended: Ended<T>, attempts: number): CallResult<T> {
  const request: RequestTrace = { method: call.method, path: call.route, status: ended.status, attempts }
  if (ended.kind === 'ok' && ended.value !== undefined) return { kind: 'ok', value: ended.value, request }
  const kind = ended.kind === 'ok' ? 'unknown' : ended.kind
  return { kind, reason: ended.reason, summary: ended.summary, request }
}

/** A signal changes while we wait: each look is a new one. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted

/** Sends a call until it has an outcome; never rejects for what a network or a service does. */
export async function request<T>(
  call: Call<T>,
  ports: RequestPorts,
  counts: SessionCounts,
  signal: AbortSignal,
): Promise<CallResult<T>> {
  const { attempts, maxDelayMs } = ports.settings.retry
  let sent = 0
  let spent = 1
  let throttles = 0
  for (;;) {
    const ended = await attemptOnce(call, ports, counts, signal)
    if (ended.final !== true) sent += 1
    const most = ended.kind === 'denied' ? Math.min(2, attempts) : attempts
    const rules = {
      repeatable: call.repeatable,
      attempt: spent,
      attempts: most,
      maxDelayMs,
      throttles,
      random: ports.random(),
    }
    const decision = retryDecision(ended, rules)
    if (!decision.retry || isAborted(signal)) return callResult(call, ended, sent)
    if (decision.spendsAttempt) spent += 1
    else throttles += 1
    const wait_ms = Math.max(decision.delayMs, ended.pauseMs ?? 0)
    if (ended.throttled) ports.onEvent({ type: 'throttled', path: call.route, wait_ms })
    else ports.onEvent({ type: 'retry', path: call.route, attempt: spent, wait_ms, why: ended.summary })
    await ports.clock.sleep(wait_ms, signal)
    if (isAborted(signal)) return callResult(call, ended, sent)
    counts.retries += 1
  }
}
