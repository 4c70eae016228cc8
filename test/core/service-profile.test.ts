// What `probe` concludes from what it saw, and that it concludes nothing from what it did not see.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  clearingSeen,
  containerSeen,
  largestAccepted,
  mergeSeen,
  pageCapSeen,
  rateHeadersSeen,
} from '../../src/core/service-profile.ts'

const LONG = Array.from({ length: 500 }, (_, n) => n)

it.each([
  [[1, 2], [3], 2],
  [[1, 2], [], 'unknown'],
  [[1, 2], [1, 2], 'unknown'],
  [[1, 2], undefined, 'unknown'],
  [[], [], 'unknown'],
  [undefined, undefined, 'unknown'],
  [LONG, undefined, 500],
])('pages %# give %#', (first, second, cap) => {
  expect(pageCapSeen(first, second)).toBe(cap)
})

it.each([
  [{ phone: '1' }, { phone: null }, true],
  [{ phone: '1' }, { phone: '1' }, false],
  [{ phone: '' }, { phone: '' }, 'unknown'],
  [undefined, { phone: '' }, 'unknown'],
  [{ phone: '1' }, undefined, 'unknown'],
])('%j and then %j: cleared %s', (before, after, cleared) => {
  expect(clearingSeen('phone', before, after)).toBe(cleared)
})

it.each([
  [true, true, 'both'],
  [true, false, 'array'],
  [false, true, 'keyed'],
  [false, false, 'unknown'],
  [undefined, true, 'unknown'],
  [true, undefined, 'unknown'],
])('an array %s, an object %s: %s', (array, keyed, container) => {
  expect(containerSeen(array, keyed)).toBe(container)
})

const sent = { first: 'new', more: 'x' }
const before = { first: 'old', more: '' }
it.each([
  ['update_add', before, { first: 'new', more: 'x' }, 'as_documented'],
  ['update_add', before, { first: 'new', more: '' }, 'other'],
  ['update', before, { first: 'new', more: null }, 'as_documented'],
  ['update', before, { first: 'new', more: 'x' }, 'other'],
  ['add', before, { first: 'old', more: 'x' }, 'as_documented'],
  ['add', before, { first: 'new', more: 'x' }, 'other'],
  ['add', undefined, { first: 'new', more: 'x' }, 'unknown'],
  ['add', before, undefined, 'unknown'],
  ['add', { first: '', more: '' }, sent, 'unknown'],
  ['add', { first: 'new', more: '' }, sent, 'unknown'],
  ['add', { first: 'old', more: 'y' }, sent, 'unknown'],
] as const)('%s of %j gave %j: %s', (method, was, after, merge) => {
  expect(mergeSeen(method, { before: was, sent, after, present: 'first', added: 'more' })).toBe(merge)
})

it.each([
  [['content-type', 'x-ratelimit-limit', 'retry-after'], 'x-ratelimit'],
  [['retry-after'], 'retry-after'],
  [['date'], 'none'],
])('headers %j: %s', (names, headers) => {
  expect(rateHeadersSeen(new Set(names))).toBe(headers)
})

it('finds every limit within ten calls', async () => {
  const limits = { accepted: 2, most: 500 }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 600 }), async (limit) => {
      let calls = 0
      const accepts = (size: number) => {
        calls += 1
        return Promise.resolve(size <= limit)
      }
      expect(await largestAccepted(limits, accepts)).toBe(Math.min(limit, 500))
      expect(calls).toBeLessThanOrEqual(10)
    }),
  )
})

it('does not know a limit where a call has no answer', async () => {
  const limits = { accepted: 2, most: 500 }
  expect(await largestAccepted(limits, () => Promise.resolve(undefined))).toBeUndefined()
  const lost = (size: number) => Promise.resolve(size === 500 ? false : undefined)
  expect(await largestAccepted(limits, lost)).toBeUndefined()
})
