// Servers whose lists are whole as long as they fit on one page.
import type { Asked, Spoil } from './broken-server.ts'
import {
  asking,
  BY_ID,
  BY_MAIL,
  DEFINITIONS,
  either,
  fieldsOf,
  LIST_TERMS,
  listOf,
  type Mutant,
  telling,
  TERMS_OF,
} from './spoils.ts'

/** Lets a list have pages of another size, each at the right place. */
const inPagesOf = (size: number) =>
  telling(either(LIST_TERMS, TERMS_OF, BY_MAIL), (json) => listOf(json).slice(0, size))

const onlyFirst = (matches: (asked: Asked) => boolean): Spoil =>
  asking(matches, ({ path }) => ({ path: path.replace(/([?&])offset=\d+/, '$1offset=0') }))

/** From the second page on, one entry too many is skipped. */
const skipping = (matches: (asked: Asked) => boolean): Spoil =>
  asking(matches, ({ path }) => ({
    path: path.replace(/offset=([1-9]\d*)/, (_, offset: string) => `offset=${Number(offset) + 1}`),
  }))

const LISTS = [
  ['the terms', LIST_TERMS, 'terms-pages', 'terms-offset'],
  ['the terms of a contact', TERMS_OF, 'contact-terms-pages', 'contact-terms-lead'],
  ['the contacts of a mail', BY_MAIL, 'by-mail-pages', 'by-mail-lead'],
] as const

export const OF_PAGES: readonly Mutant[] = [
  ...LISTS.flatMap(([list, matches, pages, lead]): Mutant[] => [
    { does: `shows ${list} in pages of 50`, caughtBy: pages, spoil: inPagesOf(50) },
    { does: `never leaves the first page of ${list}`, caughtBy: pages, many: 501, spoil: onlyFirst(matches) },
    { does: `skips one between the pages of ${list}`, caughtBy: lead, spoil: skipping(matches) },
    {
      does: `ends ${list} at 500`,
      caughtBy: pages,
      many: 501,
      spoil: telling(matches, (json, { path }) => (/offset=[1-9]/.test(path) ? [] : json)),
    },
  ]),
  {
    does: 'ends the field terms at 500',
    caughtBy: 'terms-field-whole',
    many: 501,
    spoil: telling(BY_ID, (json) => {
      const { terms } = fieldsOf(json)
      return { ...fieldsOf(json), ...(Array.isArray(terms) ? { terms: terms.slice(0, 500) } : {}) }
    }),
  },
  {
    does: 'ends the field terms at 50',
    caughtBy: 'terms-field-whole',
    spoil: telling(BY_ID, (json) => {
      const { terms } = fieldsOf(json)
      return { ...fieldsOf(json), ...(Array.isArray(terms) ? { terms: terms.slice(0, 50) } : {}) }
    }),
  },
  {
    does: 'skips one between the pages of definitions',
    caughtBy: 'custom-fields-lead',
    spoil: skipping(DEFINITIONS),
  },
]
