// A plan is a value: built, judged and refused here by hand, without a state.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgedInput } from '../../../src/core/change/waiting/guard.ts'
import type { Operation } from '../../../src/core/change/operation.ts'
import {
  MOST_GROUPS,
  MOST_TERM_NAMES,
  planBuilder,
  plannedChanges,
} from '../../../src/core/change/plan/plan.ts'
import { noCounts } from '../../../src/core/outcome/summary.ts'
import { GUARDS } from '../../support/pipeline.ts'
import { changeWith, LIMITS, phoneUpdates, planWith } from '../../support/plan.ts'

const create = (own: Partial<Operation>): Operation =>
  changeWith({ kind: 'create', contactId: undefined, mailKey: 'a', ...own } as never)
const update = (own: Partial<Operation>): Operation => changeWith({ kind: 'update', ...own } as never)
const terms = (add: string[], remove: string[] = []) => ({ add, remove, asserts: add })

describe('a plan that is built', () => {
  it('has nothing in it where nothing changes', () => {
    const plan = planWith([])
    expect(plan).toEqual({
      pipeline: 'shop',
      status: 'ok',
      counts: noCounts(),
      inputs: [],
      judged: [],
      held: {},
      actions: { create: 0, update: 0, delete: 0 },
      byField: {},
      byTerm: {},
      sharedTerms: new Set(),
      otherTerms: 0,
      byCountry: {},
      withheld: {},
      keptEdits: 0,
      groups: [],
      ungrouped: 0,
      work: expect.any(Object) as object,
      estimate: { requests: 0, seconds: 0 },
    })
    expect(plannedChanges(plan)).toBe(0)
  })

  it('counts by action, field, term and country', () => {
    const plan = planWith([
      create({ fields: { mail: 'a', phone: '1' }, desired: { ba_country: 'DE' }, terms: terms(['x']) }),
      update({ fields: { phone: '2' }, known: { ba_country: 'AT' }, terms: terms(['x', 'y'], ['z']) }),
      update({ fields: { phone: '3' }, desired: { ba_country: 'DE' } }),
      changeWith({ kind: 'delete', cause: 'missing' }),
      // Nothing to be seen of it, but work for the state.
      update({ terms: terms([]) }),
    ])
    expect(plan.actions).toEqual({ create: 1, update: 2, delete: 1 })
    expect(plannedChanges(plan)).toBe(4)
    expect(plan.byField).toEqual({ mail: { create: 1, update: 0 }, phone: { create: 1, update: 2 } })
    expect(plan.byTerm).toEqual({
      x: { add: 2, remove: 0 },
      y: { add: 1, remove: 0 },
      z: { add: 0, remove: 1 },
    })
    expect(plan.byCountry).toEqual({ DE: 2, AT: 1 })
    expect(plan.work).toMatchObject({
      createsWithMail: 1,
      updates: 3,
      termAdditions: 2,
      termRemovals: 1,
      deletes: 1,
    })
    expect(plan.estimate.requests).toBeGreaterThan(5)
  })

  it('gives the changes as they are shown, in their order', () => {
    const builder = planBuilder('shop', 'add')
    const shown = builder.add([
      update({ key: 'K2', fields: { fax: '1' } }),
      update({ key: 'K3', terms: terms([]) }),
      update({ key: 'K1', fields: { phone: '2' }, known: { phone: '1' } }),
    ])
    expect(shown.map(({ key }) => key)).toEqual(['K2', 'K1'])
    const plan = builder.build({ counts: noCounts(), inputs: [], limits: LIMITS })
    expect(plan.withheld).toEqual({ phone: 1 })
    expect(plan.byField).toEqual({ fax: { create: 0, update: 1 } })
  })

  it('counts new terms as they were counted, and asks for requests for them', () => {
    const without = planWith([create({ terms: terms(['x']) })])
    const plan = planWith([create({ terms: terms(['x']) })], { counts: { terms_created: 2 } })
    expect(plan.work.newTerms).toBe(2)
    expect(plan.estimate.requests).toBe(without.estimate.requests + 4)
  })

  it('has a status and, where it was given up, the reason', () => {
    expect(planWith([], { inputs: [{ file: 'a.csv', status: 'held' }] }).status).toBe('held')
    expect(planWith([], { inputs: [{ file: 'a.csv', status: 'refused' }] }).status).toBe('partial')
    expect(planWith([], { inputs: [{ file: 'a.csv', status: 'left' }] }).status).toBe('ok')
    expect(planWith([], { inputs: [{ file: 'a', status: 'left', code: 'INPUT_CHANGED' }] }).status).toBe(
      'partial',
    )
    expect(planWith([], { inputs: [{ file: 'a', status: 'done', code: 'INPUT_CHANGED' }] }).status).toBe('ok')
    const stop = { code: 'SERVICE_UNREACHABLE', message: 'nobody answers' } as const
    expect(planWith([], { stop })).toMatchObject({
      status: 'failed',
      error: 'nobody answers',
      code: stop.code,
    })
    expect(planWith([])).not.toHaveProperty('error')
  })

  it('counts a term under the first spelling of its name', () => {
    const plan = planWith([
      update({ terms: terms(['Red']) }),
      update({ terms: terms(['red', 'RED2']) }),
      update({ terms: terms([], ['RED']) }),
    ])
    expect(plan.byTerm).toEqual({ Red: { add: 2, remove: 1 }, RED2: { add: 1, remove: 0 } })
  })

  it('says which terms many different records gain or lose', () => {
    const of = (term: string, keys: readonly string[]) =>
      keys.map((key) => update({ key, terms: terms([term]) }))
    const plan = planWith([
      ...of('wide', ['1', '2', '3', '4', '5']),
      ...of('rare', ['1', '2', '3', '4']),
      ...of('same', ['1', '1', '1', '1', '1']),
      ...['1', '2', '3', '4', '5'].map((key) => update({ key, terms: terms([], ['old']) })),
    ])
    expect(plan.sharedTerms).toEqual(new Set(['wide', 'old']))
  })

  it('counts the edits that stay, beside changes and beside deletes that are held', () => {
    const edits = ['phone', 'fax'].map(
      (field) => ({ field, rule: 'keep', sent: '1', service: '9', source: '2' }) as const,
    )
    const builder = planBuilder('shop', 'update_add')
    builder.add([{ ...update({}), edits }])
    builder.keep(3)
    expect(builder.build({ counts: noCounts(), inputs: [], limits: LIMITS }).keptEdits).toBe(5)
  })

  it('says what it did not ask the service; then it knows of no edits', () => {
    const unasked = ['terms', 'contacts'] as const
    const plan = planWith([], { unasked })
    expect([plan.unasked, plan.keptEdits]).toEqual([unasked, undefined])
    expect(planWith([])).not.toHaveProperty('unasked')
  })

  it('says what of records is left out, where that was counted', () => {
    const leftOut = { owned: {}, unproven: {}, former: 2, examples: [] }
    expect(planWith([], { leftOut }).leftOut).toEqual(leftOut)
    expect(planWith([])).not.toHaveProperty('leftOut')
  })

  it('has a report of each input, and estimates calls for each: no two files share one', () => {
    const inputs = ['a.csv', 'b.csv'].map((file) => ({ file, status: 'done' }) as const)
    const creates = (...files: readonly string[]) =>
      planWith(
        files.map((file, index) => create({ key: `K${index}`, source: { file, line: 2 } })),
        { inputs },
      )
    expect(creates('a.csv', 'b.csv').inputs).toEqual(inputs)
    expect(creates('a.csv', 'b.csv').estimate.requests).toBe(2)
    expect(creates('a.csv', 'b.csv', 'a.csv', 'b.csv').estimate.requests).toBe(2)
    expect(creates('a.csv', 'a.csv').estimate.requests).toBe(1)
  })

  it('takes names as they come', () => {
    const plan = planWith([
      update({
        fields: { ['__proto__']: '1', constructor: '2' },
        terms: terms(['__proto__', 'toString']),
      }),
      update({ fields: JSON.parse('{"__proto__": "1"}') as never, terms: terms(['__proto__']) }),
    ])
    expect(Object.entries(plan.byTerm)).toContainEqual(['__proto__', { add: 2, remove: 0 }])
    expect(Object.entries(plan.byTerm)).toContainEqual(['toString', { add: 1, remove: 0 }])
    expect(Object.entries(plan.byField)).toContainEqual(['constructor', { create: 0, update: 1 }])
  })

  it('depends neither on batches nor on what is done with it', () => {
    const changes = fc.array(
      fc.record({
        kind: fc.constantFrom('create', 'update', 'delete'),
        key: fc.string(),
        fields: fc.dictionary(fc.constantFrom('phone', 'fax', 'mail'), fc.constantFrom('1', '2')),
        known: fc.dictionary(fc.constantFrom('phone', 'ba_country'), fc.constantFrom('1', '2')),
        terms: fc.option(fc.record({ add: fc.array(fc.string()), remove: fc.array(fc.string()) }), {
          nil: undefined,
        }),
      }),
    )
    fc.assert(
      fc.property(changes, fc.nat(20), (given, at) => {
        const all = given.map((own) => changeWith(own as never))
        const [whole, parts] = [planBuilder('shop', 'add'), planBuilder('shop', 'add')]
        const end = { counts: noCounts(), inputs: [], limits: LIMITS }
        const shown = whole.add(all)
        const built = whole.build(end)
        expect([...parts.add(all.slice(0, at)), ...parts.add(all.slice(at))]).toEqual(shown)
        expect(parts.build(end)).toEqual(built)
        // A later change leaves a plan that was built as it is.
        const before = structuredClone(built)
        whole.add(all)
        expect(built).toEqual(before)
        // Its totals are those of its changes.
        const total = (count: (one: (typeof shown)[number]) => number) =>
          shown.reduce((sum, one) => sum + count(one), 0)
        expect(plannedChanges(built)).toBe(shown.length)
        expect(built.groups.reduce((sum, { count }) => sum + count, built.ungrouped)).toBe(shown.length)
        expect(Object.values(built.byField).reduce((sum, of) => sum + of.create + of.update, 0)).toBe(
          total(({ fields }) => Object.keys(fields).length),
        )
        expect(Object.values(built.byTerm).reduce((sum, of) => sum + of.add + of.remove, 0)).toBe(
          total((one) => one.terms.add.length + one.terms.remove.length),
        )
      }),
    )
  })
})

describe('groups of changes that do the same', () => {
  it('are updates of the same fields, terms and withheld fields; all creates; all deletes', () => {
    const builder = planBuilder('shop', 'add')
    builder.add([
      create({ key: 'C1', fields: { mail: 'a' } }),
      create({ key: 'C2', fields: { mail: 'b', fax: '1' }, terms: terms(['x']) }),
      changeWith({ kind: 'delete', key: 'D1' }),
      changeWith({ kind: 'delete', key: 'D2' }),
      ...['U1', 'U2', 'U3'].map((key) => update({ key, fields: { phone: key } })),
      update({ key: 'U4', fields: { phone: '1', fax: '1' } }),
      update({ key: 'U5', fields: { fax: '1', phone: '1' } }),
      update({ key: 'U6', fields: { phone: '1' }, terms: terms(['x', 'y']) }),
      update({ key: 'U7', fields: { phone: '1' }, terms: terms(['y', 'x']) }),
      update({ key: 'U8', fields: { phone: '1' }, terms: terms([], ['x']) }),
      update({ key: 'U9', fields: { phone: '2' }, known: { phone: '1' } }),
    ])
    const { groups, ungrouped } = builder.build({ counts: noCounts(), inputs: [], limits: LIMITS })
    expect(groups.map(({ count, example: { key } }) => [count, key])).toEqual([
      [3, 'U1'],
      [2, 'C1'],
      [2, 'D1'],
      [2, 'U4'],
      [2, 'U6'],
      [1, 'U8'],
      [1, 'U9'],
    ])
    expect(ungrouped).toBe(0)
  })

  it('say whether each of them sets the same values in place of the same', () => {
    const same = (known: string, to: string) => update({ fields: { phone: to }, known: { phone: known } })
    expect(planWith([same('1', '2'), same('1', '2')]).groups).toMatchObject([{ count: 2, isSame: true }])
    expect(planWith([same('1', '2'), same('1', '3'), same('1', '2')]).groups).toMatchObject([
      { isSame: false },
    ])
    expect(planWith([same('1', '2'), same('0', '2')]).groups).toMatchObject([{ isSame: false }])
    expect(planWith([same('1', '2')]).groups).toMatchObject([{ count: 1, isSame: true }])
  })

  it('are so many at most; the rest is counted', () => {
    const many = Array.from({ length: MOST_GROUPS + 3 }, (_, index) =>
      update({ fields: { [`f${index}`]: '1' } }),
    )
    const plan = planWith([...many, update({ fields: { f0: '2' } })])
    expect(plan.groups).toHaveLength(MOST_GROUPS)
    expect(plan.groups[0]).toMatchObject({ count: 2 })
    expect(plan.ungrouped).toBe(3)
  })

  it('names of terms are so many at most; the rest is counted', () => {
    const names = Array.from({ length: MOST_TERM_NAMES + 2 }, (_, index) => `t${index}`)
    const plan = planWith([update({ terms: terms(names) }), update({ terms: terms(['t0', 't100001']) })])
    expect(Object.keys(plan.byTerm)).toHaveLength(MOST_TERM_NAMES)
    expect(plan.byTerm['t0']).toEqual({ add: 2, remove: 0 })
    expect(plan.otherTerms).toBe(3)
  })

  it('hold no more memory of a large file than of a small one', () => {
    const builder = planBuilder('shop', 'update_add')
    for (let from = 1; from < 20_000; from += 500) builder.add(phoneUpdates(500, from))
    const plan = builder.build({ counts: noCounts(), inputs: [], limits: LIMITS })
    expect(plan.actions.update).toBe(20_000)
    expect(JSON.stringify(plan).length).toBeLessThan(2000)
  })
})

describe('a plan that is judged', () => {
  const numbers = {
    ...{ read: 100, rejected: 0, unidentified: 0, links: 100 },
    ...{ changes: 3, deletes: 9, newTerms: 0, hasDeleted: true },
  }

  it('is refused by a guard, which says the number and the threshold', () => {
    const judged = judgedInput('a.csv', numbers, GUARDS)
    expect(judged).toEqual({
      file: 'a.csv',
      numbers,
      hold: {
        guard: 'max_deletes',
        holds: 'deletes',
        number: 9,
        threshold: '5% (5)',
        reason: '9 of 100 contacts are missing from the source, more than guards.max_deletes 5% (5) allows',
      },
    })
    expect(planWith(phoneUpdates(3), { judged: [judged] }).judged).toEqual([judged])
  })

  it('that reverts a run calls no contact missing from the source', () => {
    const undo = { ...numbers, isUndo: true }
    expect(judgedInput('undo', undo, GUARDS).hold?.reason).toBe(
      '9 of 100 contacts would be deleted by the undo, more than guards.max_deletes 5% (5) allows',
    )
    const deletedWithin = [{ period: '30d', deletes: 18, links: 100 }]
    const overTime = { ...GUARDS, max_deletes_per: { '30d': { share: 0.2 } } }
    expect(judgedInput('undo', { ...undo, deletes: 5, deletedWithin }, overTime).hold?.reason).toMatch(
      /^5 contacts would be deleted by the undo, and 18 of 100 were deleted/,
    )
  })

  it('goes where no guard speaks against it', () => {
    expect(judgedInput('a.csv', { ...numbers, deletes: 5 }, GUARDS).hold).toBe(undefined)
  })

  it('can be judged again, by other guards, from what it says itself', () => {
    const { judged } = planWith([], { judged: [judgedInput('a.csv', numbers, GUARDS)] })
    const strict = { ...GUARDS, max_changes: { count: 2 } }
    const again = judged.map(({ file, numbers: own }) => judgedInput(file, own, strict).hold?.guard)
    expect(again).toEqual(['max_changes'])
  })
})
