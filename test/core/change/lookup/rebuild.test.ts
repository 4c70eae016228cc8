// Which contact is a record's when its link is gone; and what is known of it from then on.
import { describe, expect, it } from 'vitest'
import { shownContact } from '../../../../src/core/change/lookup/likeness.ts'
import { findingFor, REBUILD_GUARD, unknowable } from '../../../../src/core/change/lookup/rebuild.ts'

const RECORD = { mail: 'ann@example.com', first_name: 'Ann', family_name: 'Lee', phone: '030 1' }
const contact = (id: number, fields: object = {}) => ({ id, fields: { ...RECORD, ...fields } })
const changed = (id: number) => contact(id, { phone: '040 2' })

describe('the contact of a record', () => {
  it.each([
    ['none there', [], [], { email: 'absent', none: 'absent', auto: 'absent' }],
    ['one, just like it', [contact(1)], [], { email: 1, none: 1, auto: 1 }],
    // The service would merge the record into it; without that check it may belong to any record.
    ['one, unlike it', [changed(1)], [], { email: 'by_mail', none: 'unclear', auto: 'unclear' }],
    ['two, one like it', [changed(1), contact(2)], [], { email: 2, none: 2, auto: 2 }],
    [
      'two, both like it',
      [contact(1), contact(2)],
      [],
      { email: 'unclear', none: 'unclear', auto: 'unclear' },
    ],
    [
      'two, neither like it',
      [changed(1), changed(2)],
      [],
      { email: 'unclear', none: 'unclear', auto: 'unclear' },
    ],
    ['one, of another record', [contact(1)], [1], { email: 'shared', none: 'absent', auto: 'absent' }],
    ['two, one of another record', [contact(1), contact(2)], [1], { email: 2, none: 2, auto: 2 }],
    [
      'two, one of another record, the other unlike it',
      [contact(1), changed(2)],
      [1],
      { email: 'unclear', none: 'unclear', auto: 'unclear' },
    ],
  ] as const)('%s', (_, found, taken, expected) => {
    for (const check of ['email', 'none', 'auto'] as const) {
      const finding = findingFor(RECORD, { found: { contacts: found, others: [] }, taken }, check)
      expect([check, finding.kind === 'found' ? finding.contact.id : finding.kind]).toEqual([
        check,
        expected[check],
      ])
    }
  })
})

describe('the contact of a record whose key is made of fields', () => {
  const ABSENT = { kind: 'absent' }
  const zoe = contact(1, { first_name: 'Zoe' })
  it.each([
    [
      'shows these fields, whatever else it shows',
      [zoe, changed(2)],
      [],
      { kind: 'found', contact: changed(2) },
    ],
    ['is not there where another person has the address', [zoe], [], ABSENT],
    ['is not there where the one with these fields is of another record', [zoe, changed(2)], [2], ABSENT],
    [
      'is for a person to tell where several show these fields',
      [zoe, changed(2), changed(3)],
      [],
      {
        kind: 'unclear',
        reason: 'the service has contacts 1, 2, 3 with this e-mail address, and 2 look just like it',
      },
    ],
  ])('%s', (_, contacts, taken, expected) => {
    const seen = { found: { contacts, others: [] }, taken, household: ['mail', 'first_name'] } as const
    expect(findingFor(RECORD, seen, 'none')).toStrictEqual(expected)
    expect(findingFor(RECORD, seen, 'auto')).toStrictEqual(expected)
  })
})

it.each([
  ['shows nothing of the record', { mail: 'anne@example.com', first_name: 'Zoe' }, [], 'absent'],
  ['shows part of the record', { mail: 'ann.@example.com', first_name: 'Ann' }, [], 'unclear'],
  ['has another record', { mail: 'ann.@example.com', first_name: 'Ann' }, [9], 'absent'],
] as const)('a contact of another mail, which the look-up brought and which %s', (_, fields, taken, kind) => {
  for (const check of ['email', 'none', 'auto'] as const) {
    const found = { contacts: [], others: [{ id: 9, fields }] }
    expect(findingFor(RECORD, { found, taken }, check).kind).toBe(kind)
  }
})

it('names the contacts that a person has to look at', () => {
  const reason = (ids: readonly number[]): unknown =>
    findingFor(RECORD, { found: { contacts: ids.map(changed), others: [] }, taken: [] }, 'none')
  expect(reason([7])).toMatchObject({
    reason:
      'the service has contact 7 with this e-mail address, but none shows the current values of the record',
  })
  expect(reason([1, 2, 3, 4, 5])).toMatchObject({
    reason:
      'the service has contacts 1, 2, 3, 4, 5 with this e-mail address, but none shows the current values of the record',
  })
  expect(reason([1, 2, 3, 4, 5, 6, 7])).toMatchObject({
    reason: expect.stringContaining('contacts 1, 2, 3, 4, 5 and 2 more with this e-mail address') as string,
  })
})

it('says why the contact of a record is unclear', () => {
  const several = { contacts: [contact(1), contact(2)], others: [] }
  expect(findingFor(RECORD, { found: several, taken: [] }, 'auto')).toEqual({
    kind: 'unclear',
    reason: 'the service has contacts 1, 2 with this e-mail address, and 2 look just like it',
  })
  const others = { contacts: [], others: [contact(3, { mail: 'b@x.de' })] }
  expect(findingFor(RECORD, { found: others, taken: [] }, 'email')).toEqual({
    kind: 'unclear',
    reason:
      'the service has contact 3 with another e-mail address, which the look-up brought and which shows part of the record',
  })
})

it('what is shown is known in our own form where it is the same value', () => {
  const desired = {
    mail: 'Ann@Example.com',
    date_of_birth: '1980-05-01T12:00:00+00:00',
    phone: '030 1',
    fax: '',
    tags: ['b', 'a'],
    size: '42',
    skype: 'ann',
  }
  const fields = {
    mail: 'ann@example.com',
    date_of_birth: '1980-05-01T14:00:00+02:00',
    phone: '040 2',
    fax: null,
    tags: ['a', 'b'],
    size: 42,
    company: 'not asked for',
  }
  expect(shownContact(desired, { id: 1, fields })).toEqual({
    mail: 'Ann@Example.com',
    date_of_birth: '1980-05-01T12:00:00+00:00',
    phone: '040 2',
    fax: '',
    tags: ['b', 'a'],
    size: '42',
  })
  expect(shownContact({ tags: ['a'] }, { id: 1, fields: { tags: ['x', 1] } })).toEqual({ tags: ['x', '1'] })
})

it('says what nobody can know any more', () => {
  const terms = {
    policy: 'managed',
    create_missing: true,
    assign: [],
    descriptions: {},
    verify: true,
  } as const
  const always = [
    'contacts whose record is in none of the waiting files: they have no link, and are not changed',
    'which values were sent before: where record and service differ, the next run sends the value of the record',
  ]
  expect(unknowable({ key: undefined, terms: { ...terms, policy: 'add' } })).toEqual(always)
  expect(unknowable({ key: ['no'], terms })).toEqual([
    ...always,
    'records whose e-mail address has changed since they were sent: they look new, and the next run creates them',
    'which terms were added by this pipeline: it does not remove the terms that it added',
  ])
})

it('what a rebuild holds is held by no guard of a run', () => expect(REBUILD_GUARD).toBe('rebuild'))
