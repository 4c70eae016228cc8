// The guards, at their limits: one more than allowed is held, and as many as allowed go.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GuardName, heldByGuard, type PlanNumbers } from '../../../../src/core/change/waiting/guard.ts'
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

  it.each<[Partial<PlanNumbers>, string, string]>([
    [{ unidentified: 2 }, '0', 'the key of 2 rejected records cannot be read'],
    [{ hasDeleted: false }, '0', '1 contact would be the first that this pipeline deletes'],
    [{ read: 9, lastRecords: 100 }, '10% (100)', 'holds 9 records, the last accepted one held 100'],
  ])('holds deletes for %j against %s, and says why', (numbers, threshold, reason) =>
    expect(
      heldByGuard({ ...NONE, deletes: 1, ...numbers }, { ...GUARDS, hold_first_deletes: true }),
    ).toMatchObject({ threshold, reason: expect.stringContaining(reason) as string }),
  )

  it('tells whoever may release a plan as a whole what speaks against its deletes', () => {
    const guards = { ...GUARDS, max_changes: { count: 1 } }
    const hold = heldByGuard({ ...NONE, changes: 2, deletes: 1, unidentified: 1 }, guards)
    expect(hold?.guard).toBe('max_changes')
    expect(hold?.reason).toContain('in addition, the key of 1 rejected records cannot be read')
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
