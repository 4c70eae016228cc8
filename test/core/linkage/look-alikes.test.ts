// Which new records are compared, and what comes of it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createBlocks,
  createFindings,
  MOST_EXAMPLES,
  type NewRecord,
} from '../../../src/core/linkage/look-alikes.ts'
import { THRESHOLD } from '../../../src/core/linkage/linkage.ts'
import type { Contact } from '../../../src/core/mapping/contact.ts'

const anna = {
  first_name: 'Anna',
  family_name: 'Berger',
  mail: 'anna.berger@gmx.example',
  phone: '+4930123456',
}

const pairsOf = (contacts: readonly Contact[]): readonly (readonly [number, number])[] => {
  const blocks = createBlocks()
  for (const contact of contacts) blocks.add(contact)
  return blocks.pairs().pairs
}

describe('two new records are compared', () => {
  it.each<[string, Contact, Contact]>([
    ['with one name before the at', { mail: 'anna.b@x.example' }, { mail: 'anna.b@y.example' }],
    ['with one telephone', { phone: '+49 30 123456' }, { phone: '030 123456' }],
    [
      'with a birthday, day and month swapped, and the beginning of a name',
      { first_name: 'Anna', family_name: 'Berger', date_of_birth: '1980-04-03T12:00:00+00:00' },
      { first_name: 'Anton', family_name: 'Maier', date_of_birth: '1980-03-04T12:00:00+00:00' },
    ],
    [
      'with a street and the beginning of a name, first and family name swapped',
      { first_name: 'Anna', family_name: 'Berger', ba_street: 'Lindenstraße 12' },
      { first_name: 'Berta', family_name: 'Zach', ba_street: 'Lindenstr. 12' },
    ],
  ])('%s', (_, one, other) => {
    expect(pairsOf([one, other])).toEqual([[0, 1]])
  })

  it.each<[string, Contact, Contact]>([
    [
      'with a birthday alone',
      { date_of_birth: '1980-04-03T12:00:00+00:00' },
      { date_of_birth: '1980-04-03T12:00:00+00:00' },
    ],
    [
      'with names alone',
      { first_name: 'Anna', family_name: 'Berger' },
      { first_name: 'Anna', family_name: 'Berger' },
    ],
    ['with the mailbox of an office', { mail: 'info@x.example' }, { mail: 'info@y.example' }],
    [
      'with one family name alone',
      { first_name: 'Anna', family_name: 'Berger' },
      { first_name: 'Otto', family_name: 'Berger' },
    ],
    ['without anything', {}, {}],
  ])('but not %s', (_, one, other) => {
    expect(pairsOf([one, other])).toEqual([])
  })

  it('once, whatever they share', () => {
    expect(pairsOf([anna, { company: 'Acme' }, anna])).toEqual([[0, 2]])
  })

  it('but not where more than fifty share what they have in common', () => {
    const another = (index: number): Contact => ({ mail: `anna@${index}.example` })
    expect(pairsOf(Array.from({ length: 50 }, (_, index) => another(index)))).toHaveLength(1225)
    expect(pairsOf(Array.from({ length: 51 }, (_, index) => another(index)))).toEqual([])
  })
})

const record = (id: number, contact: Contact): NewRecord => ({ id, key: `K${id}`, line: id + 1, contact })

describe('a finding', () => {
  it('is nothing where nobody is likely the same', () => {
    const findings = createFindings()
    findings.compare(record(1, anna), record(2, { ...anna, first_name: 'Otto' }))
    expect(findings.found(true)).toBeUndefined()
  })

  it('names the linked record, its contact and how much speaks for it', () => {
    const findings = createFindings()
    findings.compare({ key: 'K1', contactId: 7, known: anna }, record(9, { ...anna, mail: 'ab@web.example' }))
    const [example, ...others] = findings.found(true)?.examples ?? []
    expect(example).toMatchObject({ keys: ['K1', 'K9'], lines: [null, 10], contact_id: 7 })
    expect(example?.weight).toBeGreaterThanOrEqual(THRESHOLD)
    expect(others).toEqual([])
  })

  it('counts all pairs and names those of the greatest weight, whatever their order', () => {
    const some = Array.from({ length: 60 }, (_, index) => ({
      one: record(index * 2, anna),
      other: record(index * 2 + 1, index < 30 ? anna : { ...anna, phone: '' }),
    }))
    const found = (order: typeof some) => {
      const findings = createFindings()
      for (const { one, other } of order) findings.compare(one, other)
      return findings.found(true)
    }
    const right = found(some)
    expect(right?.pairs).toBe(60)
    expect(right?.examples).toHaveLength(MOST_EXAMPLES)
    expect(new Set(right?.examples.map(({ weight }) => weight)).size).toBe(1)
    fc.assert(
      fc.property(fc.shuffledSubarray(some, { minLength: 60 }), (order) => {
        expect(found(order)).toEqual(right)
      }),
      { numRuns: 30 },
    )
  })
})
