// What the sources of a fleet say: people who come, change and go, a clean export at a time. No state of a person comes twice,
// so that a request that is sent twice can be told from another one.
import type { PipelineSettings } from '../../../src/core/settings.ts'
import type { Chance } from '../chance.ts'
import { type Person, rowOf } from '../people.ts'

type Rows = readonly (readonly string[])[]

const TAGS = ['T1', 'T2', 'T3', 'Ä5']

const newcomer = (number: number, chance: Chance): Person => ({
  number,
  mailOf: number,
  mailRevision: 0,
  revision: 0,
  phoneRevision: 0,
  hasPhone: true,
  tags: TAGS.filter(() => chance.happens(0.35)),
  status: 3,
  consented: '',
})

/** `first`: the number of its first person. */
export interface Exports {
  next(): Rows
  /** All that are there, as they are. */
  again(): Rows
}

export function createExports({ name, mode }: PipelineSettings, chance: Chance, first: number): Exports {
  const present: Person[] = []
  let number = first
  const rowsOf = (people: readonly Person[]): Rows => people.map((person) => rowOf(person, name))
  function next(): Rows {
    const joins = present.length === 0 ? chance.between(3, 7) : chance.int(4)
    for (const person of present) {
      if (chance.happens(0.3)) person.revision += 1
      if (chance.happens(0.2)) person.phoneRevision += 1
      if (chance.happens(0.2)) person.tags = TAGS.filter(() => chance.happens(0.35))
    }
    for (let index = 0; index < joins; index += 1) {
      present.push(newcomer(number, chance))
      number += 1
    }
    if (mode === 'full' && present.length > 3 && chance.happens(0.5))
      present.splice(chance.int(present.length), 1)
    const named = mode === 'full' ? present : present.filter(() => chance.happens(0.8))
    return rowsOf(named)
  }
  return { next, again: () => rowsOf(present) }
}
