// Slowing down and coming back: half after throttling, everything again within two minutes.
import { expect, it } from 'vitest'
import { createAllowance } from '../../src/service/allowance.ts'

it('is full until the service complains', () => {
  expect(createAllowance(10).places(5)).toBe(10)
})

it('halves once for requests that were under way together', () => {
  const allowance = createAllowance(40)
  allowance.halve({ nowMs: 1_000, sentAtMs: 900, resumeAtMs: 2_000 })
  allowance.halve({ nowMs: 1_010, sentAtMs: 910, resumeAtMs: 2_000 })
  allowance.halve({ nowMs: 1_200, sentAtMs: 990, resumeAtMs: 2_200 })
  expect(allowance.places(2_200)).toBe(20)
  allowance.halve({ nowMs: 2_300, sentAtMs: 2_250, resumeAtMs: 3_300 })
  expect(allowance.places(3_300)).toBe(10)
})

it('never goes below one place', () => {
  const allowance = createAllowance(3)
  for (let time = 1; time < 10; time += 1) allowance.halve({ nowMs: time, sentAtMs: time, resumeAtMs: time })
  expect(allowance.places(10)).toBe(1)
})

it('grows back steadily and is full a minute after calls go on', () => {
  const allowance = createAllowance(100)
  allowance.halve({ nowMs: 0, sentAtMs: 0, resumeAtMs: 30_000 })
  expect([10_000, 30_000, 60_000, 89_999, 90_000].map((time) => allowance.places(time))).toEqual([
    50, 50, 75, 99, 100,
  ])
})

it('comes back from the least to the most within the two minutes that are promised', () => {
  const allowance = createAllowance(64)
  for (let time = 0; time < 60; time += 1) {
    allowance.halve({ nowMs: time * 1_000, sentAtMs: time * 1_000, resumeAtMs: time * 1_000 + 1_000 })
  }
  expect(allowance.places(60_000)).toBe(1)
  expect(allowance.places(59_000 + 120_000)).toBe(64)
})
