// How many requests a plan takes, part by part, and how long under the rate limit.
import { describe, expect, it } from 'vitest'
import { estimate, FEW_TERMS, type PlannedWork } from '../../../src/core/change/estimate.ts'
import { LIMITS } from '../../support/plan.ts'

const NOTHING: PlannedWork = {
  ...{ createsWithMail: 0, createsWithoutMail: 0, updates: 0, deletes: 0 },
  ...{ termAdditions: 0, termRemovals: 0, newTerms: 0, consents: 0, withdrawals: 0 },
}
const requests = (work: Partial<PlannedWork>, more: object = {}): number =>
  estimate({ ...NOTHING, ...work }, { ...LIMITS, ...more }).requests

describe('an estimate', () => {
  it('an estimate counts calls and windows', () => {
    const none = { termAdditions: 0, termRemovals: 0, consents: 0, withdrawals: 0, newTerms: 0, deletes: 0 }
    const work = { createsWithMail: 250, createsWithoutMail: 1, updates: 4, ...none }
    expect(estimate(work, LIMITS)).toEqual({ requests: 10, seconds: 1 })
    const updates = { createsWithMail: 0, createsWithoutMail: 0, updates: 4, ...none }
    expect(estimate(updates, { ...LIMITS, mergeMethod: 'add' })).toEqual({ requests: 8, seconds: 1 })
    const steps = { ...updates, updates: 0, termAdditions: 3, termRemovals: 2, consents: 1, newTerms: 1 }
    expect(estimate(steps, LIMITS).requests).toBe(3 * 2 + 2 * 2 + 2 + 2)
    const adding = { ...LIMITS, terms: { policy: 'add', verify: true } } as const
    expect(estimate(steps, adding).requests).toBe(3 + 2 * 2 + 2 + 2)
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
    ['terms under managed, each with a look', { termAdditions: 3 }, {}, 6],
    ['terms under replace', { termAdditions: 3 }, { terms: { policy: 'replace', verify: true } }, 6],
    ['terms under add', { termAdditions: 3 }, { terms: { policy: 'add', verify: true } }, 3],
    ['removals with a look', { termRemovals: 3 }, {}, 6],
    ['removals without', { termRemovals: 3 }, { terms: { policy: 'managed', verify: false } }, 3],
    [
      'removals that replacing brings along',
      { termRemovals: 3 },
      { terms: { policy: 'replace', verify: true } },
      0,
    ],
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
