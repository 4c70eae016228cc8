import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { approvedBy, printOfChange, requiredApprovals } from '../../../../src/core/change/waiting/approval.ts'
import type { ApprovalRule } from '../../../../src/core/change/waiting/approval-settings.ts'
import { operationWith } from '../../../support/operation.ts'

const PLAN = { links: 40, changes: 4, deletes: 2, newTerms: 3, given: ['newsletter', 'VIP'] }
const NO_ALIASES = new Map<string, string>()
const rule = (when: ApprovalRule['when'], by = 2): ApprovalRule => ({ when, by })

describe('what must be approved of a plan', () => {
  it.each<[string, ApprovalRule['when'], readonly object[]]>([
    ['as many deletes', { deletes: { count: 2 } }, [{ of: 'deletes', threshold: 'deletes 2, by 2' }]],
    ['fewer deletes', { deletes: { count: 3 } }, []],
    [
      'a share of deletes',
      { deletes: { share: 0.05 } },
      [{ of: 'deletes', threshold: 'deletes 5% (2), by 2' }],
    ],
    ['a smaller share', { deletes: { share: 0.06 } }, []],
    ['as many changes', { changes: { share: 0.1 } }, [{ of: 'all', threshold: 'changes 10% (4), by 2' }]],
    ['fewer changes', { changes: { count: 5 } }, []],
    ['new terms', { new_terms: 3 }, [{ of: 'all', threshold: 'new_terms 3, by 2' }]],
    ['fewer new terms', { new_terms: 4 }, []],
    ['a term, in any case', { terms: ['Newsletter', 'Club'] }, [{ of: 'given', terms: ['newsletter'] }]],
    ['a term that is not given', { terms: ['Club'] }, []],
    [
      'any of several conditions',
      { deletes: { count: 1 }, changes: { count: 1 } },
      [{ of: 'deletes' }, { of: 'all' }],
    ],
  ])('%s', (_, when, required) => {
    expect(requiredApprovals(PLAN, [rule(when)], NO_ALIASES)).toMatchObject(required)
  })

  it('says what for, and what that is', () => {
    const when = { deletes: { count: 1 }, changes: { count: 1 }, new_terms: 3, terms: ['newsletter', 'VIP'] }
    expect(
      requiredApprovals(PLAN, [rule(when)], NO_ALIASES).map(({ terms, reason }) => [terms, reason]),
    ).toEqual([
      [
        [],
        '2 of 40 contacts are missing from the source: 2 approvers must release them (approvals: deletes 1)',
      ],
      [
        [],
        '4 contacts would be created or changed, with 40 linked: 2 approvers must release the plan (approvals: changes 1)',
      ],
      [[], '3 terms would be created: 2 approvers must release the plan (approvals: new_terms 3)'],
      [
        ['newsletter', 'VIP'],
        'contacts would be given newsletter, VIP: 2 approvers must release them (approvals: terms newsletter, VIP)',
      ],
    ])
    const one = { ...PLAN, changes: 1, deletes: 1, links: 1 }
    const rules = [rule({ deletes: { count: 1 }, changes: { count: 1 } }, 1)]
    expect(requiredApprovals(one, rules, NO_ALIASES).map(({ reason }) => reason)).toEqual([
      '1 of 1 contact is missing from the source: 1 approver must release them (approvals: deletes 1)',
      '1 contact would be created or changed, with 1 linked: 1 approver must release the plan (approvals: changes 1)',
    ])
  })

  it('is as much of a plan that changes as many as it deletes', () => {
    const as = { ...PLAN, changes: 2, deletes: 2 }
    expect(requiredApprovals(as, [rule({ deletes: { count: 2 } })], NO_ALIASES)).toHaveLength(1)
  })

  it('is all of the first import where a share is set', () => {
    const first = { ...PLAN, links: 0, deletes: 0 }
    expect(requiredApprovals(first, [rule({ changes: { share: 0.1 } })], NO_ALIASES)).toMatchObject([
      { of: 'all', by: 2 },
    ])
  })

  it('is the same where a rule names a term by a former name', () => {
    const aliases = new Map([['mailing', 'Newsletter']])
    expect(requiredApprovals(PLAN, [rule({ terms: ['Mailing'] })], aliases)).toMatchObject([
      { of: 'given', terms: ['newsletter'] },
    ])
  })

  it('names a term once, and means each of its spellings', () => {
    const plan = { ...PLAN, given: ['Newsletter', 'newsletter'] }
    expect(requiredApprovals(plan, [rule({ terms: ['newsletter'] })], NO_ALIASES)).toEqual([
      {
        of: 'given',
        terms: ['Newsletter', 'newsletter'],
        by: 2,
        threshold: 'terms Newsletter, by 2',
        reason:
          'contacts would be given Newsletter: 2 approvers must release them (approvals: terms Newsletter)',
      },
    ])
  })

  it('is nothing of a plan that changes nothing', () => {
    const none = { ...PLAN, changes: 0, deletes: 0 }
    expect(requiredApprovals(none, [rule({ new_terms: 1 })], NO_ALIASES)).toEqual([])
  })
})

describe('one more approval', () => {
  const approvers = ['anna', 'bert', 'carl']
  it.each<[string, string, { needed: number; before: string[] }, string]>([
    ['the only one that is needed', 'anna', { needed: 1, before: [] }, 'released'],
    ['the first of two', 'anna', { needed: 2, before: [] }, 'approved'],
    ['the second of two', 'bert', { needed: 2, before: ['anna'] }, 'released'],
    ['the same person twice', 'anna', { needed: 2, before: ['anna'] }, 'again'],
    ['after one who is no approver any more', 'bert', { needed: 2, before: ['dora'] }, 'approved'],
    ['of one whose releases were withdrawn', 'anna', { needed: 2, before: ['anna', 'bert'] }, 'released'],
  ])('%s', (_, name, state, outcome) => {
    expect(approvedBy(name, { ...state, approvers })).toBe(outcome)
  })

  it('releases when, and only when, so many different approvers have given theirs', () => {
    const names = fc.array(fc.constantFrom('anna', 'bert', 'carl', 'dora'), { maxLength: 8 })
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 3 }), (given, needed) => {
        const before: string[] = []
        let isReleased = false
        for (const name of given.filter((one) => approvers.includes(one))) {
          isReleased = approvedBy(name, { needed, before, approvers }) === 'released'
          if (!before.includes(name)) before.push(name)
          expect(isReleased).toBe(before.length >= needed)
        }
      }),
    )
  })
})

describe('the form that an approval is bound to', () => {
  const change = operationWith({ kind: 'update', known: { phone: '1' }, fields: { phone: '2' } })
  const print = printOfChange(change, 'settings')

  it.each([
    ['the contact', { ...change, contactId: 8 }],
    ['the value before', { ...change, known: { phone: '0' } }],
    ['the value after', { ...change, fields: { phone: '3' } }],
    ['one more field', { ...change, fields: { phone: '2', mail: 'a@example.com' } }],
    ['an undo', { ...change, undoes: 'run' }],
    ['the terms', { ...change, terms: { add: ['A'], remove: [], asserts: [] } }],
    ['the record', { ...change, key: 'other' }],
    ['the mail_status', { ...change, consent: 4 }],
  ])('changes with %s', (_, other) => {
    expect(printOfChange(other, 'settings')).not.toBe(print)
  })

  it('is 32 hexadecimal digits', () => expect(print).toMatch(/^[\da-f]{32}$/))

  it('changes with each term', () => {
    const given = (add: readonly string[]) =>
      printOfChange({ ...change, terms: { add, remove: [], asserts: [] } }, 'settings')
    expect(given(['A'])).not.toBe(given(['B']))
    expect(given(['A', 'B'])).toBe(given(['B', 'A']))
  })

  it('changes with the settings, and with nothing else', () => {
    expect(printOfChange(change, 'others')).not.toBe(print)
    expect(
      printOfChange({ ...change, id: 99, runId: 'later', known: { phone: '1', fax: '3' } }, 'settings'),
    ).toBe(print)
  })
})
