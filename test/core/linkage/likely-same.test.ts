// Pairs of records as exports have them: which are likely one person, and which are not. The order of the two does not matter.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { likelySame } from '../../../src/core/linkage/likely-same.ts'
import { THRESHOLD } from '../../../src/core/linkage/linkage.ts'
import { evidenceKeys } from '../../../src/core/linkage/look-alikes.ts'
import { personOf } from '../../../src/core/linkage/person.ts'
import type { Contact } from '../../../src/core/mapping/contact.ts'

type Row = readonly [
  first: string,
  family: string,
  mail?: string,
  phone?: string,
  born?: string,
  address?: string,
]

/** `address`: street, postal code, city. */
function contactOf([first, family, mail = '', phone = '', born = '', address = '']: Row): Contact {
  const [street = '', code = '', city = ''] = address.split(', ')
  const values = {
    first_name: first,
    family_name: family,
    mail,
    phone,
    date_of_birth: born === '' ? '' : `${born}T12:00:00+00:00`,
    ba_street: street,
    ba_postal_code: code,
    ba_city: city,
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}

const weight = (one: Row, other: Row): number | undefined =>
  likelySame(personOf(contactOf(one)), personOf(contactOf(other)))?.weight

const HOME = 'Lindenstraße 12, 50667, Köln'

const SAME: readonly [what: string, one: Row, other: Row][] = [
  ['all the same', ['Anna', 'Berger', 'anna@x.example'], ['Anna', 'Berger', 'anna@x.example']],
  [
    'another provider',
    ['Anna', 'Berger', 'anna.berger@gmx.example'],
    ['Anna', 'Berger', 'anna.berger@web.example'],
  ],
  ['another top level', ['Jan', 'Novák', 'jan.novak@firma.cz'], ['Jan', 'Novák', 'jan.novak@firma.com']],
  ['a tag', ['Otto', 'Maier', 'otto+news@x.example'], ['Otto', 'Maier', 'otto@x.example']],
  [
    'points in the mailbox',
    ['Otto', 'Maier', 'otto.maier@x.example'],
    ['Otto', 'Maier', 'ottomaier@x.example'],
  ],
  ['capitals of the mail', ['Otto', 'Maier', 'Otto@X.example'], ['OTTO', 'MAIER', 'otto@x.example']],
  ['no accents', ['José', 'García', 'jose@x.example'], ['Jose', 'Garcia', 'jose@x.example']],
  [
    'a phone',
    ['Eva', 'Kunz', 'eva@x.example', '+49 171 2345678'],
    ['Eva', 'Kunz', 'e.kunz@y.example', '0171/2345678'],
  ],
  ['a phone alone', ['Eva', 'Kunz', '', '+49 171 2345678'], ['Eva', 'Kunz', '', '0049 171 2345678']],
  [
    'a birthday',
    ['Eva', 'Kunz', 'eva@x.example', '', '1981-04-03'],
    ['Eva', 'Kunz', 'ek@y.example', '', '1981-04-03'],
  ],
  ['day and month swapped', ['Eva', 'Kunz', '', '', '1981-04-03'], ['Eva', 'Kunz', '', '', '1981-03-04']],
  [
    'an address',
    ['Eva', 'Kunz', 'eva@x.example', '', '', HOME],
    ['Eva', 'Kunz', 'ek@y.example', '', '', HOME],
  ],
  [
    'Straße and Str.',
    ['Eva', 'Kunz', '', '', '', HOME],
    ['Eva', 'Kunz', '', '', '', 'Lindenstr. 12, 50667, Köln'],
  ],
  [
    'a code mistyped',
    ['Eva', 'Kunz', '', '', '', HOME],
    ['Eva', 'Kunz', '', '', '', 'Lindenstr. 12, 50676, Köln'],
  ],
  ['names swapped', ['Eva', 'Kunz', 'eva@x.example'], ['Kunz', 'Eva', 'eva@x.example']],
  ['names swapped, a phone', ['Eva', 'Kunz', '', '0221 998877'], ['Kunz', 'Eva', '', '+49221998877']],
  ['a second first name', ['Hans', 'Bauer', '', '0221 998877'], ['Hans Peter', 'Bauer', '', '0221 998877']],
  ['a hyphen', ['Hans-Peter', 'Bauer', 'hp@x.example'], ['Hans Peter', 'Bauer', 'hp@x.example']],
  ['a nickname', ['Robert', 'Miller', 'r.miller@x.example'], ['Bob', 'Miller', 'r.miller@x.example']],
  ['a nickname, a phone', ['Elisabeth', 'Huber', '', '0661 443322'], ['Betty', 'Huber', '', '0661 443322']],
  ['ph and f', ['Stephan', 'Wolf', '', '0661 443322'], ['Stefan', 'Wolf', '', '0661 443322']],
  ['one p or two', ['Philipp', 'Wolf', '', '', '', HOME], ['Philip', 'Wolf', '', '', '', HOME]],
  ['th and t', ['Katharina', 'Wolf', 'kw@x.example'], ['Katarina', 'Wolf', 'kw@x.example']],
  ['letters jumbled', ['Micheal', 'Wolf', 'mw@x.example'], ['Michael', 'Wolf', 'mw@x.example']],
  [
    'a letter lost',
    ['Chistian', 'Wolf', 'christian@x.example'],
    ['Christian', 'Wolf', 'christian@x.example'],
  ],
  [
    'a letter lost, a birthday',
    ['Chistian', 'Wolf', '', '', '1981-04-03'],
    ['Christian', 'Wolf', '', '', '1981-04-03'],
  ],
  ['Schmidt and Schmitt', ['Uwe', 'Schmidt', 'uwe@x.example'], ['Uwe', 'Schmitt', 'uwe@x.example']],
  ['a double name', ['Anna', 'Berger', 'anna@x.example'], ['Anna', 'Berger-Huber', 'anna@x.example']],
  [
    'married since',
    ['Anna', 'Berger', 'anna@x.example', '', '1981-04-03'],
    ['Anna', 'Huber', 'anna@x.example', '', '1981-04-03'],
  ],
  [
    'married since, at home',
    ['Anna', 'Berger', '', '', '1981-04-03', HOME],
    ['Anna', 'Huber', '', '', '1981-04-03', HOME],
  ],
  ['an initial', ['A.', 'Berger', 'anna.berger@x.example'], ['Anna', 'Berger', 'anna.berger@x.example']],
  ['no first name', ['', 'Berger', 'anna.berger@x.example'], ['Anna', 'Berger', 'anna.berger@x.example']],
  ['no names at all', ['', '', 'anna.berger@x.example'], ['Anna', 'Berger', 'anna.berger@x.example']],
  ['neither has a name', ['', '', 'anna.berger@x.example'], ['', '', 'Anna.Berger@x.example']],
  [
    'moved',
    ['Eva', 'Kunz', 'eva@x.example', '', '', HOME],
    ['Eva', 'Kunz', 'eva@x.example', '', '', 'Hauptstr. 1, 80331, München'],
  ],
  [
    'a slip in the year of birth',
    ['Eva', 'Kunz', 'eva@x.example', '', '1981-04-03'],
    ['Eva', 'Kunz', 'eva@x.example', '', '1982-04-03'],
  ],
]

const OTHER: readonly [what: string, one: Row, other: Row][] = [
  ['names alone', ['Anna', 'Berger'], ['Anna', 'Berger']],
  [
    'names alone, other mails',
    ['Thomas', 'Müller', 'tm@x.example'],
    ['Thomas', 'Müller', 'thomas@y.example'],
  ],
  [
    'names and a city',
    ['Thomas', 'Müller', '', '', '', ', 50667, Köln'],
    ['Thomas', 'Müller', '', '', '', ', 50667, Köln'],
  ],
  [
    'a street without number',
    ['Thomas', 'Müller', '', '', '', 'Lindenstraße, 50667, Köln'],
    ['Thomas', 'Müller', '', '', '', 'Lindenstraße, 50667, Köln'],
  ],
  [
    'a mailbox, elsewhere',
    ['Thomas', 'Müller', 'thomas.mueller@x.example', '', '', HOME],
    ['Thomas', 'Müller', 'thomas.mueller@y.example', '', '', 'Hauptstr. 1, 80331, München'],
  ],
  [
    'a street, elsewhere',
    ['Thomas', 'Müller', '', '', '', 'Hauptstr. 1, 50667, Köln'],
    ['Thomas', 'Müller', '', '', '', 'Hauptstr. 1, 80331, München'],
  ],
  ['mailboxes of a task', ['Thomas', 'Müller', 'info@x.example'], ['Thomas', 'Müller', 'info@y.example']],
  [
    'test people',
    ['Vorname0', 'Nachname0', 'vorname0@x.example'],
    ['Vorname1', 'Nachname1', 'vorname1@x.example'],
  ],
  [
    'test people, an address',
    ['Vorname0', 'Nachname0', 'v0@x.example', '0301234567', '', HOME],
    ['Vorname1', 'Nachname1', 'v1@x.example', '0301234567', '', HOME],
  ],
  ['test people, a family', ['Vorname0', 'Test', '', '', '', HOME], ['Vorname1', 'Test', '', '', '', HOME]],
  [
    'a couple',
    ['Anna', 'Berger', 'berger@x.example', '0221 998877', '', HOME],
    ['Otto', 'Berger', 'berger@x.example', '0221 998877', '', HOME],
  ],
  [
    'siblings',
    ['Paul', 'Berger', 'berger@x.example', '0221 998877', '', HOME],
    ['Paula', 'Berger', 'berger@x.example', '0221 998877', '', HOME],
  ],
  [
    'sisters',
    ['Anna', 'Berger', 'berger@x.example', '0221 998877', '', HOME],
    ['Hanna', 'Berger', 'berger@x.example', '0221 998877', '', HOME],
  ],
  [
    'sisters, alike inside',
    ['Karin', 'Berger', 'berger@x.example', '0221 998877', '', HOME],
    ['Katrin', 'Berger', 'berger@x.example', '0221 998877', '', HOME],
  ],
  [
    'Maria and Marie',
    ['Maria', 'Berger', '', '0221 998877', '', HOME],
    ['Marie', 'Berger', '', '0221 998877', '', HOME],
  ],
  [
    'Julia and Julian',
    ['Julia', 'Berger', 'berger@x.example', '', '', HOME],
    ['Julian', 'Berger', 'berger@x.example', '', '', HOME],
  ],
  [
    'Martin and Martina',
    ['Martin', 'Berger', 'martin@x.example', '', '', HOME],
    ['Martina', 'Berger', 'martin@x.example', '', '', HOME],
  ],
  ['Jan and Jana', ['Jan', 'Berger', '', '0221 998877'], ['Jana', 'Berger', '', '0221 998877']],
  [
    'twins',
    ['Paul', 'Berger', 'berger@x.example', '', '2001-04-03', HOME],
    ['Emil', 'Berger', 'berger@x.example', '', '2001-04-03', HOME],
  ],
  [
    'father and son of one name',
    ['Hans', 'Berger', '', '', '1950-04-03', HOME],
    ['Hans', 'Berger', '', '', '1978-11-20', HOME],
  ],
  ['senior and junior', ['Hans', 'Berger sen.', '', '', '', HOME], ['Hans', 'Berger jun.', '', '', '', HOME]],
  [
    'one is a junior',
    ['Hans', 'Berger', 'berger@x.example', '', '', HOME],
    ['Hans', 'Berger jun.', 'berger@x.example', '', '', HOME],
  ],
  [
    'an initial of one household',
    ['A.', 'Berger', 'berger@x.example', '', '', HOME],
    ['Anna', 'Berger', 'berger@x.example', '', '', HOME],
  ],
  ['initials of two', ['A.', 'Berger', 'berger@x.example'], ['O.', 'Berger', 'berger@x.example']],
  [
    'no first name, a household',
    ['', 'Berger', 'berger@x.example', '0221 998877', '', HOME],
    ['Anna', 'Berger', 'berger@x.example', '0221 998877', '', HOME],
  ],
  [
    'a family as a contact',
    ['', 'Familie Berger', 'familie.berger@x.example', '', '', HOME],
    ['Anna', 'Berger', 'familie.berger@x.example', '', '', HOME],
  ],
  ['a mailbox of a family', ['', '', 'fam.berger@x.example'], ['Anna', 'Berger', 'fam.berger@x.example']],
  ['a mailbox of an office', ['', '', 'info@x.example'], ['', '', 'info@x.example']],
  [
    'colleagues',
    ['Anna', 'Berger', 'office@x.example', '0221 998877', '', HOME],
    ['Otto', 'Maier', 'office@x.example', '0221 998877', '', HOME],
  ],
  [
    'colleagues of one first name',
    ['Anna', 'Berger', 'anna.berger@x.example', '0221 998877', '', HOME],
    ['Anna', 'Maier', 'anna.maier@x.example', '0221 998877', '', HOME],
  ],
  [
    'one first name, one birthday',
    ['Anna', 'Berger', '', '', '1981-04-03'],
    ['Anna', 'Maier', '', '', '1981-04-03'],
  ],
  ['a birthday alone', ['Anna', 'Berger', '', '', '1981-04-03'], ['Otto', 'Maier', '', '', '1981-04-03']],
  [
    'a birthday that was filled in',
    ['Anna', 'Berger', '', '', '1900-01-01'],
    ['Anna', 'Berger', '', '', '1900-01-01'],
  ],
  ['a phone that was filled in', ['Anna', 'Berger', '', '00000000'], ['Anna', 'Berger', '', '00000000']],
  [
    'other birthdays',
    ['Anna', 'Berger', 'ab@x.example', '', '1981-04-03'],
    ['Anna', 'Berger', 'ab@y.example', '', '1990-11-20'],
  ],
  [
    'mother and daughter-in-law',
    ['Anna', 'Berger', '', '0221 998877', '', HOME],
    ['Anna', 'Huber', '', '0221 998877', '', HOME],
  ],
  ['nothing known', ['', ''], ['', '']],
]

describe('likely the same person', () => {
  it.each(SAME)('%s', (_, one, other) => {
    expect(weight(one, other)).toBeGreaterThanOrEqual(THRESHOLD)
    expect(weight(other, one)).toBe(weight(one, other))
  })

  it.each(OTHER)('not %s', (_, one, other) => {
    expect(weight(one, other)).toBeUndefined()
    expect(weight(other, one)).toBeUndefined()
  })

  it.each(SAME)('which is compared at all: %s', (_, one, other) => {
    const keys = new Set(evidenceKeys(personOf(contactOf(one))))
    expect(evidenceKeys(personOf(contactOf(other))).some((key) => keys.has(key))).toBe(true)
  })

  it('never by names alone, whatever they are', () => {
    const name = fc.constantFrom('Anna', 'Berger', 'Otto', 'Hans', 'Paul', 'Paula', 'A.', '')
    fc.assert(
      fc.property(name, name, name, name, (first, family, otherFirst, otherFamily) => {
        expect(weight([first, family], [otherFirst, otherFamily])).toBeUndefined()
      }),
    )
  })

  it('in either order, of any two', () => {
    const value = (...values: readonly string[]) => fc.constantFrom('', ...values)
    const row = fc.tuple(
      value('Anna', 'Hanna', 'A.', 'Berger', 'Anna Maria', 'Vorname1'),
      value('Berger', 'Anna', 'Berger-Huber', 'Huber', 'Berger jun.'),
      value('anna@x.example', 'anna@y.example', 'info@x.example', 'berger@x.example'),
      value('0221 998877', '+49 221 998877', '000000'),
      value('1981-04-03', '1981-03-04', '1900-01-01', '1990-11-20'),
      value(HOME, 'Lindenstr. 12, 80331, München'),
    )
    fc.assert(
      fc.property(row, row, (one, other) => {
        expect(weight(one, other)).toBe(weight(other, one))
      }),
      { numRuns: 1000 },
    )
  })
})
