// Whose turn it is: one limiter for all calls to the service. Order and concurrency are p-queue's; each
// task then waits for the shared pause, for a place in the window and for the day's allowance.
// It knows nothing of HTTP, and it must never let more requests out than the service may count: of this process, and where a
// window is shared, of all processes together.
import PQueue from 'p-queue'
import type { Clock, SharedWindow } from '../core/ports.ts'
import type { RateUse } from '../core/log/service-event.ts'
import type { RateLimitSettings } from '../core/settings.ts'
import { createAllowance } from './allowance.ts'
import { createSlotRing } from './slot-ring.ts'

/** What came of asking for a turn. `sentAtMs`: monotonic. */
export type TurnResult<T> =
  | { readonly kind: 'taken'; readonly value: T; readonly sentAtMs: number }
  | { readonly kind: 'aborted' | 'daily_limit' }

export interface RateLimiter {
  /**
   * Runs the task when its turn has come; the task's end is the moment the answer came. A signal ends
   * the waiting, never a task that has begun.
   */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<TurnResult<T>>
  /** No task begins for so long; the longest of several pauses holds. */
  pause(ms: number): void
  /** A request was throttled: all wait for `ms`, and the rate is halved for a while. */
  slowDown(ms: number, sentAtMs: number): void
  /** Resolves when no call waits and none is under way. */
  idle(): Promise<void>
  use(): RateUse
}

interface LimiterDeps {
  readonly clock: Clock
  readonly shared?: SharedWindow
}

/** The places of this process, by the monotonic clock, and with each one of all processes, by the wall clock. */
function createPlaces(settings: RateLimitSettings, deps: LimiterDeps) {
  const { clock, shared } = deps
  const ring = createSlotRing(settings.per)
  return {
    used: ring.used,
    take(nowMs: number, places: number): number {
      const waitMs = ring.take(nowMs, places)
      if (waitMs > 0 || shared === undefined) return waitMs
      let isTaken = false
      try {
        const sharedMs = shared.take(clock.now(), places)
        isTaken = sharedMs === 0
        return sharedMs
      } finally {
        if (!isTaken) ring.undo()
      }
    },
    takeOfDay(): boolean {
      const { per_day: perDay } = settings
      return perDay === undefined || shared?.takeOfDay(clock.now(), perDay) !== false
    },
    giveBack(isSent: boolean): void {
      if (isSent) {
        ring.giveBack(clock.monotonic())
        shared?.giveBack(clock.now())
      } else {
        ring.undo()
        shared?.undo(clock.now())
      }
    },
  }
}

export function createRateLimiter(settings: RateLimitSettings, deps: LimiterDeps): RateLimiter {
  const { clock } = deps
  const queue = new PQueue({ concurrency: settings.concurrency })
  const places = createPlaces(settings, deps)
  const allowance = createAllowance(settings.requests)
  let resumeAtMs = -Infinity
  let waitingForPlace = 0
  let released = Promise.withResolvers<undefined>()

  function release(isSent: boolean): void {
    places.giveBack(isSent)
    released.resolve(undefined)
    released = Promise.withResolvers()
  }

  function pause(ms: number): void {
    resumeAtMs = Math.max(resumeAtMs, clock.monotonic() + ms)
  }

  /** True with a place taken; false when the signal came first. */
  async function place(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const nowMs = clock.monotonic()
      const pausedMs = resumeAtMs - nowMs
      const waitMs = pausedMs > 0 ? pausedMs : places.take(nowMs, allowance.places(nowMs))
      if (waitMs === 0) return true
      // A place under way comes back within the request's time-out, so that wait needs no signal.
      await (waitMs === Infinity ? released.promise : clock.sleep(Math.ceil(waitMs), signal))
    }
    return false
  }

  async function turn<T>(task: () => Promise<T>, signal: AbortSignal): Promise<TurnResult<T>> {
    waitingForPlace += 1
    const isTaken = await place(signal).finally(() => (waitingForPlace -= 1))
    if (!isTaken) return { kind: 'aborted' }
    let sentAtMs: number | undefined
    try {
      if (!places.takeOfDay()) return { kind: 'daily_limit' }
      sentAtMs = clock.monotonic()
      return { kind: 'taken', value: await task(), sentAtMs }
    } finally {
      release(sentAtMs !== undefined)
    }
  }

  function use(): RateUse {
    const nowMs = clock.monotonic()
    return {
      allowed: allowance.places(nowMs),
      used: places.used(nowMs),
      // Those that were let out of the queue and wait for a place are not at work yet.
      waiting: queue.size + waitingForPlace,
      pausedMs: Math.max(0, resumeAtMs - nowMs),
    }
  }

  return {
    use,
    run: (task, signal) => enqueue(queue, () => turn(task, signal), signal),
    pause,
    slowDown(ms, sentAtMs) {
      pause(ms)
      const nowMs = clock.monotonic()
      allowance.halve({ nowMs, sentAtMs, resumeAtMs })
      const now = clock.now()
      deps.shared?.slowDown(now, allowance.places(nowMs), now + Math.max(0, resumeAtMs - nowMs))
    },
    idle: () => queue.onIdle(),
  }
}

/** The signal takes the task out of the queue, but no longer touches it once it has begun. */
async function enqueue<T>(
  queue: PQueue,
  task: () => Promise<TurnResult<T>>,
  signal: AbortSignal,
): Promise<TurnResult<T>> {
  if (signal.aborted) return { kind: 'aborted' }
  const waiting = new AbortController()
  const leave = (): void => waiting.abort()
  signal.addEventListener('abort', leave, { once: true })
  const begin = (): Promise<TurnResult<T>> => {
    signal.removeEventListener('abort', leave)
    return task()
  }
  try {
    return await queue.add(begin, { signal: waiting.signal })
  } catch (error) {
    if (waiting.signal.aborted) return { kind: 'aborted' }
    throw error
  }
}
