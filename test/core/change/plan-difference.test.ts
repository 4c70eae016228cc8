// Two plans compared: what differs is named, and nothing else.
import { describe, expect, it } from 'vitest'
import { judgedInput, type PlanNumbers } from '../../../src/core/change/waiting/guard.ts'
import type { Plan } from '../../../src/core/change/plan/plan.ts'
import { planDifference } from '../../../src/core/change/plan/plan-difference.ts'
import { GUARDS } from '../../support/pipeline.ts'
import { changeWith, phoneUpdates, planWith } from '../../support/plan.ts'

const terms = (add: string[], remove: string[] = []) => ({ add, remove, asserts: add })
const NUMBERS: PlanNumbers = {
  ...{ read: 100, rejected: 0, unidentified: 0, links: 100 },
  ...{ changes: 0, deletes: 9, newTerms: 0, hasDeleted: true },
}

describe('the difference of two plans', () => {
  it('is none between a plan and itself, or one of the same changes in other order', () => {
    const changes = phoneUpdates(3)
    const judged = [judgedInput('a.csv', NUMBERS, GUARDS)]
    const plan = planWith(changes, { judged })
    expect(planDifference(plan, plan)).toEqual({
      isSame: true,
      counts: {},
      byField: {},
      termsAdded: {},
      termsRemoved: {},
      byCountry: {},
      withheld: {},
      estimate: {},
      heldBefore: [],
      heldAfter: [],
    })
    expect(planDifference(plan, planWith(changes.toReversed(), { judged })).isSame).toBe(true)
  })

  it('names counts, fields, terms and countries with the number before and after', () => {
    const before = planWith(
      [
        ...phoneUpdates(3),
        changeWith({
          kind: 'update',
          fields: { fax: '1' },
          desired: { ba_country: 'DE' },
          terms: terms(['x'], ['y']),
        }),
      ],
      { counts: { read: 4, updated: 4 } },
    )
    const after = planWith(
      [
        ...phoneUpdates(2),
        changeWith({ kind: 'create', contactId: undefined, fields: { fax: '1' }, terms: terms(['x', 'z']) }),
      ],
      { counts: { read: 4, updated: 2, created: 1, unchanged: 1 } },
    )
    const difference = planDifference(before, after)
    expect(difference).toMatchObject({
      isSame: false,
      counts: {
        updated: { before: 4, after: 2 },
        created: { before: 0, after: 1 },
        unchanged: { before: 0, after: 1 },
      },
      byField: { phone: { before: 3, after: 2 } },
      termsAdded: { z: { before: 0, after: 1 } },
      termsRemoved: { y: { before: 1, after: 0 } },
      byCountry: { DE: { before: 1, after: 0 } },
    })
    // The same number of each, however it comes about.
    expect(Object.keys(difference.byField)).toEqual(['phone'])
    expect(Object.keys(difference.termsAdded)).toEqual(['z'])
    expect(Object.keys(difference.counts).toSorted()).toEqual(['created', 'unchanged', 'updated'])
    expect(difference.estimate['requests']).toEqual({
      before: before.estimate.requests,
      after: after.estimate.requests,
    })
    expect(difference).toMatchObject({ heldBefore: [], heldAfter: [] })
  })

  it('names what is withheld', () => {
    const [one, two] = [planWith([]), { ...planWith([]), withheld: { phone: 2 } }]
    expect(planDifference(one, two)).toMatchObject({
      isSame: false,
      withheld: { phone: { before: 0, after: 2 } },
    })
  })

  it('takes no name for a property that every object has', () => {
    const [one, two] = [planWith([]), { ...planWith([]), withheld: { constructor: 2 } }]
    expect(planDifference(one, two).withheld).toEqual({ constructor: { before: 0, after: 2 } })
  })

  it('names what guards hold in one of them alone', () => {
    const held = judgedInput('a.csv', NUMBERS, GUARDS)
    const open = judgedInput('a.csv', { ...NUMBERS, deletes: 0 }, GUARDS)
    const [one, other] = [planWith([], { judged: [held] }), planWith([], { judged: [open] })]
    expect(planDifference(one, other)).toMatchObject({
      isSame: false,
      heldBefore: [{ file: 'a.csv', guard: 'max_deletes', number: 9, threshold: '5% (5)' }],
      heldAfter: [],
    })
    expect(planDifference(other, one)).toMatchObject({
      isSame: false,
      heldBefore: [],
      heldAfter: [{ guard: 'max_deletes' }],
    })
  })

  it.each<[string, string, Partial<PlanNumbers>, object]>([
    ['another file', 'b.csv', {}, {}],
    ['another number', 'a.csv', { deletes: 8 }, {}],
    ['another threshold', 'a.csv', {}, { max_deletes: { count: 5 } }],
    ['another guard', 'a.csv', { unidentified: 1 }, {}],
  ])('%s is another hold', (_, file, numbers, guards) => {
    const one = planWith([], { judged: [judgedInput('a.csv', NUMBERS, GUARDS)] })
    const moved = judgedInput(file, { ...NUMBERS, ...numbers }, { ...GUARDS, ...guards })
    const { isSame, heldBefore, heldAfter } = planDifference(one, planWith([], { judged: [moved] }))
    expect([isSame, heldBefore.length, heldAfter.length]).toEqual([false, 1, 1])
  })

  it('a hold by another guard is another one, be its numbers the same', () => {
    const held = judgedInput('a.csv', NUMBERS, GUARDS)
    const other = { ...held, hold: { ...held.hold!, guard: 'max_changes' } } as const
    const [one, two] = [held, other].map((judged) => planWith([], { judged: [judged] })) as [Plan, Plan]
    const { isSame, heldBefore, heldAfter } = planDifference(one, two)
    expect({ isSame, heldBefore, heldAfter }).toEqual({
      isSame: false,
      heldBefore: [{ file: 'a.csv', ...held.hold }],
      heldAfter: [{ file: 'a.csv', ...other.hold }],
    })
  })

  it('names terms that are taken away more often than before', () => {
    const taken = (count: number) =>
      planWith(Array.from({ length: count }, () => changeWith({ kind: 'terms', terms: terms([], ['x']) })))
    expect(planDifference(taken(1), taken(3)).termsRemoved).toEqual({ x: { before: 1, after: 3 } })
    expect(planDifference(taken(2), taken(2)).termsRemoved).toEqual({})
  })
})
