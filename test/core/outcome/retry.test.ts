// The policy of repeating: what may never be sent twice, what costs an attempt, how long the waits are.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_THROTTLED_MS, retryDecision } from '../../../src/core/outcome/retry.ts'
import type { RetryQuestion, AttemptVerdict } from '../../../src/core/outcome/retry.ts'

const lost: AttemptVerdict = { kind: 'unknown', retriable: 'yes', throttled: false }
const throttled: AttemptVerdict = { kind: 'not_applied', retriable: 'yes', throttled: true }

function question(changes: Partial<RetryQuestion> = {}): RetryQuestion {
  return {
    verdict: lost,
    repeatable: true,
    attempt: 1,
    attempts: 6,
    throttles: 0,
    throttledMs: 0,
    maxDelayMs: 120_000,
    retryAfterMs: undefined,
    random: () => 0.999_999,
    ...changes,
  }
}

describe('retryDecision', () => {
  it.each<[string, Partial<RetryQuestion>, boolean]>([
    ['a lost read or update', {}, true],
    ['a lost create that would double', { repeatable: false }, false],
    [
      'a create that never left this machine',
      { repeatable: false, verdict: { kind: 'not_applied', retriable: 'yes', throttled: false } },
      true,
    ],
    ['a refusal', { verdict: { kind: 'refused', retriable: 'no', throttled: false } }, false],
    [
      'a doubtful refusal of the key',
      { verdict: { kind: 'denied', retriable: 'once', throttled: false } },
      true,
    ],
    [
      'the same for the second time',
      { attempt: 2, verdict: { kind: 'denied', retriable: 'once', throttled: false } },
      false,
    ],
    ['the last attempt but one', { attempt: 5 }, true],
    ['the last attempt', { attempt: 6 }, false],
    ['throttling after the last attempt', { verdict: throttled, attempt: 6, throttles: 9 }, true],
    ['throttling of a create', { verdict: throttled, repeatable: false, throttles: 1 }, true],
    ['an hour of throttling', { verdict: throttled, throttles: 40, throttledMs: MAX_THROTTLED_MS }, false],
  ])('%s', (_, changes, retry) => {
    expect(retryDecision(question(changes)).retry).toBe(retry)
  })

  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [9, 120_000],
    [60, 120_000],
  ])('backs off exponentially up to the cap: attempt %i', (attempt, delayMs) => {
    expect(retryDecision(question({ attempt, attempts: 100 }))).toEqual({
      retry: true,
      delayMs,
      spendsAttempt: true,
    })
  })

  it('spreads the whole delay by chance', () => {
    expect(retryDecision(question({ attempt: 4, random: () => 0 }))).toMatchObject({ delayMs: 0 })
    expect(retryDecision(question({ attempt: 4, random: () => 0.25 }))).toMatchObject({ delayMs: 1_000 })
  })

  it('waits at least as long as the service asks for, beyond its own cap', () => {
    expect(retryDecision(question({ retryAfterMs: 900_000 }))).toMatchObject({ delayMs: 900_000 })
    expect(retryDecision(question({ retryAfterMs: 1_000, attempt: 5 }))).toMatchObject({ delayMs: 8_000 })
  })

  it('takes the service at its word when throttled, and otherwise waits at least a second', () => {
    const told = question({ verdict: throttled, throttles: 1, retryAfterMs: 120_000 })
    expect(retryDecision(told)).toEqual({ retry: true, delayMs: 120_000, spendsAttempt: false })
    const untold = question({ verdict: throttled, throttles: 1, random: () => 0 })
    expect(retryDecision(untold)).toEqual({ retry: true, delayMs: 1_000, spendsAttempt: false })
  })

  it('never repeats what may have been applied and is not repeatable', () => {
    const anything = fc.record({
      attempt: fc.integer({ min: 1, max: 10 }),
      attempts: fc.integer({ min: 1, max: 10 }),
      throttles: fc.nat(10),
      throttledMs: fc.nat(5_000_000),
      retryAfterMs: fc.option(fc.integer({ min: 1_000, max: 900_000 }), { nil: undefined }),
      retriable: fc.constantFrom('yes', 'once', 'no'),
    })
    fc.assert(
      fc.property(anything, ({ retriable, ...changes }) => {
        const verdict: AttemptVerdict = { kind: 'unknown', retriable, throttled: false }
        const decision = retryDecision(question({ ...changes, verdict, repeatable: false }))
        return !decision.retry
      }),
    )
  })

  it('keeps its delay between nothing and the larger of cap and request', () => {
    const anything = fc.record({
      attempt: fc.integer({ min: 1, max: 50 }),
      maxDelayMs: fc.integer({ min: 1, max: 600_000 }),
      retryAfterMs: fc.option(fc.integer({ min: 1_000, max: 900_000 }), { nil: undefined }),
      chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
    })
    fc.assert(
      fc.property(anything, ({ chance, ...changes }) => {
        const decision = retryDecision(question({ ...changes, attempts: 100, random: () => chance }))
        const longest = Math.max(changes.maxDelayMs, changes.retryAfterMs ?? 0)
        return (
          decision.retry && decision.delayMs >= (changes.retryAfterMs ?? 0) && decision.delayMs <= longest
        )
      }),
    )
  })
})
