// Who a record without a link is: what is looked up for it, what the look-up leads to, and what a former resolution objects to.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type KeptResolution,
  lookUpFields,
  lookUpMail,
  looksUp,
  lowestWithdrawn,
  otherwiseText,
  resolution,
  type Resolution,
  sameOfHousehold,
  severalText,
  withinAddress,
} from '../../../../src/core/change/lookup/resolution.ts'
import type { HouseholdFields } from '../../../../src/core/mapping/values/household.ts'

const HOUSEHOLD: HouseholdFields = ['mail', 'first_name']
const ANN = { mail: 'lee@example.com', first_name: 'Ann' }
const shown = (id: number, fields: Record<string, unknown> = {}) => ({ id, fields: { ...ANN, ...fields } })
const BEN = { first_name: 'Ben' }
const lookUp = (...contacts: readonly ReturnType<typeof shown>[]) => ({ contacts, others: [] })

describe('what is looked up', () => {
  it.each([
    ['all', undefined, false],
    ['all', HOUSEHOLD, true],
    ['create', undefined, true],
    ['update', undefined, true],
    ['update', HOUSEHOLD, true],
  ] as const)('writes: %s with the key %j: %s', (writes, household, expected) => {
    expect(looksUp({ writes, household })).toBe(expected)
  })

  it('the fields of the key and the consent, or the mail alone', () => {
    expect(lookUpFields({ writes: 'update', household: undefined })).toStrictEqual(['mail'])
    expect(lookUpFields({ writes: 'all', household: HOUSEHOLD })).toStrictEqual([
      'mail',
      'first_name',
      'mail_status',
    ])
  })

  it('by the mail as the record spells it; a record without one cannot be looked up', () => {
    expect(lookUpMail({ mail: ' Lee@Example.com' })).toBe(' Lee@Example.com')
    expect(lookUpMail({ mail: '', first_name: 'Ann' })).toBeUndefined()
    expect(lookUpMail({ first_name: 'Ann' })).toBeUndefined()
  })
})

describe('the persons of one address', () => {
  it('are told apart by all fields of the key, in the form that services may give them', () => {
    const same = shown(1, { mail: 'LEE@example.com', first_name: ' ann ' })
    const found = [shown(2, BEN), same, shown(3, { mail: 'other@example.com' }), shown(4, { phone: '1' })]
    expect(sameOfHousehold(ANN, found, HOUSEHOLD)).toStrictEqual([same, found[3]])
    expect(sameOfHousehold(ANN, [shown(2, BEN)], HOUSEHOLD)).toStrictEqual([])
  })

  it('share the lowest 1 or 2 that one of them shows', () => {
    const lowest = (...statuses: readonly unknown[]): number | undefined =>
      lowestWithdrawn(statuses.map((mail_status, id) => shown(id, { mail_status })))
    expect(lowest()).toBeUndefined()
    expect(lowest(7, 4, 3, null, undefined)).toBeUndefined()
    expect(lowest(2, 7)).toBe(2)
    expect(lowest(2, '1', 4)).toBe(1)
  })

  it.each([
    [7, undefined, 7],
    [undefined, undefined, undefined],
    [7, 2, 2],
    [3, 1, 1],
    [undefined, 2, 2],
    [1, 2, 1],
    [2, 1, 1],
    [2, 2, 2],
  ])('a consent of %s at an address with %s is created as %s', (consent, withdrawn, expected) => {
    expect(withinAddress(consent, withdrawn)).toBe(expected)
  })

  it('no contact of an address where one has withdrawn is created with more than that', () => {
    const status = fc.option(fc.constantFrom(1, 2, 3, 4, 7), { nil: undefined })
    fc.assert(
      fc.property(status, fc.constantFrom(1, 2), (consent, withdrawn) => {
        expect(withinAddress(consent, withdrawn)).toBeLessThanOrEqual(withdrawn)
      }),
    )
  })

  it('are for a person to tell apart where several show the same', () => {
    expect(severalText(3, HOUSEHOLD)).toBe(
      'the service has several contacts with the same mail and first_name (3), and any of them may be the right one; merge them there, or name the right one with doubts resolve',
    )
  })
})

const MAKE: Resolution = { kind: 'make' }
const skip = (reason: string, several = false): Resolution => ({ kind: 'skip', reason, several })
const adopt = (contactId: number, reason: string): Resolution => ({ kind: 'adopt', contactId, reason })

describe('by its address a record', () => {
  it.each<[string, 'create' | 'update', ReturnType<typeof lookUp> | undefined, Resolution]>([
    ['is made where nobody has the address', 'create', lookUp(), MAKE],
    ['is made where it has none', 'create', undefined, MAKE],
    [
      'is not made where a contact is there',
      'create',
      lookUp(shown(5, BEN), shown(6)),
      skip('writes: create leaves contact 5, which the service has with this e-mail address, unchanged'),
    ],
    [
      'is not made where only contacts that are there are changed',
      'update',
      lookUp(),
      skip('writes: update creates no contacts, and the service has no contact with this e-mail address'),
    ],
    [
      'is not made where it has none and only contacts that are there are changed',
      'update',
      undefined,
      skip(
        'writes: update creates no contacts, and the service has no contact for a record without an e-mail address',
      ),
    ],
    [
      'is the one contact that has it, whoever that is',
      'update',
      lookUp(shown(5, BEN)),
      adopt(5, 'the service had this one contact with this e-mail address'),
    ],
    [
      'is none of several contacts',
      'update',
      lookUp(shown(5), shown(6)),
      skip('writes: update needs exactly one contact, and the service has 2 with this e-mail address', true),
    ],
  ])('%s (writes: %s)', (_, writes, found, expected) => {
    expect(resolution(ANN, found, { writes, household: undefined })).toStrictEqual(expected)
  })
})

describe('by the fields of its key a record', () => {
  const same = 'with the same mail and first_name'
  const several = { kind: 'doubt', reason: severalText(2, HOUSEHOLD) } as const
  it.each<[string, 'all' | 'create' | 'update', ReturnType<typeof lookUp> | undefined, Resolution]>([
    ['is made where it has no address', 'all', undefined, MAKE],
    ['is made beside others of the address', 'all', lookUp(shown(5, BEN)), MAKE],
    [
      'is made beside one who has unsubscribed, as such',
      'all',
      lookUp(shown(5, { ...BEN, mail_status: 2 })),
      { kind: 'make', withdrawn: 2 },
    ],
    [
      'is made beside one who is blocked, though only new contacts are written',
      'create',
      lookUp(shown(5, { ...BEN, mail_status: 1 })),
      { kind: 'make', withdrawn: 1 },
    ],
    [
      'is the one who is the same',
      'all',
      lookUp(shown(5, BEN), shown(6)),
      adopt(6, `the service had this one contact ${same}`),
    ],
    [
      'is the one who is the same, where contacts that are there are changed',
      'update',
      lookUp(shown(6)),
      adopt(6, `the service had this one contact ${same}`),
    ],
    [
      'is left, for only new contacts are written',
      'create',
      lookUp(shown(5, BEN), shown(6)),
      skip(`writes: create leaves contact 6, which the service has ${same}, unchanged`),
    ],
    [
      'is left, for no new contacts are written',
      'update',
      lookUp(shown(5, BEN)),
      skip(`writes: update creates no contacts, and the service has no contact ${same}`),
    ],
    ['is in doubt where several are the same', 'all', lookUp(shown(5), shown(6)), several],
    ['is in doubt where several are the same that it changes', 'update', lookUp(shown(5), shown(6)), several],
  ])('%s (writes: %s)', (_, writes, found, expected) => {
    expect(resolution(ANN, found, { writes, household: HOUSEHOLD })).toStrictEqual(expected)
  })
})

describe('a former resolution of the key', () => {
  const found = adopt(5, 'found')
  const doubt: Resolution = { kind: 'doubt', reason: 'several' }
  const NOTHING: KeptResolution = { isAnothers: false, isUnderOtherRule: false }
  it.each<[string, Partial<KeptResolution>, Resolution, string | undefined]>([
    ['is unknown: it is made', {}, MAKE, undefined],
    ['is unknown: it is found', {}, found, undefined],
    ['is unknown: it is in doubt', {}, doubt, undefined],
    ['is the contact that is found now', { contactId: 5 }, found, undefined],
    ['was another, but nothing is done', { contactId: 4, isAnothers: true }, skip('none'), undefined],
    [
      'was another contact',
      { contactId: 4 },
      found,
      'its key was contact 4 before, and the service now shows contact 5 for it',
    ],
    [
      'was a contact that is gone',
      { contactId: 4 },
      MAKE,
      'its key was contact 4 before, and the service now shows no contact, or several for it',
    ],
    [
      'was one of several now',
      { contactId: 4 },
      doubt,
      'its key was contact 4 before, and the service now shows no contact, or several for it',
    ],
    [
      'is unknown, and the contact has another key',
      { isAnothers: true },
      found,
      'it would be contact 5, which is that of another key',
    ],
    [
      'is unknown, and the address was resolved by other rules: it is not made',
      { isUnderOtherRule: true },
      MAKE,
      'it would be created, but other records with its e-mail address were distinguished by other rules for the fields of the key: it may be one of them',
    ],
    [
      'is unknown, and the address had other rules: it is found',
      { isUnderOtherRule: true },
      found,
      undefined,
    ],
    ['is unknown, and the address had other rules: in doubt', { isUnderOtherRule: true }, doubt, undefined],
  ])('%s', (_, kept, now, text) => {
    expect(otherwiseText({ ...NOTHING, ...kept }, now)).toBe(text)
  })
})
