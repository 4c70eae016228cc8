// Whose turn it is: one limiter for all calls to the service. Order and concurrency are the queue's (turn-queue.ts); each
// task then waits for the shared pause, for a place in the window and for the day's allowance.
// It knows nothing of HTTP, and it must never let more requests out than the service may count: of this process, and where a
// window is shared, of all processes together.
import type { Clock, Lane, SharedWindow } from '../core/ports.ts'
import type { RateUse } from '../core/log/events/service-event.ts'
import type { RateLimitSettings } from '../core/settings.ts'
import { createAllowance } from './allowance.ts'
import { createSlotRing } from './slot-ring.ts'
import { type Behind, createTurnQueue } from './turn-queue.ts'

/** What came of asking for a turn. `sentAtMs`: monotonic. */
export type TurnResult<T> =
  | { readonly kind: 'taken'; readonly value: T; readonly sentAtMs: number }
  | { readonly kind: 'aborted' | 'daily_limit' }

export interface RateLimiter {
  /**
   * Runs the task when its turn has come; the task's end is the moment the answer came. A signal ends
   * the waiting, never a task that has begun. What has not begun stays behind calls of the lane `restrictions`.
   */
  run<T>(task: () => Promise<T>, signal: AbortSignal, lane?: Lane): Promise<TurnResult<T>>
  /** No task begins for so long; the longest of several pauses holds. */
  pause(ms: number): void
  /** A request was throttled: all wait for `ms`, and the rate is halved for a while. */
  slowDown(ms: number, sentAtMs: number): void
  /** Resolves when no call waits and none is under way. */
  idle(): Promise<void>
  use(): RateUse
}

/** A shorter wait is one for a place. */
const PAUSE_MS = 1000
/** Behind a restriction that waits for its place, the others look so often whether it has it. */
const BEHIND_MS = 25

interface LimiterDeps {
  readonly clock: Clock
  readonly shared?: SharedWindow
  /** Told once of each pause that the service has asked another process for, in milliseconds. */
  readonly onPaused?: (ms: number) => void
}

/** The places of this process, by the monotonic clock, and with each one of all processes, by the wall clock. */
function createPlaces(settings: RateLimitSettings, deps: LimiterDeps) {
  const { clock, shared } = deps
  const ring = createSlotRing(settings.per)
  let freed = Promise.withResolvers<undefined>()
  return {
    /** Resolves when the next place is given back. */
    freed: (): Promise<undefined> => freed.promise,
    used: ring.used,
    take(nowMs: number, places: number, lane: Lane): number {
      const waitMs = ring.take(nowMs, places)
      if (waitMs > 0 || shared === undefined) return waitMs
      let isTaken = false
      try {
        const sharedMs = shared.take(clock.now(), places, lane)
        isTaken = sharedMs === 0
        return sharedMs
      } finally {
        if (!isTaken) ring.undo()
      }
    },
    hold: (ms: number): void => shared?.hold(clock.now(), ms),
    pausedMs: (): number => shared?.pausedMs(clock.now()) ?? 0,
    slowDown(allowed: number, ms: number): void {
      const now = clock.now()
      shared?.slowDown(now, allowed, now + ms)
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
      freed.resolve(undefined)
      freed = Promise.withResolvers()
    },
  }
}

/** The calls that wait for a place. */
function createWaiting() {
  const counts = { all: 0, restrictions: 0 }
  const add = (lane: Lane, by: number): void => {
    counts.all += by
    if (lane === 'restrictions') counts.restrictions += by
  }
  return {
    counts,
    async during<T>(lane: Lane, wait: () => Promise<T>): Promise<T> {
      add(lane, 1)
      return wait().finally(() => add(lane, -1))
    },
  }
}

export function createRateLimiter(settings: RateLimitSettings, deps: LimiterDeps): RateLimiter {
  const { clock } = deps
  const queue = createTurnQueue(settings.concurrency)
  const places = createPlaces(settings, deps)
  const allowance = createAllowance(settings.requests)
  const waiting = createWaiting()
  let resumeAtMs = -Infinity

  const pause = (ms: number): void => void (resumeAtMs = Math.max(resumeAtMs, clock.monotonic() + ms))

  /** How long it is until a place may be free; 0 with one taken. */
  function waitFor(lane: Lane): number {
    const nowMs = clock.monotonic()
    if (resumeAtMs > nowMs) return resumeAtMs - nowMs
    if (lane === 'others' && waiting.counts.restrictions > 0) return BEHIND_MS
    const waitMs = places.take(nowMs, allowance.places(nowMs), lane)
    const pausedMs = waitMs < PAUSE_MS || waitMs === Infinity ? 0 : places.pausedMs()
    if (pausedMs === 0) return waitMs
    pause(pausedMs)
    deps.onPaused?.(pausedMs)
    return pausedMs
  }

  /** Behind: a restriction waits in the queue, which this call returns to. */
  async function place(signal: AbortSignal, lane: Lane): Promise<'taken' | 'aborted' | 'behind'> {
    while (!signal.aborted) {
      if (lane === 'others' && queue.hasRestriction()) return 'behind'
      const waitMs = waitFor(lane)
      if (waitMs === 0) return 'taken'
      // A place under way comes back within the request's time-out, so that wait needs no signal.
      await (waitMs === Infinity ? places.freed() : clock.sleep(Math.ceil(waitMs), signal))
    }
    return 'aborted'
  }

  async function turn<T>(
    task: () => Promise<T>,
    signal: AbortSignal,
    lane: Lane,
  ): Promise<TurnResult<T> | Behind> {
    const placed = await waiting.during(lane, async () => place(signal, lane))
    if (placed !== 'taken') return { kind: placed }
    let sentAtMs: number | undefined
    try {
      if (!places.takeOfDay()) return { kind: 'daily_limit' }
      sentAtMs = clock.monotonic()
      return { kind: 'taken', value: await task(), sentAtMs }
    } finally {
      places.giveBack(sentAtMs !== undefined)
    }
  }

  return {
    use() {
      const nowMs = clock.monotonic()
      return {
        allowed: allowance.places(nowMs),
        used: places.used(nowMs),
        // Those that were let out of the queue and wait for a place are not at work yet.
        waiting: queue.size() + waiting.counts.all,
        pausedMs: Math.max(0, resumeAtMs - nowMs),
      }
    },
    run: (task, signal, lane = 'others') => queue.run(() => turn(task, signal, lane), signal, lane),
    pause(ms) {
      pause(ms)
      places.hold(ms)
    },
    slowDown(ms, sentAtMs) {
      pause(ms)
      const nowMs = clock.monotonic()
      allowance.halve({ nowMs, sentAtMs, resumeAtMs })
      places.slowDown(allowance.places(nowMs), Math.max(0, resumeAtMs - nowMs))
    },
    idle: queue.idle,
  }
}
