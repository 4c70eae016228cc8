// Limits go by the number of rows, and what was not measured is never within them.
import { describe, expect, it } from 'vitest'
import { LIMITS, stepAt, verdictOf } from './limits.ts'

describe('the step of a number of rows', () => {
  const steps = { 30_000: 3, 100_000: 2, 1_000_000: 1 }

  it.each([
    [29_999, undefined],
    [30_000, 3],
    [99_999, 3],
    [100_000, 2],
    [5_000_000, 1],
  ])('of %i is %s', (rows, value) => {
    expect(stepAt(steps, rows)).toBe(value)
  })
})

describe('a value is judged', () => {
  const limit = { aim: { 100: 1 }, most: { 10: 2 } }

  it.each([
    [1, 100, 'reached'],
    [1.01, 100, 'not reached'],
    [2, 100, 'not reached'],
    [2.01, 100, 'ABOVE ITS LIMIT'],
    [NaN, 100, 'ABOVE ITS LIMIT'],
    [Infinity, 10, 'ABOVE ITS LIMIT'],
    [2, 10, 'within its limit'],
    [2, 9, 'not judged'],
  ])('%d with %i rows: %s', (value, rows, verdict) => {
    expect(verdictOf(value, limit, rows)).toBe(verdict)
  })

  it('without a limit, a value that is no number has not reached its aim', () => {
    expect(verdictOf(NaN, { aim: { 1: 1 }, most: {} }, 1)).toBe('not reached')
  })
})

it('every ratio of processor time has a limit for the short form and for a full one', () => {
  const ratios = Object.entries(LIMITS).filter(([, { what }]) => what.includes(' / '))
  expect(ratios.length).toBeGreaterThan(10)
  for (const [name, { most }] of ratios)
    for (const rows of [30_000, 1_000_000]) expect(stepAt(most, rows), name).toBeGreaterThan(0)
})
