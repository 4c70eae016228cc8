// What a look-up by mail is worth.
import { describe, expect, it } from 'vitest'
import { mailLookup } from '../../../../src/core/change/lookup/mail-lookup.ts'

const contact = (id: number, mail: unknown) => ({ id, fields: { mail } })

describe('a look-up by mail', () => {
  it('sorts what it brought by the mail that each contact shows', () => {
    const found = [contact(1, 'A@x.de '), contact(2, 'ab@x.de'), contact(3, null), contact(4, 'a@x.de')]
    expect(mailLookup('a@X.de', found)).toStrictEqual({
      contacts: [found[0], found[3]],
      others: [found[1], found[2]],
    })
  })

  it('says nothing where a contact shows no mail at all', () => {
    expect(mailLookup('a@x.de', [contact(1, 'a@x.de'), { id: 2, fields: {} }])).toBeUndefined()
    expect(mailLookup('a@x.de', [])).toStrictEqual({ contacts: [], others: [] })
  })
})
