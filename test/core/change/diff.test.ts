// What differs between a record and what is known of its key, situation by situation.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changedFields,
  type Desired,
  difference,
  fieldChanges,
  GONE_REASON,
  type Known,
  type KnownLink,
  MERGED_IN_CALL_REASON,
  MERGED_REASON,
  nextKnown,
  recordDifference,
} from '../../../src/core/change/diff.ts'
import type { Contact } from '../../../src/core/mapping/contact.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

const linked = (fields: Record<string, string>, gone = false): Known => ({
  link: { id: 1, contactId: 7, fields, unsure: [], terms: undefined, gone, merged: false },
  inDoubt: false,
})
const unknown: Known = { link: undefined, inDoubt: false }

describe('difference', () => {
  it.each([
    [
      'a new record with a mail',
      { mail: 'a@x.de', phone: '' },
      unknown,
      { kind: 'create', fields: { mail: 'a@x.de' } },
    ],
    [
      'a new record without mail or address',
      { phone: '1' },
      unknown,
      { kind: 'rejected', code: 'CONTACT_INCOMPLETE' },
    ],
    ['nothing changed', { mail: 'a@x.de' }, linked({ mail: 'a@x.de', phone: '1' }), { kind: 'unchanged' }],
    [
      'one field changed',
      { mail: 'a@x.de', phone: '2' },
      linked({ mail: 'a@x.de', phone: '1' }),
      { kind: 'update', contactId: 7, fields: { phone: '2' } },
    ],
    [
      'a field cleared',
      { phone: '' },
      linked({ phone: '1' }),
      { kind: 'update', contactId: 7, fields: { phone: '' } },
    ],
    ['a linked record needs no mail of its own', { phone: '2' }, linked({ phone: '1' }), { kind: 'update' }],
    ['the contact is gone', { phone: '2' }, linked({ phone: '1' }, true), { kind: 'held' }],
    [
      'the contact was deleted, nothing to say',
      { phone: '1' },
      linked({ phone: '1' }, true),
      { kind: 'unchanged' },
    ],
    ['an operation in doubt', { mail: 'a@x.de' }, { ...unknown, inDoubt: true }, { kind: 'waiting' }],
  ] as const)('%s', (_, contact, known, expected) => {
    expect(difference({ contact, terms: undefined }, known, pipelineSettings())).toMatchObject(expected)
  })

  it('leaves nothing to do once it is applied', () => {
    const contact = fc.dictionary(
      fc.constantFrom('mail', 'phone', 'company', 'fax'),
      fc.string({ maxLength: 3 }),
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(contact, contact, (desired, known) => {
        const after = nextKnown(known, desired)
        expect(changedFields(desired, after, [])).toEqual({})
        expect(Object.keys(after).sort()).toEqual(
          [...new Set([...Object.keys(desired), ...Object.keys(known)])].sort(),
        )
      }),
    )
  })
})

const RULES = pipelineSettings()
const ADDRESS: Contact = {
  ...{ first_name: 'Ann', family_name: 'Lee' },
  ...{ ba_street: 'Way 1', ba_city: 'Ulm', ba_postal_code: '89073' },
}
const asDesired = (contact: Contact, terms?: readonly string[]): Desired => ({ contact, terms })
const withLink = (own: Partial<KnownLink>): Known => ({
  link: {
    ...{ id: 1, contactId: 7, fields: {}, unsure: [], terms: undefined, gone: false, merged: false },
    ...own,
  },
  inDoubt: false,
})

describe('a new contact', () => {
  it('needs no mail where it has the full address', () =>
    expect(difference(asDesired(ADDRESS), unknown, RULES)).toStrictEqual({ kind: 'create', fields: ADDRESS }))

  it.each(Object.keys(ADDRESS))('without a mail is rejected where %s is blank, and says so', (field) =>
    expect(difference(asDesired({ ...ADDRESS, [field]: '' }), unknown, RULES)).toStrictEqual({
      ...{ kind: 'rejected', code: 'CONTACT_INCOMPLETE' },
      reason: `the record has no valid e-mail address, and for a contact without one it lacks ${field}; skip_without: [mail], or a condition in where, skips such records`,
    }),
  )

  it('has no blanks: there is nothing to clear', () =>
    expect(difference(asDesired({ mail: 'a@x.de', phone: '', fax: '' }), unknown, RULES)).toStrictEqual({
      ...{ kind: 'create', fields: { mail: 'a@x.de' } },
    }))

  it('names all that it lacks', () =>
    expect(difference(asDesired({ mail: '', ba_city: 'Ulm' }), unknown, RULES)).toMatchObject({
      reason: expect.stringContaining('lacks first_name, family_name, ba_street, ba_postal_code;') as string,
    }))

  it('carries its terms, and its mail_status apart from its fields', () => {
    const contact = { mail: 'a@x.de', mail_status: 4 }
    expect(difference(asDesired(contact, ['Customer']), unknown, RULES)).toStrictEqual({
      ...{ kind: 'create', fields: { mail: 'a@x.de' }, consent: 4 },
      terms: { add: ['Customer'], remove: [], asserts: ['Customer'] },
    })
  })
})

describe('a linked contact', () => {
  it('is updated with what differs: fields, terms and mail_status apart', () => {
    const known = withLink({ fields: { phone: '1', mail_status: 3 }, terms: [] })
    expect(difference(asDesired({ phone: '2', mail_status: 1 }, ['Customer']), known, RULES)).toStrictEqual({
      ...{ kind: 'update', contactId: 7, fields: { phone: '2' }, consent: 1 },
      terms: { add: ['Customer'], remove: [], asserts: ['Customer'] },
    })
  })

  it('is updated for its terms alone', () =>
    expect(difference(asDesired({}, ['Customer']), withLink({ terms: [] }), RULES)).toStrictEqual({
      ...{ kind: 'update', contactId: 7, fields: {} },
      terms: { add: ['Customer'], remove: [], asserts: ['Customer'] },
    }))

  it('is left alone where its terms stay', () => {
    const terms = [{ name: 'Customer', ours: false, shared: false, unsure: false }]
    expect(difference(asDesired({}, ['customer']), withLink({ terms }), RULES)).toEqual({ kind: 'unchanged' })
  })

  it.each([
    ['gone', GONE_REASON, 'the contact was deleted at the service; it is not created again automatically'],
    ['merged', MERGED_REASON, 'it merged the two, and both are held until they can be distinguished'],
  ])('that is %s is held for any change, with the reason', (mark, reason, text) => {
    const known = withLink({ [mark]: true, fields: { phone: '1' }, terms: [] })
    for (const wanted of [asDesired({ phone: '2' }), asDesired({}, ['Customer'])])
      expect(difference(wanted, known, RULES)).toStrictEqual({ kind: 'held', reason })
    expect(difference(asDesired({ phone: '1' }), known, RULES)).toEqual({ kind: 'unchanged' })
    expect(reason).toContain(text)
  })

  it('waits behind a doubt, whatever else is so', () =>
    expect(difference(asDesired({}), { ...withLink({}), inDoubt: true }, RULES)).toEqual({ kind: 'waiting' }))
})

describe('what a record has no value for any more', () => {
  const givesUp = (fields: Contact, ...names: string[]): Desired => ({ ...asDesired(fields), givesUp: names })
  const pushed = { phone: '1', fax: '2' }
  const GIVEN_UP = { kind: 'update', contactId: 7, fields: {} }

  it.each<[string, Desired, Partial<KnownLink>, object]>([
    ['is a change without fields', givesUp({ fax: '2' }, 'phone'), {}, GIVEN_UP],
    ['goes with other changes', givesUp({ fax: '3' }, 'phone'), {}, { ...GIVEN_UP, fields: { fax: '3' } }],
    ['is none twice', givesUp({}, 'phone'), { unsure: ['given up phone'] }, { kind: 'unchanged' }],
    ['is none where nothing was pushed', givesUp({}, 'skype'), {}, { kind: 'unchanged' }],
    ['is none of a contact that is gone', givesUp({}, 'phone'), { gone: true }, { kind: 'unchanged' }],
    ['is none of one that was merged', givesUp({}, 'phone'), { merged: true }, { kind: 'unchanged' }],
  ])('%s', (_, desired, link, expected) =>
    expect(difference(desired, withLink({ fields: pushed, ...link }), RULES)).toStrictEqual(expected),
  )

  it('is sent once it has a value again, also the same one', () => {
    const known = withLink({ fields: pushed, unsure: ['given up phone', 'given up fax'] })
    const of = (contact: Contact, said: Contact) =>
      recordDifference(asDesired(contact), { known, said }, RULES)
    expect(of({ phone: '1' }, { phone: '1' })).toStrictEqual({ ...GIVEN_UP, fields: { phone: '1' } })
    // What was pushed stands for a record that is not at hand, and says nothing.
    expect(of(pushed, {})).toEqual({ kind: 'unchanged' })
    expect(of({ phone: '' }, { phone: '' })).toStrictEqual({ ...GIVEN_UP, fields: { phone: '' } })
  })
})

describe('what the source says of a field that was edited by hand', () => {
  const fields = { phone: '2', fax: '' }
  const link = { fields, edited: { phone: '1', fax: null } }
  const UPDATE = { kind: 'update', contactId: 7 }
  it.each<[string, Contact, Partial<KnownLink>, object]>([
    [
      'is sent where it has changed since, though it was sent before',
      { phone: '2' },
      link,
      { ...UPDATE, fields: { phone: '2' } },
    ],
    [
      'is not where it is as before the edit',
      { phone: '2' },
      { ...link, edited: { phone: '2' } },
      { kind: 'unchanged' },
    ],
    ['is not where it says nothing of it', {}, link, { kind: 'unchanged' }],
    [
      'is sent, also a blank, where the record had gone and is back',
      { fax: '' },
      link,
      { ...UPDATE, fields: { fax: '' } },
    ],
    ['is not of another field', { phone: '2' }, { fields, edited: { skype: '1' } }, { kind: 'unchanged' }],
  ])('%s', (_, said, own, expected) =>
    expect(recordDifference(asDesired(fields), { known: withLink(own), said }, RULES)).toStrictEqual(
      expected,
    ),
  )

  it('is nothing for a record without a contact: that is created as it is, and not copied', () => {
    const contact = { mail: 'a@x.de', phone: '1' }
    const created = recordDifference(asDesired(contact), { known: unknown, said: contact }, RULES)
    expect(created).toStrictEqual({ kind: 'create', fields: contact })
    expect('fields' in created && created.fields).toBe(contact)
  })
})

it('two mails of one call that are one contact are told from two calls that are', () =>
  expect(MERGED_IN_CALL_REASON).toBe(
    'the service returned one contact for two e-mail addresses of the same call: it merged them',
  ))

describe('a field', () => {
  it.each<[string, Contact, Contact, readonly string[], boolean]>([
    ['the same text', { a: '1' }, { a: '1' }, [], false],
    ['another text', { a: '1' }, { a: '2' }, [], true],
    ['never pushed', { a: '1' }, {}, [], true],
    ['the same values', { a: ['x', 'y'] }, { a: ['x', 'y'] }, [], false],
    ['one value more', { a: ['x', 'y'] }, { a: ['x'] }, [], true],
    ['one value less', { a: ['x'] }, { a: ['x', 'y'] }, [], true],
    ['another value among several', { a: ['x', 'y'] }, { a: ['x', 'z'] }, [], true],
    ['values where a text was', { a: ['x'] }, { a: 'x' }, [], true],
    ['a text where values were', { a: 'x' }, { a: ['x'] }, [], true],
    ['the same, and unsure', { a: '1' }, { a: '1' }, ['a'], true],
    ['the same, another one unsure', { a: '1' }, { a: '1' }, ['b'], false],
  ])('is a change? %s', (_, desired, known, unsure, isChange) =>
    expect(changedFields(desired, known, unsure)).toStrictEqual(isChange ? desired : {}),
  )

  it('is shown from what to what, blank where nothing was pushed', () =>
    expect(fieldChanges({ a: '2', b: '' }, { a: '1', c: '3' })).toStrictEqual({
      a: { from: '1', to: '2' },
      b: { from: null, to: '' },
    }))
})

it('what is known next is what was known, overlaid', () =>
  expect(nextKnown({ a: '1', b: '2' }, { b: '3' })).toStrictEqual({ a: '1', b: '3' }))
