// A name is shared once five different records have it: only then does it say nothing of one person.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSharedNames } from '../../../../src/core/change/plan/shared-names.ts'

function namesOf(notes: readonly (readonly [name: string, who: string])[]): ReadonlySet<string> {
  const shared = createSharedNames()
  for (const [name, who] of notes) shared.note(name, who)
  return shared.names()
}

const by = (name: string, people: readonly string[]) => people.map((who) => [name, who] as const)

it.each<[string, string[], string[]]>([
  ['nobody', [], []],
  ['four records', ['1', '2', '3', '4'], []],
  ['five records', ['1', '2', '3', '4', '5'], ['news']],
  ['six records', ['1', '2', '3', '4', '5', '6'], ['news']],
  ['one record five times', ['1', '1', '1', '1', '1'], []],
  ['four records, one of them twice', ['1', '2', '2', '3', '4'], []],
  ['five records, all of them twice', ['1', '1', '2', '2', '3', '3', '4', '4', '5', '5'], ['news']],
])('a name of %s', (_, people, names) => {
  expect(namesOf(by('news', people))).toEqual(new Set(names))
})

it('the records of one name are not those of another', () => {
  expect(namesOf([...by('a', ['1', '2', '3']), ...by('b', ['4', '5', '6'])])).toEqual(new Set())
})

it('is so for just the names of five different records, whatever the order', () => {
  const note = fc.tuple(
    fc.constantFrom('a', 'b', '__proto__'),
    fc.constantFrom('1', '2', '3', '4', '5', '6', '7'),
  )
  fc.assert(
    fc.property(fc.array(note, { maxLength: 60 }), (notes) => {
      const people = Map.groupBy(notes, ([name]) => name)
      const wide = [...people].filter(([, own]) => new Set(own.map(([, who]) => who)).size >= 5)
      expect(namesOf(notes)).toEqual(new Set(wide.map(([name]) => name)))
      expect(namesOf(notes.toReversed())).toEqual(namesOf(notes))
    }),
  )
})

it('names that were given out stay as they were', () => {
  const shared = createSharedNames()
  const before = shared.names()
  for (const who of '12345') shared.note('news', who)
  expect([before, shared.names()]).toEqual([new Set(), new Set(['news'])])
})
