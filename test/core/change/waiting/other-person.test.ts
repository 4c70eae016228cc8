// When an update would make one person of another, and what is held then.
import { describe, expect, it } from 'vitest'
import {
  isOtherPerson,
  MOST_LISTED,
  otherPersonHold,
} from '../../../../src/core/change/waiting/other-person.ts'
import type { Contact } from '../../../../src/core/mapping/contact.ts'

const ANNA: Contact = {
  first_name: 'Anna',
  family_name: 'Weber',
  mail: 'anna@example.com',
  date_of_birth: '1980-02-03T12:00:00+00:00',
}
const BEN: Contact = {
  first_name: 'Ben',
  family_name: 'Roth',
  mail: 'ben@example.com',
  date_of_birth: '1991-07-08T12:00:00+00:00',
}

describe('a contact becomes another person', () => {
  it.each<[string, Contact, Contact, boolean]>([
    ['where name, mail and date of birth are others', {}, {}, true],
    [
      'not where the date of birth stays: a marriage, say',
      {},
      { date_of_birth: ANNA['date_of_birth']! },
      false,
    ],
    ['not where the day of birth stays', {}, { date_of_birth: '1980-02-03T13:00:00+01:00' }, false],
    ['not where the mail stays', {}, { mail: 'anna@example.com' }, false],
    ['not where only capitals of the mail differ', {}, { mail: 'Anna@Example.com' }, false],
    ['not where the first name stays', {}, { first_name: 'ANNA ' }, false],
    ['not where the family name stays', {}, { family_name: 'Weber' }, false],
    ['where a part of the name is blank on one side, by the other part', { first_name: '' }, {}, true],
    ['not where no part of the name is on both sides', { first_name: '' }, { family_name: '' }, false],
    ['not where the date of birth is new', { date_of_birth: '' }, {}, false],
    ['not where the mail is cleared', {}, { mail: '' }, false],
  ])('%s', (_, before, after, expected) => {
    expect(isOtherPerson({ ...ANNA, ...before }, { ...BEN, ...after })).toBe(expected)
  })

  it('not where a field is not mapped', () => {
    const { date_of_birth: _, ...withoutBirthday } = BEN
    expect(isOtherPerson(ANNA, withoutBirthday)).toBe(false)
    expect(isOtherPerson(ANNA, {})).toBe(false)
  })
})

describe('what is held', () => {
  const BECOME =
    'would get another name, e-mail address and date of birth at once: the keys may have been given to other persons'
  const keys = (count: number): ReadonlySet<string> =>
    new Set(Array.from({ length: count }, (_, index) => `K${index}`))

  it('is nothing without such records', () => {
    expect(otherPersonHold(keys(0))).toBeUndefined()
  })

  it('are these records', () => {
    expect(otherPersonHold(keys(2))).toMatchObject({
      guard: 'other_person',
      holds: 'records',
      keys: ['K0', 'K1'],
      number: 2,
      reason: `2 contacts ${BECOME}`,
    })
    expect(otherPersonHold(keys(MOST_LISTED))).toMatchObject({
      holds: 'records',
      reason: `10,000 contacts ${BECOME}`,
    })
  })

  it('is the whole input where they are too many to be listed', () => {
    const hold = otherPersonHold(keys(MOST_LISTED + 1))
    expect(hold).toMatchObject({
      holds: 'all',
      reason: `more than 10,000 contacts ${BECOME}`,
    })
    expect(hold).not.toHaveProperty('keys')
  })
})
