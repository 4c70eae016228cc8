// What another configuration makes of the same records, in numbers: what becomes of each, and which fields and terms move.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type OutcomePair,
  type RehearsalTotals,
  rehearsalCounter,
  type RehearsedOutcome,
} from '../../../../src/core/change/plan/rehearsal.ts'
import type { Contact, FieldValue } from '../../../../src/core/mapping/contact.ts'

const mapped = (contact: Contact = {}, terms: readonly string[] = [], key = 'K1'): RehearsedOutcome => ({
  kind: 'mapped',
  key,
  contact,
  terms,
})
const SKIPPED: RehearsedOutcome = { kind: 'skipped' }
const INVALID: RehearsedOutcome = { kind: 'rejected', code: 'FIELD_INVALID' }
const RAGGED: RehearsedOutcome = { kind: 'rejected', code: 'RECORD_RAGGED' }

type Pair = readonly [before: RehearsedOutcome | undefined, after: RehearsedOutcome | undefined]

function totalsOf(pairs: readonly Pair[]): RehearsalTotals {
  const counter = rehearsalCounter()
  for (const [before, after] of pairs) counter.add({ before, after } satisfies OutcomePair)
  return counter.totals()
}

const NOTHING: RehearsalTotals = {
  records: 0,
  differing: 0,
  keysChanged: 0,
  outcomes: [],
  byField: {},
  byTerm: {},
  sharedTerms: new Set(),
}
const NO_MOVES = { set: 0, changed: 0, emptied: 0, no_longer_sent: 0 }

describe('a record under two configurations', () => {
  it.each<[string, ...Pair]>([
    [
      'a contact with the same fields and terms',
      mapped({ phone: '1' }, ['a']),
      mapped({ phone: '1' }, ['a']),
    ],
    ['skipped by both', SKIPPED, SKIPPED],
    ['rejected by both for the same reason', INVALID, INVALID],
    ['part of another record in both', undefined, undefined],
  ])('is no different one: %s', (_, before, after) => {
    expect(totalsOf([[before, after]])).toEqual({ ...NOTHING, records: 1 })
  })

  it.each<[string, string, ...Pair]>([
    ['mapped', 'skipped', mapped({ phone: '1' }, ['a']), SKIPPED],
    ['skipped', 'mapped', SKIPPED, mapped({ phone: '1' }, ['a'])],
    ['mapped', 'FIELD_INVALID', mapped(), INVALID],
    ['FIELD_INVALID', 'RECORD_RAGGED', INVALID, RAGGED],
    ['missing', 'mapped', undefined, mapped({ phone: '1' })],
    ['mapped', 'missing', mapped({ phone: '1' }), undefined],
    ['missing', 'skipped', undefined, SKIPPED],
  ])('has another outcome: %s, then %s; no field or term of it is counted', (was, is, before, after) => {
    const outcomes = [{ before: was, after: is, records: 1 }]
    expect(totalsOf([[before, after]])).toEqual({ ...NOTHING, records: 1, differing: 1, outcomes })
  })

  it('has another outcome as often as it is counted, the most frequent pair first', () => {
    const totals = totalsOf([
      [mapped(), SKIPPED],
      [mapped(), INVALID],
      [mapped(), INVALID],
      [SKIPPED, mapped()],
      [SKIPPED, mapped()],
      [SKIPPED, mapped()],
      [SKIPPED, SKIPPED],
    ])
    expect(totals).toMatchObject({ records: 7, differing: 6 })
    expect(totals.outcomes).toEqual([
      { before: 'skipped', after: 'mapped', records: 3 },
      { before: 'mapped', after: 'FIELD_INVALID', records: 2 },
      { before: 'mapped', after: 'skipped', records: 1 },
    ])
  })

  it('becomes another contact by another key; its fields are compared nevertheless', () => {
    expect(totalsOf([[mapped({ phone: '1' }), mapped({ phone: '1' }, [], 'K2')]])).toEqual({
      ...NOTHING,
      ...{ records: 1, differing: 1, keysChanged: 1 },
    })
    expect(totalsOf([[mapped({ phone: '1' }), mapped({ phone: '2' }, [], 'K2')]])).toEqual({
      ...NOTHING,
      ...{ records: 1, differing: 1, keysChanged: 1 },
      byField: { phone: { ...NO_MOVES, changed: 1 } },
    })
  })
})

describe('a field under two configurations', () => {
  const fieldOf = (value: FieldValue | undefined): Contact => (value === undefined ? {} : { phone: value })

  it.each<[string, FieldValue | undefined, FieldValue | undefined]>([
    ['set', undefined, '1'],
    ['set', '', '1'],
    ['set', [], ['a']],
    ['set', undefined, 0],
    ['changed', '1', '2'],
    ['changed', '1', 1],
    ['changed', ['a'], ['a', 'b']],
    ['changed', ['a', 'b'], ['b', 'a']],
    ['emptied', '1', ''],
    ['emptied', ['a'], []],
    // What nobody sent before would be cleared at the service.
    ['emptied', undefined, ''],
    ['emptied', undefined, []],
    ['no_longer_sent', '1', undefined],
    ['no_longer_sent', ['a'], undefined],
    ['no_longer_sent', 0, undefined],
  ])('is %s: %j, then %j', (move, before, after) => {
    expect(totalsOf([[mapped(fieldOf(before)), mapped(fieldOf(after))]])).toEqual({
      ...{ ...NOTHING, records: 1, differing: 1 },
      byField: { phone: { ...NO_MOVES, [move]: 1 } },
    })
  })

  it.each<[FieldValue, FieldValue | undefined]>([
    ['1', '1'],
    [0, 0],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['', ''],
    ['', []],
    [[], ''],
    ['', undefined],
    [[], undefined],
  ])('is sent the same: %j, then %j', (before, after) => {
    expect(totalsOf([[mapped(fieldOf(before)), mapped(fieldOf(after))]])).toEqual({ ...NOTHING, records: 1 })
  })

  it('is counted by each of its moves, the field of the most moves first', () => {
    const { differing, byField } = totalsOf([
      [mapped({ fax: '1', phone: '1' }), mapped({ phone: '2' })],
      [mapped({ phone: '1' }), mapped({ phone: '3' })],
      [mapped({ phone: '1' }), mapped({})],
      [mapped({ mail: 'a' }), mapped({ mail: 'b' })],
      [mapped({ mail: 'a' }), mapped({ mail: '' })],
    ])
    expect(differing).toBe(5)
    expect(Object.entries(byField)).toEqual([
      ['phone', { ...NO_MOVES, changed: 2, no_longer_sent: 1 }],
      ['mail', { ...NO_MOVES, changed: 1, emptied: 1 }],
      ['fax', { ...NO_MOVES, no_longer_sent: 1 }],
    ])
  })
})

describe('the terms of a record under two configurations', () => {
  it('are given or taken away', () => {
    expect(totalsOf([[mapped({}, ['a', 'b']), mapped({}, ['b', 'c'])]])).toEqual({
      ...{ ...NOTHING, records: 1, differing: 1 },
      byTerm: { c: { add: 1, remove: 0 }, a: { add: 0, remove: 1 } },
    })
  })

  it.each<[string, readonly string[], readonly string[]]>([
    ['gained', [], ['a']],
    ['lost', ['a'], []],
  ])('make a difference where one is %s, without any field', (_, before, after) => {
    expect(totalsOf([[mapped({}, before), mapped({}, after)]]).differing).toBe(1)
  })

  it('make no difference in another spelling or order', () => {
    const pair = [mapped({}, ['News', 'Café']), mapped({}, ['cafe\u0301', 'NEWS '])] as const
    expect(totalsOf([pair])).toEqual({ ...NOTHING, records: 1 })
  })

  it('are counted by name, the one of the most changes first', () => {
    const { byTerm } = totalsOf([
      [mapped({}, []), mapped({}, ['a', 'b'])],
      [mapped({}, ['b']), mapped({}, [])],
      [mapped({}, []), mapped({}, ['b'])],
    ])
    expect(Object.entries(byTerm)).toEqual([
      ['b', { add: 2, remove: 1 }],
      ['a', { add: 1, remove: 0 }],
    ])
  })

  it('are shared once five people gain or lose them', () => {
    const gains = (term: string, count: number): Pair[] =>
      Array.from({ length: count }, (_, at) => [
        mapped({ mail: `p${at}@x.example` }),
        mapped({ mail: `p${at}@x.example` }, [term]),
      ])
    const losses = gains('old', 5).map(([before, after]): Pair => [after, before])
    expect(totalsOf([...gains('wide', 5), ...gains('rare', 4), ...losses]).sharedTerms).toEqual(
      new Set(['wide', 'old']),
    )
  })

  it('are of one person where the mail is the same, whatever the case and the key', () => {
    const gains = Array.from({ length: 5 }, (_, at): Pair => {
      const contact = { mail: at % 2 === 0 ? 'p@x.example' : 'P@X.example' }
      return [mapped(contact, [], `K${at}`), mapped(contact, ['a'], `K${at}`)]
    })
    expect(totalsOf(gains).sharedTerms).toEqual(new Set())
  })

  it('are of one person by the key where there is no mail', () => {
    const gains = (keys: readonly string[]): Pair[] =>
      keys.map((key) => [mapped({}, [], key), mapped({}, ['a'], key)])
    expect(totalsOf(gains(['1', '2', '3', '4', '4'])).sharedTerms).toEqual(new Set())
    expect(totalsOf(gains(['1', '2', '3', '4', '5'])).sharedTerms).toEqual(new Set(['a']))
  })

  it('are taken by one configuration where the other one gives them', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'))
    fc.assert(
      fc.property(fc.array(fc.tuple(names, names)), (all) => {
        const pairs = all.map(([before, after]): Pair => [mapped({}, before), mapped({}, after)])
        const there = totalsOf(pairs)
        const back = totalsOf(pairs.map(([before, after]): Pair => [after, before]))
        expect(back.differing).toBe(there.differing)
        expect(back.byTerm).toEqual(
          Object.fromEntries(
            Object.entries(there.byTerm).map(([name, { add, remove }]) => [
              name,
              { add: remove, remove: add },
            ]),
          ),
        )
      }),
    )
  })
})
