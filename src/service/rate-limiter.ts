// Holds the limit as the service counts it. A request is counted somewhere between its sending and its answer, so its
// slot stays taken until one window after the answer came: then no sliding window can hold more than allowed.
// p-queue gives order and concurrency; the ring gives the slots; a pause asked for by the service holds for everybody.
import PQueue from 'p-queue'
import type { Clock } from '../core/ports.ts'
import type { RateLimitSettings } from '../core/settings.ts'

export interface RateLimiter {
  /** Runs the task when it has a slot; undefined when the signal ended it before. */
  schedule<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T | undefined>
  /** Nobody sends for so long. `throttled`: the service complained, so the allowance halves for a while. */
  pause(ms: number, options: { throttled: boolean }): void
  /** Milliseconds until the pause ends; 0 when there is none. */
  pausedFor(): number
}

/** The full allowance is back after two steps of this, well within two minutes. */
const RECOVERY_STEP_MS = 40_000
const SMALLEST_SHARE = 1 / 8

export function createRateLimiter(settings: RateLimitSettings, clock: Clock): RateLimiter {
  const queue = new PQueue({ concurrency: settings.concurrency })
  /** When each slot is free again; `Infinity` while its request is on its way. */
  const slots = Array.from({ length: settings.requests }, () => -Infinity)
  let pausedUntil = -Infinity
  let share = 1
  let shareSince = 0

  const currentShare = (): number => {
    const steps = Math.floor((clock.monotonic() - shareSince) / RECOVERY_STEP_MS)
    return Math.min(1, share * 2 ** Math.max(0, steps))
  }
  /** With a smaller share the last slots of the ring rest. */
  const usable = (): number => Math.max(1, Math.floor(slots.length * currentShare()))
  const takeSlot = async (signal: AbortSignal): Promise<number | undefined> => {
    for (;;) {
      if (signal.aborted) return undefined
      const now = clock.monotonic()
      const open = slots.slice(0, usable())
      const free = Math.min(...open)
      const wait = Math.max(pausedUntil, free) - now
      if (wait <= 0) {
        const slot = open.indexOf(free)
        slots[slot] = Infinity
        return slot
      }
      // Every usable slot is on its way: one comes back with an answer, which nobody can foresee.
      await (Number.isFinite(wait) ? clock.sleep(wait, signal) : nextRelease(signal))
    }
  }
  let waiters: (() => void)[] = []
  const nextRelease = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      waiters.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  const release = (slot: number): void => {
    slots[slot] = clock.monotonic() + settings.perMs
    const waiting = waiters
    waiters = []
    for (const wake of waiting) wake()
  }
  return {
    schedule: (task, signal) =>
      queue.add(async () => {
        const slot = await takeSlot(signal)
        if (slot === undefined) return undefined
        try {
          return await task()
        } finally {
          release(slot)
        }
      }),
    pause(ms, { throttled }) {
      const now = clock.monotonic()
      pausedUntil = Math.max(pausedUntil, now + ms)
      if (!throttled) return
      share = Math.max(SMALLEST_SHARE, currentShare() / 2)
      shareSince = pausedUntil
    },
    pausedFor: () => Math.max(0, pausedUntil - clock.monotonic()),
  }
}
