// The guards, at their limits: one more than allowed is held, and as many as allowed go.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type GuardName,
  heldByGuard,
  periodsOf,
  type PlanNumbers,
} from '../../../../src/core/change/waiting/guard.ts'
import type { GuardSettings } from '../../../../src/core/settings.ts'
import { GUARDS } from '../../../support/pipeline.ts'

const NONE: PlanNumbers = {
  read: 100,
  rejected: 0,
  unidentified: 0,
  links: 100,
  changes: 0,
  deletes: 0,
  newTerms: 0,
  hasDeleted: true,
}

const MONTH = [{ period: '30d', deletes: 17, links: 100 }]
const PER_MONTH: Partial<GuardSettings> = { max_deletes_per: { '30d': { share: 0.2 } } }

describe('what a guard holds', () => {
  it.each<[string, Partial<PlanNumbers>, Partial<GuardSettings>, GuardName | undefined]>([
    ['nothing planned', { rejected: 100, unidentified: 9 }, { max_rejects: { count: 0 } }, undefined],
    ['deletes at the share', { deletes: 5 }, {}, undefined],
    ['deletes above it', { deletes: 6 }, {}, 'max_deletes'],
    ['one delete of few', { deletes: 1, links: 2 }, {}, undefined],
    ['none at 0%', { deletes: 1 }, { max_deletes: { share: 0 } }, 'max_deletes'],
    ['above the count of both', { deletes: 4 }, { max_deletes: { share: 0.05, count: 3 } }, 'max_deletes'],
    ['above the share of both', { deletes: 6 }, { max_deletes: { share: 0.05, count: 9 } }, 'max_deletes'],
    ['within both', { deletes: 3 }, { max_deletes: { share: 0.05, count: 3 } }, undefined],
    ['with those before at the share', { deletes: 3, deletedWithin: MONTH }, PER_MONTH, undefined],
    ['with those before above it', { deletes: 4, deletedWithin: MONTH }, PER_MONTH, 'max_deletes_per'],
    ['over time while it is off', { deletes: 4, deletedWithin: MONTH }, {}, undefined],
    ['all at 100%', { deletes: 100 }, { max_deletes: { share: 1 } }, undefined],
    [
      '29% of 100 are 29, whatever a fraction makes of it',
      { deletes: 29 },
      { max_deletes: { share: 0.29 } },
      undefined,
    ],
    ['a delete while a key cannot be read', { deletes: 1, unidentified: 1 }, {}, 'unreadable_keys'],
    [
      'the first delete',
      { deletes: 1, hasDeleted: false },
      { hold_first_deletes: true },
      'hold_first_deletes',
    ],
    ['not the second', { deletes: 1 }, { hold_first_deletes: true }, undefined],
    [
      'deletes of an export with a tenth of the last',
      { deletes: 1, read: 10, lastRecords: 100 },
      {},
      'shrunken_export',
    ],
    ['none of one above a tenth', { deletes: 1, read: 11, lastRecords: 100 }, {}, undefined],
    ['none of one that is compared with nothing', { deletes: 1, read: 1, lastRecords: 0 }, {}, undefined],
    ['changes at the share', { changes: 30 }, { max_changes: { share: 0.3 } }, undefined],
    ['changes above it', { changes: 31 }, { max_changes: { share: 0.3 } }, 'max_changes'],
    ['no first import by a share', { changes: 500, links: 0 }, { max_changes: { share: 0.3 } }, undefined],
    ['a first import by a count', { changes: 500, links: 0 }, { max_changes: { count: 499 } }, 'max_changes'],
    ['no changes at 100%', { changes: 500, links: 1 }, {}, undefined],
    ['rejects at the share', { changes: 1, rejected: 10 }, { max_rejects: { share: 0.1 } }, undefined],
    ['rejects above it', { changes: 1, rejected: 11 }, { max_rejects: { share: 0.1 } }, 'max_rejects'],
    [
      'rejects above the count beside a share of all',
      { changes: 1, rejected: 6 },
      { max_rejects: { share: 1, count: 5 } },
      'max_rejects',
    ],
    [
      'deletes for too many rejects',
      { deletes: 1, rejected: 11 },
      { max_rejects: { count: 10 } },
      'max_rejects',
    ],
    [
      'as many deletes as changes, for too many rejects',
      { changes: 1, deletes: 1, rejected: 11 },
      { max_rejects: { count: 10 } },
      'max_rejects',
    ],
    ['terms at the limit', { changes: 1, newTerms: 3 }, { max_new_terms: 3 }, undefined],
    ['terms above it', { changes: 1, newTerms: 4 }, { max_new_terms: 3 }, 'max_new_terms'],
  ])('%s', (_, numbers, guards, expected) => {
    const hold = heldByGuard({ ...NONE, ...numbers }, { ...GUARDS, ...guards })
    expect(hold?.guard).toBe(expected)
    if (hold === undefined) return
    const ofAll = ['max_rejects', 'max_changes', 'max_new_terms'].includes(hold.guard)
    expect(hold.holds).toBe(ofAll ? 'all' : 'deletes')
    expect(hold.reason.length).toBeGreaterThan(20)
  })

  it('says the threshold as it is configured, and what it comes to', () => {
    expect(heldByGuard({ ...NONE, deletes: 9, links: 40 }, GUARDS)).toMatchObject({
      number: 9,
      threshold: '5% (2)',
    })
    const count = { ...GUARDS, max_deletes: { count: 3 } }
    expect(heldByGuard({ ...NONE, deletes: 9 }, count)).toMatchObject({ threshold: '3' })
  })

  it.each<[Partial<PlanNumbers>, Partial<GuardSettings>, string, string]>([
    [
      { deletes: 1, unidentified: 2 },
      {},
      '0',
      'the key of 2 rejected records cannot be read, and each may be one of the 1 that seem to be missing',
    ],
    [
      { deletes: 1, hasDeleted: false },
      { hold_first_deletes: true },
      '0',
      '1 contact would be the first that this pipeline deletes, and guards.hold_first_deletes requires a review',
    ],
    [
      { deletes: 2, read: 9, lastRecords: 100 },
      {},
      '10% (100)',
      'the full export holds 9 records, the last accepted one held 100: a tenth or less is never accepted as the whole source, and 2 contacts would be deleted',
    ],
    [
      { deletes: 1 },
      { max_deletes: { count: 0 } },
      '0',
      '1 of 100 contacts is missing from the source, more than guards.max_deletes 0 allows',
    ],
    [
      { deletes: 9, isUndo: true },
      {},
      '5% (5)',
      '9 of 100 contacts would be deleted by the undo, more than guards.max_deletes 5% (5) allows',
    ],
    [
      { deletes: 4, deletedWithin: MONTH },
      PER_MONTH,
      '30d: 20% (20)',
      '4 contacts are missing from the source, and 17 of 100 were deleted within the last 30d: together more than guards.max_deletes_per 30d: 20% (20) allows',
    ],
    [
      { deletes: 1, deletedWithin: [{ period: '7d', deletes: 1, links: 100 }] },
      { max_deletes_per: { '7d': { count: 1 } } },
      '7d: 1',
      '1 contact is missing from the source, and 1 of 100 was deleted within the last 7d: together more than guards.max_deletes_per 7d: 1 allows',
    ],
    [
      { changes: 1, rejected: 1 },
      { max_rejects: { count: 0 } },
      '0',
      '1 of 100 records was rejected, more than guards.max_rejects 0 allows; nothing from the file is sent',
    ],
    [
      { changes: 1, rejected: 11 },
      { max_rejects: { share: 0.1 } },
      '10% (10)',
      '11 of 100 records were rejected, more than guards.max_rejects 10% (10) allows; nothing from the file is sent',
    ],
    [
      { changes: 1 },
      { max_changes: { count: 0 } },
      '0',
      '1 contact would be created or changed, with 100 linked: more than guards.max_changes 0 allows',
    ],
    [
      { changes: 1, newTerms: 1 },
      { max_new_terms: 0 },
      '0',
      '1 term would be created, more than guards.max_new_terms 0 allows',
    ],
    [
      { changes: 1, newTerms: 2 },
      { max_new_terms: 0 },
      '0',
      '2 terms would be created, more than guards.max_new_terms 0 allows',
    ],
  ])('holds %j against %j, and says why', (numbers, guards, threshold, reason) =>
    expect(heldByGuard({ ...NONE, ...numbers }, { ...GUARDS, ...guards })).toMatchObject({
      threshold,
      reason,
    }),
  )

  it('looks back over each period that has a limit', () => {
    expect(periodsOf({ ...GUARDS, max_deletes_per: 'off' })).toEqual([])
    expect(periodsOf({ ...GUARDS, max_deletes_per: { '1d': { count: 1 } } })).toEqual([
      { period: '1d', ms: 24 * 60 * 60 * 1000 },
    ])
    const other = [{ period: '7d', deletes: 50, links: 100 }]
    expect(heldByGuard({ ...NONE, deletes: 1, deletedWithin: other }, { ...GUARDS, ...PER_MONTH })).toBe(
      undefined,
    )
  })

  it('tells whoever may release a plan as a whole what speaks against its deletes', () => {
    const guards = { ...GUARDS, max_changes: { count: 1 } }
    const hold = heldByGuard({ ...NONE, changes: 2, deletes: 1, unidentified: 1 }, guards)
    expect(hold?.guard).toBe('max_changes')
    expect(hold?.reason).toContain('in addition, the key of 1 rejected record cannot be read')
  })

  it('never holds fewer deletes and lets more go', () => {
    const whole = fc.nat(1000)
    fc.assert(
      fc.property(
        whole,
        whole,
        whole,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (links, some, more, share) => {
          const held = (deletes: number): boolean =>
            heldByGuard({ ...NONE, links, deletes }, { ...GUARDS, max_deletes: { share } }) !== undefined
          if (held(some)) expect(held(some + more)).toBe(true)
        },
      ),
    )
  })
})
