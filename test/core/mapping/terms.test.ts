// Who asserts which term, and what follows for the contact: the pure part.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AssertedTerm,
  distinctTerms,
  termKey,
  termOutcome,
  termPlan,
  unknownTermsText,
} from '../../../src/core/mapping/terms.ts'

const asserted = (name: string, is: Partial<AssertedTerm> = {}): AssertedTerm => ({
  name,
  ours: true,
  shared: false,
  unsure: false,
  ...is,
})

describe('names', () => {
  it.each([
    ['VIP', ' vip '],
    ['MU\u0308LLER', 'müller'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟΣ', 'ΟΔΟσ'],
    ['K', '\u212A'],
  ])('%s is %s', (one, other) => {
    expect(termKey(one)).toBe(termKey(other))
  })

  it.each([
    ['Straße', 'STRASSE'],
    ['Café', 'Cafe'],
    ['A B', 'A  B'],
    ['I', 'ı'],
    ['1', '１'],
  ])('%s is not %s: whether the service thinks so, its answer says', (one, other) => {
    expect(termKey(one)).not.toBe(termKey(other))
  })

  it('are taken once each, in their order, blanks left out', () => {
    expect(distinctTerms([' B ', 'a', '', 'b', 'A', 'c\u200b'])).toEqual(['B', 'a', 'c'])
  })

  it('have one form for comparison', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => termKey(termKey(name)) === termKey(name)),
    )
  })
})

describe('a plan', () => {
  it.each([
    ['add', [], undefined, undefined],
    ['add', ['a'], undefined, { add: ['a'], remove: [], asserts: ['a'] }],
    ['add', [], [asserted('a')], undefined],
    ['add', ['b'], [asserted('a')], { add: ['b'], remove: [], asserts: ['a', 'b'] }],
    ['managed', ['A'], [asserted('a')], undefined],
    ['managed', [], [asserted('a')], { add: [], remove: ['a'], asserts: [] }],
    ['managed', [], [asserted('a', { ours: false })], { add: [], remove: [], asserts: [] }],
    ['managed', [], [asserted('a', { shared: true })], { add: [], remove: [], asserts: [] }],
    ['replace', [], undefined, { add: [], remove: [], asserts: [] }],
    ['replace', [], [], undefined],
    ['replace', ['b'], [asserted('a', { ours: false })], { add: ['b'], remove: ['a'], asserts: ['b'] }],
  ] as const)('%s: %j wanted, %j asserted', (policy, wanted, before, expected) => {
    expect(termPlan(wanted, before, policy)).toEqual(expected)
  })

  it('leaves nothing to do once it is carried out, and never removes what is not ours', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 })
    const before = names.chain((list) =>
      fc.tuple(
        ...list.map((name) =>
          fc.record({
            name: fc.constant(name),
            ours: fc.boolean(),
            shared: fc.boolean(),
            unsure: fc.boolean(),
          }),
        ),
      ),
    )
    const policies = fc.constantFrom('add', 'managed', 'replace')
    fc.assert(
      fc.property(names, before, policies, (wanted, ledger, policy) => {
        const plan = termPlan(wanted, ledger, policy)
        if (plan === undefined) return
        const done = { added: plan.add, removed: plan.remove, unusable: [] }
        const { asserts } = termOutcome(plan, ledger, done, policy)
        const after = asserts.map((term) => ({ ...term, shared: false, unsure: false }))
        expect(termPlan(wanted, after, policy)).toBeUndefined()
        if (policy !== 'managed') return
        for (const name of plan.remove)
          expect(ledger.find((term) => term.name === name)).toMatchObject({ ours: true, shared: false })
      }),
    )
  })

  it('counts as ours only what was given under managed or replace', () => {
    const plan = { add: ['a', 'b'], remove: [], asserts: ['a', 'b', 'x'] }
    const done = { added: ['a'], removed: [], unusable: ['x'] }
    expect(termOutcome(plan, [], done, 'managed').asserts).toEqual([
      { name: 'a', ours: true },
      { name: 'b', ours: false },
    ])
    expect(termOutcome(plan, [], done, 'add').asserts.every(({ ours }) => !ours)).toBe(true)
  })
})

it('names the nearest term that there is', () => {
  const terms = [{ id: 1, name: 'Customer', description: '' }]
  expect(unknownTermsText(['Custmer', 'xyz'], terms)).toContain(
    '"Custmer" (the nearest is "Customer"), "xyz"',
  )
  expect(unknownTermsText(['x'], [])).toContain('no term "x",')
})
