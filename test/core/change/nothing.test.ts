// How each kind of field is emptied, first and where that is refused.
import { describe, expect, it } from 'vitest'
import { emptiedFields, emptyValues } from '../../../src/core/change/nothing.ts'
import type { Contact, FieldValue } from '../../../src/core/mapping/contact.ts'

describe('a field is emptied', () => {
  it.each<[string, string, FieldValue | undefined, unknown, unknown]>([
    ['of any text', 'phone', '1', '', null],
    ['a mail', 'mail2', 'a@x.de', '', null],
    ['of a list of values', 'title', 'm', null, ''],
    ['a country', 'ba_country', 'de', null, ''],
    ['a date', 'date_of_birth', '1980-01-01T12:00:00+00:00', null, ''],
    ['a custom text', 'note', 'x', '', null],
    ['a custom number', 'size', 3, null, ''],
    ['a custom selection', 'tags', ['a'], [], null],
    ['a custom field that nothing is known of', 'other', undefined, '', null],
  ])('%s', (_, field, value, first, second) => {
    const known: Contact = value === undefined ? {} : { [field]: value }
    const sent = (which: 'first' | 'second', clearBy?: 'empty_text' | 'null_value'): unknown =>
      emptyValues([field], known, { which, clearBy })[field]
    expect([sent('first'), sent('second')]).toStrictEqual([first, second])
    for (const clearBy of ['empty_text', 'null_value'] as const) {
      const form = clearBy === 'null_value' ? null : ''
      const isFormOfField = first === form || second === form
      expect(sent('first', clearBy)).toStrictEqual(isFormOfField ? form : first)
      expect([sent('first', clearBy), sent('second', clearBy)]).toEqual(
        expect.arrayContaining([first, second]),
      )
    }
  })

  it('where the change says so, and nowhere else', () =>
    expect(emptiedFields({ a: '', b: 'x', c: [], d: 3, e: '' })).toEqual(['a', 'e']))
})
