// Cells that hold several terms, as vendors write them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listParts, termNames } from '../../../src/core/mapping/term-list.ts'

describe('a cell with several terms', () => {
  it.each([
    ['Mailchimp', 'TAGS', ',', '"Tag one","Tag two"', ['Tag one', 'Tag two']],
    ['Mailchimp, one tag', 'TAGS', ',', '"Tag one"', ['Tag one']],
    [
      'Mailchimp, a comma and a quote within',
      'TAGS',
      ',',
      '"a, b" , "say ""hi""",plain',
      ['a, b', 'say "hi"', 'plain'],
    ],
    ['Mailchimp without split', 'TAGS', undefined, '"Tag one","Tag two"', ['Tag one', 'Tag two']],
    ['another column without split', 'Notes', undefined, '"Tag one","Tag two"', ['"Tag one","Tag two"']],
    [
      'a quote that is part of a name',
      'Tags',
      ',',
      'the "best" ones,"Best of" all,12" pipes',
      ['the "best" ones', '"Best of" all', '12" pipes'],
    ],
    ['a quote that never closes', 'Tags', ',', '"open,next', ['"open', 'next']],
    ['a separator of blanks', 'Tags', ' ', '"a b" c', ['a b', 'c']],
    [
      'Google',
      'Labels',
      ' ::: ',
      'Family ::: * Friends ::: * myContacts',
      ['Family ', ' Friends'.trim(), ''],
    ],
    [
      'Google, old header, without split',
      'Group Membership',
      undefined,
      '* My Contacts ::: Club',
      ['', ' Club'],
    ],
    ['Google, nothing but the system group', 'Labels', ':::', '* myContacts', ['']],
    ['an asterisk elsewhere', 'Tags', ',', '* myContacts', ['* myContacts']],
    ['nothing', 'Tags', ',', '', []],
  ])('%s', (_, column, split, cell, names) => {
    expect(termNames(cell, { column, ...(split === undefined ? {} : { split }) })).toEqual(names)
  })

  it('gives back every list that was written in quotes', () => {
    const written = (part: string): string => `"${part.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(
        fc.array(fc.string(), { minLength: 1 }),
        fc.constantFrom(',', ';', '|', ' ::: '),
        (parts, separator) => {
          expect(listParts(parts.map(written).join(separator), separator)).toEqual(parts)
        },
      ),
    )
  })

  it('reads a list without quotes as a plain split does', () => {
    const part = fc.string().filter((text) => !text.includes('"'))
    fc.assert(
      fc.property(part, fc.constantFrom(',', ';', '|'), (text, separator) => {
        expect(listParts(text, separator)).toEqual(text.split(separator))
      }),
    )
  })
})
