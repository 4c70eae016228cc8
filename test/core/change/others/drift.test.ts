// Drift: what counts as different, each contact once, and the interval of a sample.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createSample,
  driftInBoth,
  driftOf,
  driftReport,
  hasTermsToCompare,
  type LookOutcome,
  type SentContact,
  wilsonInterval,
} from '../../../../src/core/change/others/drift.ts'
import type { HandEditRule } from '../../../../src/core/change/others/hand-edits.ts'
import type { Contact } from '../../../../src/core/mapping/contact.ts'
import type { AssertedTerm } from '../../../../src/core/mapping/terms.ts'

const term = (name: string, unsure = false): AssertedTerm => ({ name, unsure, ours: true, shared: false })

function sent(fields: Contact, more: Partial<SentContact['link']> & Partial<SentContact['sent']> = {}) {
  const { unsure = [], terms, last = {}, pushed = [fields], open = [] } = more
  return { link: { contactId: 1, fields, unsure, terms }, sent: { last, pushed, open } }
}

const rules = (rule: HandEditRule, isWholeList = false) => ({
  any: true,
  ruleOf: () => rule,
  termRule: rule,
  isWholeList,
})

const NOTHING = { differing: [], kept: [] }

describe('a contact', () => {
  it.each([
    ['shows what was sent', sent({ phone: '1' }), { phone: '1' }, NOTHING],
    ['shows another form of it', sent({ mail: 'A@b.example' }), { mail: ' a@B.example' }, NOTHING],
    ['shows another value', sent({ phone: '1' }), { phone: '2' }, { differing: ['phone'], kept: [] }],
    ['lost a value', sent({ phone: '1' }), {}, { differing: ['phone'], kept: [] }],
    ['was given one that was cleared', sent({ fax: '' }), { fax: '3' }, { differing: ['fax'], kept: [] }],
    ['shows nothing where it was cleared', sent({ fax: '' }), { fax: null }, NOTHING],
    [
      'shows what another pipeline sent later',
      sent({ phone: '1' }, { last: { phone: '2' } }),
      { phone: '2' },
      NOTHING,
    ],
    [
      'shows what this one sent before another pipeline did',
      sent({ phone: '1' }, { last: { phone: '2' } }),
      { phone: '1' },
      { differing: ['phone'], kept: [] },
    ],
    [
      'shows what was sent without an answer',
      sent({ phone: '1' }, { open: [['phone', '2']] }),
      { phone: '2' },
      NOTHING,
    ],
    [
      'is not compared where an outcome is unknown',
      sent({ phone: '1' }, { unsure: ['phone'] }),
      { phone: '7' },
      NOTHING,
    ],
    ['hides its status', sent({ mail_status: 4 }), {}, NOTHING],
    ['unsubscribed', sent({ mail_status: 4 }), { mail_status: 2 }, { differing: ['mail_status'], kept: [] }],
  ] as const)('%s', (_, state, fields, expected) => {
    const shown = { contact: { id: 1, fields }, terms: undefined }
    expect(driftOf(state, shown, rules('overwrite'))).toEqual(expected)
  })

  it('shows an edit that is kept; one that asks differs, and so does a blank', () => {
    const shown = (phone: string) => ({ contact: { id: 1, fields: { phone } }, terms: undefined })
    const state = sent({ phone: '1' })
    expect(driftOf(state, shown('2'), rules('keep'))).toEqual({ differing: [], kept: ['phone'] })
    expect(driftOf(state, shown('2'), rules('ask'))).toEqual({ differing: ['phone'], kept: [] })
    expect(driftOf(state, shown(''), rules('keep'))).toEqual({ differing: ['phone'], kept: [] })
  })

  it.each([
    ['lacks a term', false, ['X'], { differing: ['term A'], kept: [] }],
    ['has them in another case, and one of others', false, ['a', 'X'], NOTHING],
    ['has one of others under replace', true, ['A', 'X'], { differing: ['term X'], kept: [] }],
    ['has one whose outcome is unknown', true, ['A', 'B'], NOTHING],
  ] as const)('%s', (_, isWholeList, terms, expected) => {
    const state = sent({}, { terms: [term('A'), term('B', true)] })
    const shown = { contact: { id: 1, fields: {} }, terms }
    expect(driftOf(state, shown, rules('overwrite', isWholeList))).toEqual(expected)
    const kept = { differing: expected.kept, kept: expected.differing }
    expect(driftOf(state, shown, rules('keep', isWholeList))).toEqual(kept)
  })

  it('of a record without a list of terms lacks none; under replace it has none but those of others', () => {
    const shown = { contact: { id: 1, fields: {} }, terms: ['X'] }
    expect(driftOf(sent({}), shown, rules('overwrite'))).toEqual(NOTHING)
    expect(driftOf(sent({}), shown, rules('overwrite', true))).toEqual({ differing: ['term X'], kept: [] })
  })

  it('has its terms read where they can differ', () => {
    expect(hasTermsToCompare(undefined, 'replace')).toBe(false)
    expect(hasTermsToCompare([], 'managed')).toBe(false)
    expect(hasTermsToCompare([], 'replace')).toBe(true)
    expect(hasTermsToCompare([term('A')], 'add')).toBe(true)
  })

  it('differs in what was different before and after', () => {
    const before = { differing: ['phone', 'fax'], kept: ['skype', 'fb'] }
    const after = { differing: ['fax'], kept: ['fb', 'phone'] }
    expect(driftInBoth(before, after)).toEqual({ differing: ['fax'], kept: ['fb'] })
  })
})

describe('a report', () => {
  const seen = (differing: string[], kept: string[] = []): LookOutcome => ({
    kind: 'seen',
    drifted: { differing, kept },
  })

  it('counts each contact once, and each of its fields', () => {
    const outcomes = [
      ...[seen(['phone', 'fax']), seen(['fax'], ['skype']), seen([], ['skype']), seen([])],
      ...(['gone', 'left', 'unanswered'] as const).map((kind) => ({ kind })),
    ]
    expect(driftReport('shop', { outcomes, contacts: 6 })).toMatchObject({
      ...{ pipeline: 'shop', contacts: 6, checked: 5, differing: 2, gone: 1, kept: 1, unanswered: 1 },
      ...{ by_field: { fax: 2, phone: 1 }, share: 0.4, low: 0.4, high: 0.4 },
    })
    const sample = driftReport('shop', { outcomes, contacts: 1000 })
    expect([sample.share, sample.low < 0.4, sample.high > 0.4]).toEqual([0.4, true, true])
    expect(driftReport('shop', { outcomes: [{ kind: 'unanswered' }], contacts: 1 })).toMatchObject({
      ...{ checked: 0, share: 0, low: 0, high: 1 },
    })
  })

  it('counts as kept what shows nothing but edits that are kept, and as neither what is as sent', () => {
    const outcomes = [seen([], ['fax']), seen([]), seen([]), seen(['phone'], ['fax'])]
    expect(driftReport('shop', { outcomes, contacts: 4 })).toMatchObject({
      checked: 4,
      differing: 1,
      kept: 1,
    })
  })

  it('names the field first in which most contacts differ', () => {
    const outcomes = [seen(['a', 'b', 'c']), seen(['b', 'c']), seen(['c']), seen(['c', 'd', 'b'])]
    const { by_field } = driftReport('shop', { outcomes, contacts: 4 })
    expect(Object.entries(by_field)).toEqual([
      ['c', 4],
      ['b', 3],
      ['a', 1],
      ['d', 1],
    ])
  })

  it('has the interval of the textbooks', () => {
    const { low, high } = wilsonInterval(10, 100)
    expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.0552', '0.1744'])
    // Among these are sizes at which the formula alone misses the ends by its rounding.
    for (let of = 1; of <= 400; of += 1) {
      expect(wilsonInterval(0, of).low).toBe(0)
      expect(wilsonInterval(of, of).high).toBe(1)
    }
  })

  it('has an interval around its share', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.integer({ min: 1, max: 500 }), (hits, more) => {
        const of = hits + more
        const { low, high } = wilsonInterval(hits, of)
        return low >= 0 && low <= hits / of && hits / of <= high && high <= 1
      }),
    )
  })
})

it('draws each with equal probability, and none twice', () => {
  let seed = 7
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647
  const times = Array.from({ length: 10 }, () => 0)
  for (let round = 0; round < 4000; round += 1) {
    const sample = createSample<number>(3, random)
    times.forEach((_, item) => sample.pass(item))
    expect(new Set(sample.chosen()).size).toBe(3)
    expect(sample.passed()).toBe(10)
    sample.chosen().forEach((item) => (times[item] = (times[item] ?? 0) + 1))
  }
  expect(Math.min(...times)).toBeGreaterThan(1100)
  expect(Math.max(...times)).toBeLessThan(1300)
})
