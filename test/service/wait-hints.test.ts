// How long answers ask us to wait: every spelling that was met, and every one that must be ignored.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resetDelayMs, retryAfterDelayMs, waitHints } from '../../src/service/wait-hints.ts'

const now = Date.UTC(2026, 2, 1, 12, 0, 0)

describe('retryAfterDelayMs', () => {
  it.each([
    ['30', 30_000],
    [' 7 ', 7_000],
    ['1.5', 1_500],
    ['0', 1_000],
    ['-5', 1_000],
    ['1000000000', 900_000],
    ['Sun, 01 Mar 2026 12:02:00 GMT', 120_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 1_000],
    ['Fri, 01 Jan 2038 00:00:00 GMT', 900_000],
    ['soon', undefined],
    ['abc 5', undefined],
    ['', undefined],
    ['5 minutes', undefined],
    ['Sun, 99 Mar 2026 12:02:00 GMT', undefined],
  ])('%j', (value, delayMs) => {
    expect(retryAfterDelayMs(value, now)).toBe(delayMs)
  })

  it('is always between a second and a quarter of an hour', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)), (value) => {
        const delayMs = retryAfterDelayMs(value, now)
        return delayMs === undefined || (delayMs >= 1_000 && delayMs <= 900_000)
      }),
    )
  })
})

describe('resetDelayMs', () => {
  it.each([
    ['20', 20_000],
    ['0', 1_000],
    ['3600', 900_000],
    [String(now / 1000 + 45), 45_000],
    [String(now + 45_000), 45_000],
    [String(now / 1000 - 20), 1_000],
    // Seconds or milliseconds? It is ambiguous.
    ['30000', undefined],
    ['86400', undefined],
    // Neither today in seconds nor in milliseconds.
    [String(now / 1000 + 90_000), undefined],
    ['99999999999999', undefined],
    ['-1', undefined],
    ['tomorrow', undefined],
  ])('%s', (value, delayMs) => {
    expect(resetDelayMs(value, now)).toBe(delayMs)
  })
})

describe('waitHints', () => {
  it.each(['x-rate-limit', 'x-ratelimit', 'ratelimit'])('reads the %s headers', (family) => {
    const headers = { [`${family}-limit`]: '5', [`${family}-remaining`]: '0', [`${family}-reset`]: '9' }
    expect(waitHints(headers, now)).toEqual({ retryAfterMs: undefined, resetMs: 9_000, exhaustedMs: 9_000 })
  })

  it('is not exhausted while something remains, or where no reset says until when', () => {
    expect(waitHints({ 'ratelimit-remaining': '1', 'ratelimit-reset': '9' }, now).exhaustedMs).toBeUndefined()
    expect(waitHints({ 'ratelimit-remaining': '0' }, now).exhaustedMs).toBeUndefined()
    expect(
      waitHints({ 'ratelimit-remaining': '0', 'ratelimit-reset': '30000' }, now).exhaustedMs,
    ).toBeUndefined()
  })

  it('keeps Retry-After and the reset apart, and takes the first of a repeated header', () => {
    const hints = waitHints({ 'retry-after': ['4', '8'] as string[], 'x-rate-limit-reset': '2' }, now)
    expect(hints).toMatchObject({ retryAfterMs: 4_000, resetMs: 2_000 })
  })
})
