// Medians: of ratios, which one slow round must not move.
import { expect, it } from 'vitest'
import { median } from './median.ts'

it.each([
  [[3], 3],
  [[9, 1, 2], 2],
  [[1, 10, 2, 100], 6],
  [[10, 9, 100], 10],
])('of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected)
})

it('of nothing is no number, and the values stay in their order', () => {
  expect(median([])).toBeNaN()
  const values = [2, 1]
  median(values)
  expect(values).toEqual([2, 1])
})
