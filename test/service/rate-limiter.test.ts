// The limit as the service sees it: counted at any instant between sending and answer, in every sliding window.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/core/ports.ts'
import { createRateLimiter } from '../../src/service/rate-limiter.ts'

/** Virtual time: sleepers wake in order once nothing else can happen. */
function virtualTime() {
  let now = 0
  const sleepers: { at: number; wake: () => void }[] = []
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: (ms) => new Promise((wake) => sleepers.push({ at: now + ms, wake })),
  }
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return {
    clock,
    async runUntil(isDone: () => boolean) {
      for (;;) {
        await settle()
        if (isDone()) return
        sleepers.sort((left, right) => left.at - right.at)
        const next = sleepers.shift()
        if (next === undefined) throw new Error('nothing is left that could happen')
        now = Math.max(now, next.at)
        next.wake()
      }
    },
  }
}

interface Load {
  readonly requests: number
  readonly perMs: number
  readonly concurrency: number
  readonly times: readonly { readonly took: number; readonly countedAt: number }[]
}

async function countedBy(load: Load): Promise<{ counted: number[]; endedAt: number }> {
  const time = virtualTime()
  const limiter = createRateLimiter({ ...load, perDay: undefined }, time.clock)
  const signal = new AbortController().signal
  const counted: number[] = []
  let done = 0
  for (const { took, countedAt } of load.times)
    void limiter
      .schedule(async () => {
        counted.push(time.clock.monotonic() + took * countedAt)
        await time.clock.sleep(took)
      }, signal)
      .then(() => (done += 1))
  await time.runUntil(() => done === load.times.length)
  return { counted: counted.sort((left, right) => left - right), endedAt: time.clock.monotonic() }
}

const peak = (counted: readonly number[], windowMs: number): number =>
  Math.max(...counted.map((start) => counted.filter((at) => at >= start && at < start + windowMs).length))

describe('the rate limiter', () => {
  it('never lets the service count too many in any window', async () => {
    const time = fc.record({
      took: fc.integer({ min: 0, max: 3000 }),
      countedAt: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    const load = fc.record({
      requests: fc.integer({ min: 1, max: 10 }),
      perMs: fc.constantFrom(100, 1000),
      concurrency: fc.integer({ min: 1, max: 12 }),
      times: fc.array(time, { minLength: 1, maxLength: 60 }),
    })
    await fc.assert(
      fc.asyncProperty(load, async (given) => {
        const { counted } = await countedBy(given)
        expect(peak(counted, given.perMs)).toBeLessThanOrEqual(given.requests)
      }),
      { numRuns: 150 },
    )
  })

  it('uses the allowance while there is work', async () => {
    const times = Array.from({ length: 500 }, () => ({ took: 20, countedAt: 0.5 }))
    const { endedAt } = await countedBy({ requests: 50, perMs: 1000, concurrency: 8, times })
    expect((500 / endedAt) * 1000).toBeGreaterThan(45)
  })

  it('waits for everybody when the service asks for a pause, and recovers the full rate within two minutes', async () => {
    const time = virtualTime()
    const limiter = createRateLimiter(
      { requests: 8, perMs: 1000, concurrency: 8, perDay: undefined },
      time.clock,
    )
    const signal = new AbortController().signal
    const starts: number[] = []
    limiter.pause(5000, { throttled: true })
    expect(limiter.pausedFor()).toBe(5000)
    let done = 0
    for (let index = 0; index < 1200; index += 1)
      void limiter
        .schedule(async () => {
          starts.push(time.clock.monotonic())
          await Promise.resolve()
        }, signal)
        .then(() => (done += 1))
    await time.runUntil(() => done === 1200)
    const between = (from: number, to: number): number => starts.filter((at) => at >= from && at < to).length
    expect(between(0, 5000)).toBe(0)
    expect(between(5000, 15_000)).toBe(40)
    expect(between(115_000, 125_000)).toBe(80)
  })
})
