// What a suppression list means: whom it names, what is left of a record, and when it is too short to be whole.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addressHash,
  hashPrefix,
  hashSet,
  isSuppressed,
  isSuppressedNow,
  isTooShort,
  removalsOf,
  restrictedTo,
  type Suppressed,
} from '../../../../src/core/change/consents/suppression.ts'

const listOf = (...mails: string[]): Suppressed => ({
  edition: 1,
  has: (mail) => mails.map(addressHash).includes(addressHash(mail)),
})
const asserted = (...names: string[]) =>
  names.map((name) => ({ name, ours: true, shared: false, unsure: false }))

it('names an address whatever its case and the blanks around it', () => {
  expect(addressHash(' Ann@Example.COM ')).toBe(addressHash('ann@example.com'))
  // As every tool computes it that makes such a list.
  expect(addressHash('ann@example.com')).toBe(
    '71d4f55f72fa128dfb468a1a3901507c804b74316488744d769d7f4b16696476',
  )
})

it('finds what is in the set, and nothing else', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.emailAddress()), fc.uniqueArray(fc.emailAddress()), (some, others) => {
      const set = hashSet(BigUint64Array.from(some, (mail) => hashPrefix(addressHash(mail))))
      const wanted = new Set(some.map((mail) => mail.toLowerCase()))
      for (const mail of [...some, ...others])
        expect(set.has(addressHash(mail))).toBe(wanted.has(mail.toLowerCase()))
    }),
  )
})

it.each([
  [100, 91, false],
  [100, 90, true],
  [100, 100, false],
  [100, 110, false],
  [1, 0, true],
  [0, 0, false],
])('of %i entries, then %i: too short %s', (last, entries, expected) => {
  expect(isTooShort(entries, last)).toBe(expected)
})

describe('a record', () => {
  const list = listOf('ann@example.com')
  it.each([
    [{ mail: 'Ann@example.com' }, {}, true, true],
    [{ mail: 'new@example.com' }, { mail: 'ann@example.com' }, false, true],
    [{ first_name: 'Ann' }, { mail: 'ann@example.com' }, true, true],
    [{ mail: '' }, { mail: 'ann@example.com' }, true, true],
    [{ mail: 'new@example.com' }, {}, false, false],
    [{}, {}, false, false],
  ])('%j of a contact with %j', (desired, known, planned, sent) => {
    expect(isSuppressed(desired, known, list)).toBe(planned)
    expect(isSuppressedNow(desired, known, list)).toBe(sent)
  })

  it.each([
    ['7', { mail: 'a@b.example', mail_status: 7 }, {}],
    ['2', { mail: 'a@b.example', mail_status: 2 }, { mail_status: 2 }],
    ['1', { mail_status: 1 }, { mail_status: 1 }],
    ['none', { first_name: 'Ann' }, {}],
  ])('with status %s keeps a restriction alone', (_status, contact, left) => {
    expect(restrictedTo({ contact, terms: undefined }, { terms: [] }).contact).toEqual(left)
  })

  it('keeps the terms that it has, and gets no other', () => {
    const record = { contact: {}, terms: ['A', 'B', 'D'] }
    expect(restrictedTo(record, { terms: asserted('a', 'C', 'D') }).terms).toEqual(['A', 'D'])
    expect(restrictedTo(record, { terms: undefined }).terms).toBeUndefined()
    expect(restrictedTo({ contact: {}, terms: undefined }, { terms: [] }).terms).toBeUndefined()
  })
})

it('leaves of a plan for terms what it removes', () => {
  const plan = { add: ['A'], remove: ['B'], asserts: ['A', 'C', 'D'] }
  expect(removalsOf(plan, undefined)).toEqual({ add: [], remove: ['B'], asserts: ['C', 'D'] })
  expect(removalsOf(plan, ['d', 'X'])).toEqual({ add: [], remove: ['B'], asserts: ['D'] })
})
