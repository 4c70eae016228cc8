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
    expect(emptyValues([field], known, 'first')).toStrictEqual({ [field]: first })
    expect(emptyValues([field], known, 'second')).toStrictEqual({ [field]: second })
  })

  it('where the change says so, and nowhere else', () =>
    expect(emptiedFields({ a: '', b: 'x', c: [], d: 3, e: '' })).toEqual(['a', 'e']))
})
