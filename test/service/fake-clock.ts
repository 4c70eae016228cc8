// A clock that stands still until a test moves it: sleeping costs no time, and every wait can be asked for.
// Only for tests of waiting; tests that speak to real sockets use real time there.
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { Clock } from '../../src/core/ports.ts'

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export interface FakeClock extends Clock {
  /** Lets everything happen that can happen now, then jumps to the next sleeper; until no task sleeps. */
  runAll(): Promise<void>
  /** As `runAll`, but not past `ms` from now; ends exactly there. */
  advance(ms: number): Promise<void>
  /** Lets everything happen that can happen without time passing. */
  settle(): Promise<void>
  /** The wall clock is set: forward, or back. Sleeping tasks are not affected. */
  set(byMs: number): void
  /** How long each sleep was asked for, in order. */
  readonly sleeps: readonly number[]
}

export function createFakeClock(startMs = Date.UTC(2026, 2, 1, 12)): FakeClock {
  let nowMs = 0
  let setMs = 0
  let sleepers: Sleeper[] = []
  const sleeps: number[] = []

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await turnOfTheLoop()
  }

  async function runUntil(endMs: number): Promise<void> {
    for (;;) {
      await settle()
      const next = Math.min(...sleepers.map(({ at }) => at))
      if (next > endMs || next === Infinity) return
      nowMs = Math.max(nowMs, next)
      const due = sleepers.filter(({ at }) => at <= nowMs)
      sleepers = sleepers.filter(({ at }) => at > nowMs)
      for (const { wake } of due) wake()
    }
  }

  return {
    sleeps,
    settle,
    now: () => startMs + nowMs + setMs,
    set: (byMs) => void (setMs += byMs),
    monotonic: () => nowMs,
    sleep(ms, signal) {
      sleeps.push(ms)
      if (signal?.aborted === true) return Promise.resolve()
      return new Promise((resolve) => {
        const sleeper: Sleeper = { at: nowMs + ms, wake: resolve }
        sleepers.push(sleeper)
        signal?.addEventListener(
          'abort',
          () => {
            sleepers = sleepers.filter((other) => other !== sleeper)
            resolve()
          },
          { once: true },
        )
      })
    },
    runAll: () => runUntil(Infinity),
    async advance(ms) {
      const endMs = nowMs + ms
      await runUntil(endMs)
      nowMs = endMs
    },
  }
}
