// A clock that stands still until a task sleeps: then it is at once later.
import type { Clock } from '../../src/core/ports.ts'

export interface TestClock extends Clock {
  advance(ms: number): void
  readonly slept: readonly number[]
}

export function testClock(start = Date.UTC(2026, 0, 1)): TestClock {
  let now = start
  const slept: number[] = []
  return {
    slept,
    now: () => now,
    monotonic: () => now,
    advance(ms) {
      now += ms
    },
    async sleep(ms, signal) {
      if (signal?.aborted === true) return
      slept.push(ms)
      now += ms
      await Promise.resolve()
    },
  }
}
