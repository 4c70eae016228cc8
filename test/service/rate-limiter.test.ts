// The limit as the service counts it, against a simulated service and a clock that costs no time.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Lane, SharedWindow } from '../../src/core/ports.ts'
import type { RateLimitSettings } from '../../src/core/settings.ts'
import { createRateLimiter } from '../../src/service/rate-limiter.ts'
import type { RateLimiter, TurnResult } from '../../src/service/rate-limiter.ts'
import { windowWith } from '../support/window.ts'
import { createFakeClock } from './fake-clock.ts'
import type { FakeClock } from './fake-clock.ts'

const settings: RateLimitSettings = { requests: 5, per: 1_000, concurrency: 4, per_day: undefined }
const never = new AbortController().signal

interface Request {
  /** From sending to answer. */
  readonly lastsMs: number
  /** When in between the service counts it: a share of `lastsMs`. */
  readonly countedAt: number
}

/** Sends the requests through the limiter; returns when the service counted each. */
async function serve(
  limiter: RateLimiter,
  clock: FakeClock,
  requests: readonly Request[],
): Promise<number[]> {
  const counted: number[] = []
  const all = requests.map(({ lastsMs, countedAt }) =>
    limiter.run(async () => {
      counted.push(clock.monotonic() + lastsMs * countedAt)
      await clock.sleep(lastsMs)
    }, never),
  )
  await clock.runAll()
  await Promise.all(all)
  return counted.sort((a, b) => a - b)
}

/** The most that the service saw in any window, its borders included. */
function fullestWindow(counted: readonly number[], perMs: number): number {
  let first = 0
  let most = 0
  for (const [last, time] of counted.entries()) {
    while (time - counted[first]! > perMs) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

function many(count: number, request: Request): Request[] {
  return Array.from({ length: count }, () => request)
}

describe('the window', () => {
  it('is never overfull, wherever between sending and answer the service counts', async () => {
    const limits = fc.record({
      requests: fc.integer({ min: 1, max: 12 }),
      per: fc.constantFrom(100, 1_000, 60_000),
      concurrency: fc.integer({ min: 1, max: 16 }),
    })
    const traffic = fc.array(
      fc.record({
        lastsMs: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 3_000 })),
        countedAt: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { minLength: 1, maxLength: 60 },
    )
    await fc.assert(
      fc.asyncProperty(limits, traffic, async (limit, requests) => {
        const clock = createFakeClock()
        const counted = await serve(
          createRateLimiter({ ...limit, per_day: undefined }, { clock }),
          clock,
          requests,
        )
        expect(counted).toHaveLength(requests.length)
        expect(fullestWindow(counted, limit.per)).toBeLessThanOrEqual(limit.requests)
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    [5, 1_000, 4, 20],
    [50, 1_000, 8, 10],
    [1, 200, 4, 5],
    [100, 60_000, 4, 30],
  ])('is used to nine tenths and more: %i per %i ms', async (requests, perMs, concurrency, lastsMs) => {
    const clock = createFakeClock()
    const count = requests * 20
    const limiter = createRateLimiter({ requests, per: perMs, concurrency, per_day: undefined }, { clock })
    const counted = await serve(limiter, clock, many(count, { lastsMs, countedAt: 0.5 }))
    const ideal = (count / requests - 1) * perMs
    expect(ideal / (counted.at(-1)! - counted[0]!)).toBeGreaterThan(0.9)
  })

  it('takes no place for what failed to get its turn', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter(
      { ...settings, per_day: 1 },
      { clock, shared: windowWith({ takeOfDay: () => false }) },
    )
    const turns = await Promise.all(
      many(20, { lastsMs: 0, countedAt: 0 }).map(() => limiter.run(fail, never)),
    )
    expect(turns.every(({ kind }) => kind === 'daily_limit')).toBe(true)
    expect(clock.sleeps).toEqual([])
  })

  it('gives the place back after a failure, too', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter({ ...settings, requests: 1 }, { clock })
    await expect(limiter.run(() => Promise.reject(new Error('torn')), never)).rejects.toThrow('torn')
    const next = limiter.run(() => Promise.resolve(clock.monotonic()), never)
    await clock.runAll()
    expect(await next).toMatchObject({ kind: 'taken', value: 1_002 })
  })
})

describe('order', () => {
  it('is that of asking, with no more under way than allowed', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter({ ...settings, concurrency: 2 }, { clock })
    const begun: number[] = []
    let underWay = 0
    let most = 0
    const all = Array.from({ length: 9 }, (_, index) =>
      limiter.run(async () => {
        begun.push(index)
        underWay += 1
        most = Math.max(most, underWay)
        await clock.sleep(300)
        underWay -= 1
      }, never),
    )
    await clock.runAll()
    await Promise.all(all)
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(most).toBe(2)
  })
})

describe('a restriction', () => {
  /** The names in the order in which they began; others wait in the queue and out of it when the restrictions come. */
  async function begunBy(restrictions: number, shared: Partial<SharedWindow> = {}): Promise<string[]> {
    const clock = createFakeClock()
    const limit = { ...settings, requests: 1, concurrency: 2 }
    const limiter = createRateLimiter(limit, { clock, shared: windowWith(shared) })
    const begun: string[] = []
    const call = (name: string, lane?: Lane) =>
      limiter.run(
        async () => {
          begun.push(name)
          await clock.sleep(10)
        },
        never,
        lane,
      )
    const all = many(6, { lastsMs: 0, countedAt: 0 }).map((_, index) => call(`o${index}`))
    await clock.advance(100)
    for (let number = 0; number < restrictions; number += 1) all.push(call(`r${number}`, 'restrictions'))
    await clock.runAll()
    await Promise.all(all)
    return begun
  }

  it.each([1, 3])('takes the next place before those that wait for it already: %i', async (restrictions) => {
    const begun = await begunBy(restrictions)
    expect(begun.slice(0, restrictions + 1)).toEqual(['o0', 'r0', 'r1', 'r2'].slice(0, restrictions + 1))
    // Of the others, as many as may be under way at once can change places.
    const others = begun.filter((name) => name.startsWith('o'))
    expect(others).toHaveLength(6)
    for (const [index, name] of others.entries())
      expect(Math.abs(Number(name.slice(1)) - index)).toBeLessThan(3)
  })

  it('tells the window of all processes what it is', async () => {
    const lanes: (Lane | undefined)[] = []
    await begunBy(1, { take: (_now, _places, lane) => lanes.push(lane) && 0 })
    expect(lanes.slice(0, 3)).toEqual(['others', 'restrictions', 'others'])
  })

  it('goes first after a pause, too, and keeps nobody waiting once its run has ended', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter({ ...settings, concurrency: 1 }, { clock })
    const run = new AbortController()
    const begun: string[] = []
    const call = (name: string, signal: AbortSignal, lane?: Lane) =>
      limiter.run(() => Promise.resolve(begun.push(name)), signal, lane)
    limiter.pause(1_000)
    const all = [call('o0', never), call('o1', never), call('r0', never, 'restrictions')]
    const ended = call('r1', run.signal, 'restrictions')
    run.abort()
    await clock.runAll()
    expect(await ended).toEqual({ kind: 'aborted' })
    await Promise.all(all)
    expect(begun).toEqual(['r0', 'o0', 'o1'])
  })
})

describe('a pause', () => {
  it('holds all calls back for as long as the longest asks', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter(settings, { clock })
    limiter.pause(30_000)
    limiter.pause(5_000)
    expect((await serve(limiter, clock, many(3, { lastsMs: 1, countedAt: 0 })))[0]).toBe(30_000)
  })

  it('is told to the other processes', () => {
    const told: number[] = []
    const shared = windowWith({ hold: (_, ms) => void told.push(ms) })
    const limiter = createRateLimiter(settings, { clock: createFakeClock(), shared })
    limiter.pause(30_000)
    limiter.slowDown(2_000, 0)
    expect(told).toEqual([30_000])
  })

  it('that another process was asked for is kept and told, once', async () => {
    const clock = createFakeClock()
    const told: number[] = []
    const pausedMs = (): number => Math.max(0, 30_000 - clock.monotonic())
    const shared = windowWith({ take: pausedMs, pausedMs })
    const limiter = createRateLimiter(settings, { clock, shared, onPaused: (ms) => told.push(ms) })
    const served = serve(limiter, clock, many(3, { lastsMs: 1, countedAt: 0 }))
    expect(limiter.use().pausedMs).toBe(30_000)
    expect((await served)[0]).toBe(30_000)
    expect(told).toEqual([30_000])
  })

  it('of throttling halves the rate, which is full again within two minutes', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter({ ...settings, requests: 8 }, { clock })
    limiter.slowDown(2_000, clock.monotonic())
    const counted = await serve(limiter, clock, many(1_200, { lastsMs: 1, countedAt: 0 }))
    const within = (from: number, to: number): number => counted.filter((at) => at >= from && at < to).length
    expect(within(0, 2_000)).toBe(0)
    expect(within(2_000, 7_000)).toBeLessThanOrEqual(25)
    expect(within(2_000, 7_000)).toBeGreaterThanOrEqual(18)
    expect(within(62_000, 122_000) / 60).toBeGreaterThan(7.2)
  })

  it('also reaches a call that already waits for a place', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter({ ...settings, requests: 1 }, { clock })
    await limiter.run(() => Promise.resolve(), never)
    const second = limiter.run(() => Promise.resolve(clock.monotonic()), never)
    await clock.advance(500)
    limiter.pause(10_000)
    await clock.runAll()
    expect(await second).toMatchObject({ value: 10_500 })
  })

  it('that shrinks the window below what is under way waits for an answer', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter({ ...settings, requests: 4, concurrency: 4 }, { clock })
    const slow = many(3, { lastsMs: 5_000, countedAt: 0 }).map(({ lastsMs }) =>
      limiter.run(() => clock.sleep(lastsMs), never),
    )
    await clock.settle()
    limiter.slowDown(1_000, clock.monotonic())
    const next = limiter.run(() => Promise.resolve(clock.monotonic()), never)
    await clock.runAll()
    await Promise.all(slow)
    expect(await next).toMatchObject({ kind: 'taken', value: 6_002 })
  })
})

describe('a signal', () => {
  it('ends the waiting at once, and lets go on what was sent', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter({ ...settings, requests: 1, concurrency: 2 }, { clock })
    const run = new AbortController()
    const sent = limiter.run(async () => {
      await clock.sleep(400)
      return 'answer'
    }, run.signal)
    await clock.settle()
    const waiting = Array.from({ length: 30 }, () => limiter.run(fail, run.signal))
    const other = limiter.run(() => Promise.resolve('other run'), never)
    await clock.settle()
    run.abort()
    await clock.runAll()
    expect(await sent).toMatchObject({ kind: 'taken', value: 'answer' })
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ kind: 'aborted' })))
    expect(await other).toMatchObject({ kind: 'taken', value: 'other run' })
    await limiter.idle()
  })

  it('ends a long pause without time passing', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter(settings, { clock })
    limiter.pause(900_000)
    const run = new AbortController()
    const turn = limiter.run(fail, run.signal)
    await clock.settle()
    run.abort()
    expect(await turn).toEqual({ kind: 'aborted' })
    expect(clock.monotonic()).toBe(0)
    expect(await limiter.run(fail, run.signal)).toEqual({ kind: 'aborted' })
  })
})

describe('the day', () => {
  it('is asked once for each request, with the wall clock', async () => {
    const clock = createFakeClock(5_000)
    const asked: number[] = []
    const takeOfDay = (nowMs: number, perDay: number): boolean => asked.push(nowMs) <= perDay
    const shared = windowWith({ takeOfDay })
    const limiter = createRateLimiter({ ...settings, per_day: 2 }, { clock, shared })
    const turns: TurnResult<undefined>[] = []
    for (let call = 0; call < 3; call += 1)
      turns.push(await limiter.run(() => Promise.resolve(undefined), never))
    expect(asked).toEqual([5_000, 5_000, 5_000])
    expect(turns.map(({ kind }) => kind)).toEqual(['taken', 'taken', 'daily_limit'])
  })
})

function fail(): Promise<never> {
  throw new Error('must not be sent')
}

describe('what it says of itself', () => {
  it('is how many places there are, how many are taken and who waits', async () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter({ ...settings, requests: 2, concurrency: 3 }, { clock })
    expect(limiter.use()).toEqual({ allowed: 2, used: 0, waiting: 0, pausedMs: 0 })
    const all = many(5, { lastsMs: 100, countedAt: 0 }).map(({ lastsMs }) =>
      limiter.run(async () => clock.sleep(lastsMs), never),
    )
    await clock.advance(50)
    expect(limiter.use()).toEqual({ allowed: 2, used: 2, waiting: 3, pausedMs: 0 })
    await clock.runAll()
    await Promise.all(all)
    expect(limiter.use()).toMatchObject({ waiting: 0 })
    await clock.advance(2_000)
    expect(limiter.use()).toMatchObject({ used: 0 })
  })

  it('is fewer places and a pause after the service throttled', () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter({ ...settings, requests: 10 }, { clock })
    limiter.slowDown(3_000, clock.monotonic())
    expect(limiter.use()).toMatchObject({ allowed: 5, pausedMs: 3_000 })
  })
})
