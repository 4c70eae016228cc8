import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockingKeys, linkageWeight, personOf, THRESHOLD } from '../../src/sandbox/linkage.ts'
import { jaroWinkler } from '../../src/sandbox/similarity.ts'

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
