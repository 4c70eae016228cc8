// The use of a rate limit, from arrivals alone: a client that goes over is seen, and none can be better than possible.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullestWindow, leastMs, rateUse, type ServedRequest, steadyShare } from './rate-use.ts'

describe('the fullest window', () => {
  it.each([
    [[], 0],
    [[0], 1],
    [[0, 999, 1000], 2],
    [[0, 500, 999], 3],
    [[0, 1000, 1001, 1002, 2500], 3],
  ])('of %j holds %i', (times, most) => {
    expect(fullestWindow(times, 1000)).toBe(most)
  })
})

describe('the least time', () => {
  it.each([
    ['nothing to wait for', 4, 50, { allowed: 10, windowMs: 1000, atOnce: 4 }, 0],
    ['an answer', 5, 50, { allowed: 10, windowMs: 1000, atOnce: 4 }, 50],
    ['a window after the answer', 11, 50, { allowed: 10, windowMs: 1000, atOnce: 10 }, 1050],
    ['two windows', 21, 50, { allowed: 10, windowMs: 1000, atOnce: 10 }, 2100],
    ['one at a time, slower than the limit', 11, 200, { allowed: 10, windowMs: 1000, atOnce: 1 }, 2000],
  ])('with %s', (_what, requests, answerMs, limit, expected) => {
    expect(leastMs(requests, answerMs, limit)).toBe(expected)
  })

  it('uses W / (W + answer) of the limit in the long run', () => {
    const ms = leastMs(40_001, 50, { allowed: 40, windowMs: 1000, atOnce: 40 })
    expect(40_000 / (ms / 1000) / 40).toBeCloseTo(1000 / 1050, 6)
  })

  it('is never longer for fewer requests, more places or a shorter answer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 80 }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 8 }),
        (requests, answerMs, allowed, atOnce) => {
          const limit = { allowed, windowMs: 1000, atOnce }
          const least = leastMs(requests, answerMs, limit)
          expect(leastMs(requests - 1, answerMs, limit)).toBeLessThanOrEqual(least)
          expect(leastMs(requests, answerMs - 1, limit)).toBeLessThanOrEqual(least)
          expect(leastMs(requests, answerMs, { ...limit, allowed: allowed + 1 })).toBeLessThanOrEqual(least)
          expect(leastMs(requests, answerMs, { ...limit, atOnce: atOnce + 1 })).toBeLessThanOrEqual(least)
        },
      ),
    )
  })
})

describe('the use of a limit', () => {
  const limit = { allowed: 2, windowMs: 1000, atOnce: 2 }
  const writes = (...times: number[]): ServedRequest[] =>
    times.map((at) => ({ at, answered: at + 50, isWrite: true }))

  it('is 1 where each request goes as soon as it may', () => {
    expect(rateUse(writes(0, 0, 1050, 1050, 2100), limit)).toEqual({
      requests: 5,
      fullest: 2,
      answerMs: 50,
      share: 1,
    })
  })

  it('is half where twice the time is taken', () => {
    expect(rateUse(writes(0, 0, 2100, 2100, 4200), limit).share).toBe(0.5)
  })

  it('begins with the first write, and counts every request for the fullest window', () => {
    const early: ServedRequest = { at: -900, answered: -850, isWrite: false }
    const { share, fullest, requests } = rateUse([early, ...writes(0, 0, 1050)], limit)
    expect({ share, fullest, requests }).toEqual({ share: 1, fullest: 3, requests: 4 })
  })

  it('takes the answers that there were', () => {
    const lost: ServedRequest = { at: 0, answered: null, isWrite: true }
    expect(rateUse([lost, ...writes(0, 1050)], limit)).toMatchObject({ answerMs: 50, share: 1 })
  })

  it('from one moment to another is whole where each place is taken again at once, and counts the time of those that began before or last longer', () => {
    const all = writes(-500, -500, 550, 550)
    expect(steadyShare(all, { from: 0, to: 1000 }, limit)).toBe(1)
    expect(steadyShare(all.slice(0, 3), { from: 0, to: 1000 }, limit)).toBe(0.775)
    const lost: ServedRequest = { at: 500, answered: null, isWrite: true }
    expect(steadyShare([lost], { from: 0, to: 1000 }, limit)).toBe(0.25)
  })
})
