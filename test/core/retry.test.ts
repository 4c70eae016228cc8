import { describe, expect, it } from 'vitest'
import { resetMs, retryAfterMs, retryDecision } from '../../src/core/retry.ts'

const NOW = Date.UTC(2026, 0, 1)

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 1000],
    ['-5', 1000],
    ['1000000000', 900_000],
    [new Date(NOW + 30_000).toUTCString(), 30_000],
    [new Date(NOW - 30_000).toUTCString(), 1000],
    ['abc', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (header, expected) => {
    expect(retryAfterMs(header, NOW)).toBe(expected)
  })
})

describe('a reset', () => {
  it.each([
    ['30', 30_000],
    [String(NOW / 1000 + 30), 30_000],
    [String(NOW + 30_000), 30_000],
    ['90000', undefined],
    ['-1', undefined],
    ['soon', undefined],
    [undefined, undefined],
  ])('%s is %s ms away', (header, expected) => {
    expect(resetMs(header, NOW)).toBe(expected)
  })
})

describe('a retry', () => {
  const ended = { kind: 'unknown', throttled: false, transient: true, pauseMs: undefined } as const
  const rules = { repeatable: true, attempt: 1, attempts: 3, maxDelayMs: 60_000, throttles: 0, random: 1 }
  it.each([
    [
      'after a passing failure of what may be repeated',
      ended,
      rules,
      { retry: true, delayMs: 500, spendsAttempt: true },
    ],
    ['later each time', ended, { ...rules, attempt: 2 }, { retry: true, delayMs: 1000, spendsAttempt: true }],
    [
      'never beyond the longest delay',
      ended,
      { ...rules, attempt: 2, maxDelayMs: 600 },
      { retry: true, delayMs: 600, spendsAttempt: true },
    ],
    ['not after the last attempt', ended, { ...rules, attempt: 3 }, { retry: false }],
    ['not of what could double somebody', ended, { ...rules, repeatable: false }, { retry: false }],
    [
      'of anything that was not applied',
      { ...ended, kind: 'not_applied' },
      { ...rules, repeatable: false },
      { retry: true, delayMs: 500, spendsAttempt: true },
    ],
    ['not of a final answer', { ...ended, transient: false }, rules, { retry: false }],
    [
      'when asked for a pause, however often',
      { ...ended, throttled: true, pauseMs: 90_000 },
      { ...rules, attempt: 3 },
      { retry: true, delayMs: 90_000, spendsAttempt: false },
    ],
    [
      'when asked for a pause of no length',
      { ...ended, throttled: true },
      rules,
      { retry: true, delayMs: 1000, spendsAttempt: false },
    ],
  ] as const)('%s', (_, end, rule, expected) => {
    expect(retryDecision(end, rule)).toEqual(expected)
  })
})
