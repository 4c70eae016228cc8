// How many requests a plan takes, part by part, and how long under the rate limit.
import { describe, expect, it } from 'vitest'
import { estimate, FEW_TERMS, type PlannedWork } from '../../../src/core/change/estimate.ts'
import { LIMITS } from '../../support/plan.ts'

const NOTHING: PlannedWork = {
  ...{ createsWithMail: 0, createsWithoutMail: 0, updates: 0, deletes: 0 },
  ...{ termAdditions: 0, termRemovals: 0, termChanges: 0, termsOfCreates: 0, newTerms: 0 },
  ...{ consents: 0, withdrawals: 0 },
}
const requests = (work: Partial<PlannedWork>, more: object = {}): number =>
  estimate({ ...NOTHING, ...work }, { ...LIMITS, ...more }).requests

const ADDED = { termAdditions: 3, termChanges: 3 }
const REMOVED = { termRemovals: 3, termChanges: 3 }

describe('an estimate', () => {
  it('an estimate counts calls and windows', () => {
    const work = { ...NOTHING, createsWithMail: 250, createsWithoutMail: 1, updates: 4 }
    expect(estimate(work, LIMITS)).toEqual({ requests: 10, seconds: 1 })
    const updates = { ...NOTHING, updates: 4 }
    expect(estimate(updates, { ...LIMITS, mergeMethod: 'add' })).toEqual({ requests: 8, seconds: 1 })
    // Three contacts, of which one gets a term and loses another; and a new one.
    const terms = { termAdditions: 3, termRemovals: 2, termChanges: 4, termsOfCreates: 1 }
    const steps = { ...NOTHING, ...terms, consents: 1, newTerms: 1 }
    expect(estimate(steps, LIMITS).requests).toBe(2 + (1 + 3 * 2) + 3 + 2 * 2 + 2 + 2)
    const under = (policy: 'add' | 'replace') =>
      estimate(steps, { ...LIMITS, terms: { policy, verify: true } }).requests
    expect(under('add')).toBe(2 + 3 + 2 * 4 + 2 + 2)
    expect(under('replace')).toBe(2 + (1 + 3 * 2) + 4 + 2 + 2)
  })

  it.each([
    [3, 0, 0],
    [3, 3, 0],
    [3, 7, 2 * 86_400],
    [100, 107, 86_400 + 1],
    // The window allows fewer than the day does.
    [1_000_000, 432_006, 86_401],
  ])('with %i requests a day, %i of them take %i seconds', (perDay, updates, seconds) => {
    expect(estimate({ ...NOTHING, updates }, { ...LIMITS, perDay })).toEqual({ requests: updates, seconds })
  })

  it.each<[string, Partial<PlannedWork>, object, number]>([
    ['nothing', {}, {}, 0],
    ['creates with a mail, in calls of fifty', { createsWithMail: 51 }, {}, 2],
    ['creates without one, each by itself', { createsWithoutMail: 3 }, {}, 3],
    ['deletes, each with a look', { deletes: 3 }, {}, 6],
    ['creates that are looked up before', { createsWithMail: 51 }, { looksPerCreate: 2 }, 2 + 2 * 51],
    ['updates', { updates: 3 }, {}, 3],
    ['updates in bulk, in calls of fifty', { updates: 51 }, { updatesInBulk: true }, 2],
    ['updates that are read before', { updates: 3 }, { mergeMethod: 'update' }, 6],
    ['mail_status, each with a look', { consents: 3 }, {}, 6],
    ['withdrawals, with a look before and behind', { withdrawals: 3 }, {}, 9],
    ['terms under managed, each with a look', ADDED, {}, 2 + 3 * 3],
    ['terms of new contacts', { ...ADDED, termsOfCreates: 3 }, {}, 2 + 3 * 2],
    ['terms under replace', ADDED, { terms: { policy: 'replace', verify: true } }, 2 + 3 * 3],
    ['terms under add', ADDED, { terms: { policy: 'add', verify: true } }, 2 + 3],
    ['no list behind an empty page', ADDED, { listedTerms: 0 }, 1 + 3 * 3],
    ['a full page and the empty one behind it', ADDED, { listedTerms: 500 }, 2 + 3 * 3],
    ['more pages', ADDED, { listedTerms: 501 }, 3 + 3 * 3],
    ['the list once more, with those that were there', { newTerms: 4 }, { listedTerms: 500 }, 4 + 3],
    ['removals with a look behind', REMOVED, {}, 3 * 4],
    ['removals without', REMOVED, { terms: { policy: 'managed', verify: false } }, 3 * 3],
    ['removals under replace', REMOVED, { terms: { policy: 'replace', verify: true } }, 2 + 3 * 3],
    ['removals under add', REMOVED, { terms: { policy: 'add', verify: true } }, 3 * 4],
    ['few new terms, each looked at', { newTerms: FEW_TERMS }, {}, 6],
    ['more, and the list once more', { newTerms: FEW_TERMS + 1 }, {}, 4 + 1 + 1],
    ['a list of two pages', { newTerms: 501 }, {}, 501 + 2 + 1],
  ])('counts %s', (_, work, more, expected) => expect(requests(work, more)).toBe(expected))

  it.each([
    [0, 5, 1000, 0],
    [5, 5, 1000, 0],
    [6, 5, 1000, 1],
    [11, 5, 60_000, 120],
    [11, 5, 1234, 2.5],
  ])('%i requests, %i per %i ms, take %d s', (createsWithoutMail, perWindow, perMs, seconds) =>
    expect(
      estimate({ ...NOTHING, createsWithoutMail }, { ...LIMITS, requests: perWindow, perMs }).seconds,
    ).toBe(seconds),
  )
})
