// Whether a contact that the service shows is the one that was sent, wholly or in part.
import { describe, expect, it } from 'vitest'
import {
  looksLike,
  resembles,
  shownAs,
  shownContact,
  showsPart,
} from '../../../../src/core/change/lookup/likeness.ts'
import type { Contact } from '../../../../src/core/mapping/contact.ts'

const asShown = (fields: Readonly<Record<string, unknown>>) => ({ id: 1, fields })
type Shown = Readonly<Record<string, unknown>>

describe('a contact that is shown', () => {
  it.each([
    [{ phone: '030' }, { phone: ' 030' }, true],
    [{ phone: '030' }, {}, false],
    [{ tags: ['b', 'a'] }, { tags: ['a', 'b'] }, true],
    [{ tags: ['a'] }, { tags: 'a' }, false],
    [{ date_of_birth: 'x' }, { date_of_birth: 'x' }, true],
  ])('compares %o with %o: %s', (left, right, expected) => {
    expect(looksLike(left, { id: 1, fields: right })).toBe(expected)
  })

  it.each<[string, Contact, Shown, boolean]>([
    ['a number as text', { size: '42' }, { size: 42 }, true],
    ['a truth as text', { size: 'true' }, { size: true }, true],
    ['an object is not text', { size: '[object Object]' }, { size: {} }, false],
    ['a list is not text', { size: 'a' }, { size: ['a'] }, false],
    ['a text is no list', { tags: ['a'] }, { tags: 'a' }, false],
    ['null is a blank', { size: '' }, { size: null }, true],
    ['blanks around what was sent', { phone: ' 1 ' }, { phone: '1' }, true],
    ['another normal form', { company: 'e\u0301' }, { company: '\u00e9' }, true],
    ['another case of a text', { company: 'a' }, { company: 'A' }, false],
    ['another case of a mail', { mail: 'a@x.de' }, { mail: 'A@X.de' }, true],
    ['another case of the second mail', { mail2: 'a@x.de' }, { mail2: 'A@X.de' }, true],
    ['another mail', { mail: 'a@x.de' }, { mail: 'b@x.de' }, false],
    [
      'the same day at another hour',
      { date_of_birth: '1980-05-01' },
      { date_of_birth: '1980-05-01T10:00:00Z' },
      true,
    ],
    ['the next day', { date_of_birth: '1980-05-01' }, { date_of_birth: '1980-05-02' }, false],
    ['another text that is no day', { date_of_birth: 'x' }, { date_of_birth: 'y' }, false],
    [
      'a day in a field that holds text',
      { company: '1980-05-01' },
      { company: '1980-05-01T10:00:00Z' },
      false,
    ],
    ['values in another order, as sent', { tags: ['b', 'a', 'c'] }, { tags: ['a', 'b', 'c'] }, true],
    ['values in another order, as shown', { tags: ['a', 'b', 'c'] }, { tags: ['c', 'b', 'a'] }, true],
    ['values that only read alike', { tags: ['ab', 'c'] }, { tags: ['a', 'bc'] }, false],
    ['values as numbers', { tags: ['1', '2'] }, { tags: [2, 1] }, true],
    ['a value more', { tags: ['a'] }, { tags: ['a', 'b'] }, false],
    ['one field of two', { phone: '1', fax: '2' }, { phone: '1', fax: '3' }, false],
    [
      'a mail_status that was not taken',
      { phone: '1', mail_status: 4 },
      { phone: '1', mail_status: 3 },
      true,
    ],
    ['what was not sent', { phone: '1' }, { phone: '1', fax: '3' }, true],
  ])('is like what was sent? %s', (_, sent, shown, isLike) => {
    expect(looksLike(sent, asShown(shown))).toBe(isLike)
  })

  it.each<[string, Contact, Shown, boolean]>([
    ['the same value', { phone: '1' }, { phone: '1' }, true],
    ['another value', { phone: '1' }, { phone: '2' }, false],
    ['no value', { phone: '1' }, {}, false],
    ['a blank for a blank', { phone: '' }, { phone: null }, true],
    ['a blank that was never there', { phone: ' ' }, {}, true],
    ['a value for a blank', { phone: '' }, { phone: '1' }, false],
    ['values for a blank', { phone: '' }, { phone: ['1'] }, false],
    ['no values for a blank', { phone: '' }, { phone: [] }, true],
    ['null for no values', { tags: [] }, { tags: null }, true],
    ['values for no values', { tags: [] }, { tags: ['a'] }, false],
    ['the same values', { tags: ['a'] }, { tags: ['a'] }, true],
    ['no values for values', { tags: ['a'] }, { tags: [] }, false],
  ])('shows a field as it is known? %s', (_, known, shown, isShown) => {
    expect(shownAs(known, asShown(shown))).toEqual(isShown ? Object.keys(known) : [])
  })

  it('is known by what it shows; what it does not speak of is blank or unknown', () => {
    const desired = { a: '1', b: '', c: '3', tags: ['b', 'a'], list: 'x' }
    const shown = asShown({ a: ' 1', b: 'old', tags: ['a', 'b'], list: [' y', 2], more: 'x' })
    expect(shownContact(desired, shown)).toStrictEqual({
      a: '1',
      b: 'old',
      tags: ['b', 'a'],
      list: ['y', '2'],
    })
    expect(shownContact({ a: '1', b: '' }, asShown({ a: 2 }))).toStrictEqual({ a: '2', b: '' })
  })
})

describe('part of what was sent', () => {
  it.each<[string, Contact, Shown, boolean]>([
    ['a field', { mail: 'a@x.de', phone: '1', fax: '2' }, { phone: '1', fax: '3' }, true],
    ['the mail alone', { mail: 'a@x.de', phone: '1' }, { mail: 'a@x.de' }, false],
    ['the mail_status alone', { mail_status: 4, phone: '1' }, { mail_status: 4 }, false],
    ['a blank', { mail: 'a@x.de', phone: '' }, {}, false],
    ['nothing', { phone: '1' }, { phone: '2' }, false],
  ])('%s: is it shown?', (_, sent, shown, isShown) => expect(showsPart(sent, asShown(shown))).toBe(isShown))

  it.each<[string, Contact, Shown, Contact | undefined, boolean]>([
    ['a field', { mail: 'a@x.de', phone: '1' }, { phone: '1' }, undefined, true],
    ['no field', { mail: 'a@x.de', phone: '1' }, { phone: '2' }, undefined, false],
    ['names alone were sent', { mail: 'a@x.de', first_name: 'A', family_name: 'B' }, {}, undefined, true],
    [
      'a mail and its status alone were sent',
      { mail: 'a@x.de', mail_status: 4, phone: '' },
      {},
      undefined,
      true,
    ],
    ['more than a name was sent', { first_name: 'A', phone: '1' }, {}, undefined, false],
    ['what another pipeline sent', { phone: '1', fax: '2' }, { phone: '1', fax: '3' }, { phone: '1' }, false],
    [
      'more than another pipeline sent',
      { phone: '1', fax: '2' },
      { phone: '1', fax: '2' },
      { phone: '1' },
      true,
    ],
    ['a field that another pipeline sent otherwise', { phone: '1' }, { phone: '1' }, { phone: '2' }, true],
    ['names alone, at a contact of another pipeline', { mail: 'a@x.de', first_name: 'A' }, {}, {}, false],
  ])('may it be ours, changed since? %s', (_, sent, shown, pushed, isOurs) =>
    expect(resembles(sent, asShown(shown), pushed)).toBe(isOurs),
  )
})
