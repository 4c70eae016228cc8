import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockingKeys } from '../../../src/core/linkage/blocking.ts'
import { createDuplicates } from '../../../src/sandbox/duplicates/duplicates.ts'
import { linkageWeight, THRESHOLD } from '../../../src/core/linkage/linkage.ts'
import { personFromText, personOf, personText } from '../../../src/core/linkage/person.ts'
import { jaroWinkler, NEAR, nameLikeness, PERHAPS } from '../../../src/core/linkage/similarity.ts'
import { openTables } from '../../../src/sandbox/tables.ts'

describe('Jaro-Winkler', () => {
  it.each([
    ['martha', 'marhta', 0.961],
    ['dixon', 'dicksonx', 0.813],
    ['same', 'same', 1],
    ['abc', 'xyz', 0],
    ['', 'a', 0],
  ])('%s and %s: %f', (left, right, expected) => {
    expect(jaroWinkler(left, right)).toBeCloseTo(expected, 3)
  })
  it('is symmetric and between 0 and 1', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 8 })
    fc.assert(
      fc.property(name, name, (left, right) => {
        const alike = jaroWinkler(left, right)
        expect(alike).toBeGreaterThanOrEqual(0)
        expect(alike).toBeLessThanOrEqual(1)
        expect(jaroWinkler(right, left)).toBe(alike)
      }),
    )
  })
})

describe('names', () => {
  it.each([
    ['robert', 'bob', NEAR],
    ['murphy', 'pmurphy', NEAR],
    ['r', 'robert', PERHAPS],
    ['nleaeor', 'eleanor', PERHAPS],
  ])('%s may be %s', (left, right, least) => {
    expect(nameLikeness(left, right)).toBeGreaterThanOrEqual(least)
    expect(nameLikeness(right, left)).toBeGreaterThanOrEqual(least)
  })
  it.each([
    ['ada', 'karl'],
    ['k', 'robert'],
    ['bob', 'bill'],
    ['', 'robert'],
  ])('%s is not %s', (left, right) => {
    expect(nameLikeness(left, right)).toBeLessThan(PERHAPS)
  })
})

const ADA = {
  first_name: 'Ada',
  family_name: 'Muster',
  mail: 'ada@example.com',
  ba_street: 'Hauptstraße 5',
  ba_city: 'Berlin',
  ba_postal_code: '10115',
  phone: '+49 30 1234567',
  date_of_birth: '1980-03-04T12:00:00+00:00',
}
const weight = (left: object, right: object): number =>
  linkageWeight(personOf({ ...left }), personOf({ ...right }))

describe('one person', () => {
  it.each([
    ['the same record', ADA],
    ['another mail, all else the same', { ...ADA, mail: 'a.muster@work.example' }],
    [
      'names swapped and a phone with the country code left out',
      { ...ADA, first_name: 'Muster', family_name: 'Ada', phone: '030 1234567' },
    ],
    [
      'slips in name, street and postal code',
      { ...ADA, first_name: 'Adda', ba_street: 'Hauptstr. 5', ba_postal_code: '10151', mail: '' },
    ],
    ['day and month swapped', { ...ADA, date_of_birth: '1980-04-03T12:00:00+00:00', mail: '' }],
    [
      'a birthday a decade beside, in a mail with a slip',
      {
        ...ADA,
        ba_street: '',
        phone: '',
        mail: 'ada@exampel.com',
        date_of_birth: '1990-03-05T12:00:00+00:00',
      },
    ],
    [
      'the family name in place of the first, which is missing',
      { first_name: 'Muster', mail: 'ada@example.com' },
    ],
    ['name and mail alone', { first_name: 'Ada', family_name: 'Muster', mail: 'Ada@Example.COM' }],
  ])('is recognised: %s', (_, other) => {
    expect(weight(ADA, other)).toBeGreaterThanOrEqual(THRESHOLD)
    const keys = new Set(blockingKeys(personOf(ADA)))
    expect(blockingKeys(personOf({ ...other })).some((key) => keys.has(key))).toBe(true)
  })

  it.each([
    [
      'another of the same name elsewhere',
      {
        first_name: 'Ada',
        family_name: 'Muster',
        ba_city: 'München',
        ba_postal_code: '80331',
        ba_street: 'Am Platz 1',
        date_of_birth: '1955-12-30T12:00:00+00:00',
      },
    ],
    [
      'a brother in the same house',
      {
        ...ADA,
        first_name: 'Karl',
        mail: 'karl@example.com',
        date_of_birth: '1985-11-19T12:00:00+00:00',
        phone: '',
      },
    ],
    [
      'a partner with whom the mail is shared',
      { ...ADA, first_name: 'Karl', date_of_birth: '1978-11-19T12:00:00+00:00' },
    ],
    ['a partner of whom no birthday is known', { ...ADA, first_name: 'Karl', date_of_birth: '' }],
    ['a twin with a mail of his own', { ...ADA, first_name: 'Karl', mail: 'karl@other.example' }],
    ['a sister in all but name and title', { ...ADA, first_name: 'Eva', title: 'f', date_of_birth: '' }],
    [
      'a neighbour of the same first name',
      {
        first_name: 'Ada',
        family_name: 'Anders',
        ba_street: 'Am Platz 1',
        ba_city: 'Berlin',
        ba_postal_code: '10117',
      },
    ],
    [
      'another of the same name, of whom only the mail is known',
      { first_name: 'Ada', family_name: 'Muster', mail: 'muster@other.example' },
    ],
    ['a stranger', { first_name: 'Zoe', family_name: 'Anders', mail: 'zoe@other.example' }],
    ['nothing known', {}],
  ])('is not taken for %s', (_, other) => {
    expect(weight(ADA, other)).toBeLessThan(THRESHOLD)
  })

  it('is judged the same from either side', () => {
    const text = fc.constantFrom('', 'Ada', 'Eda', 'Muster', 'Mustermann', 'Karl')
    const person = fc.record({
      first_name: text,
      family_name: text,
      ba_city: text,
      mail: fc.constantFrom('', 'a@x.de', 'b@x.de'),
    })
    fc.assert(
      fc.property(person, person, (left, right) => {
        expect(weight(left, right)).toBeCloseTo(weight(right, left), 9)
      }),
    )
  })
})

describe('the search', () => {
  const open = () => {
    const db = openTables(undefined)
    return { duplicates: createDuplicates(db), db }
  }

  it('finds the best, and nothing that was changed or forgotten', () => {
    const { duplicates, db } = open()
    duplicates.remember(1, { ...ADA, ba_street: 'Nebenweg 9', phone: '' })
    duplicates.remember(2, ADA)
    expect(duplicates.find(ADA, 'auto')).toBe(2)
    duplicates.forget(2)
    expect(duplicates.find(ADA, 'auto')).toBe(1)
    duplicates.remember(1, { first_name: 'Zoe', mail: 'zoe@other.example' })
    expect(duplicates.find(ADA, 'auto')).toBeUndefined()
    db.close()
  })

  it('finds a contact among many that share its name and town', () => {
    const { duplicates, db } = open()
    const crowd = { first_name: 'Ada', family_name: 'Muster', ba_city: 'Berlin' }
    for (let id = 1; id <= 300; id += 1)
      duplicates.remember(id, { ...crowd, mail: `a${id}@host${id}.example` })
    expect(duplicates.find({ ...crowd, mail: 'a77@host77.example' }, 'auto')).toBe(77)
    db.close()
  })

  it('knows the contacts of a file that an older sandbox wrote', () => {
    const { db } = open()
    db.prepare('INSERT INTO contact (id, fields) VALUES (5, ?)').run(JSON.stringify(ADA))
    expect(createDuplicates(db).find(ADA, 'auto')).toBe(5)
    db.close()
  })

  it('keeps a person as it was', () => {
    const text = fc.string()
    fc.assert(
      fc.property(
        fc.record({ first_name: text, family_name: text, ba_city: text, phone: text }),
        (fields) => {
          const person = personOf(fields)
          expect(personFromText(personText(person))).toEqual(person)
        },
      ),
    )
  })
})
