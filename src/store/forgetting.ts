// What an erasure asks of the state, by its owner.
import { rebuildIndexes } from './log/audit-index.ts'
import { endSweep, forgetPerson, isSweepDue, sweep } from './log/forget.ts'
import { namedInRows, subjectOf } from './log/subject.ts'
import { countTombstones, erasedBefore } from './log/tombstones.ts'
import type { Connection } from './file/connection.ts'
import type { OwnedState } from './state-store.ts'

export function createForgetting(
  db: Connection,
): Pick<
  OwnedState,
  | 'forget'
  | 'tombstones'
  | 'subjectOf'
  | 'namedInRows'
  | 'erasedBefore'
  | 'isOfOthers'
  | 'rebuildLogIndexes'
  | 'isSweepDue'
  | 'sweep'
  | 'endSweep'
> {
  const contactOf = db
    .prepare<[string, string], number>('SELECT contact_id FROM link WHERE pipeline = ? AND key = ?')
    .pluck()
  return {
    forget: (forgetting) => forgetPerson(db, forgetting),
    tombstones: (names) => countTombstones(db, names),
    subjectOf: (people) => subjectOf(db, people),
    namedInRows: (names) => namedInRows(db, names),
    erasedBefore: (names) => erasedBefore(db, names),
    isOfOthers({ contactIds }, pipeline, key) {
      const contactId = contactOf.get(pipeline, key)
      return contactId !== undefined && !contactIds.includes(contactId)
    },
    rebuildLogIndexes: () => rebuildIndexes(db),
    isSweepDue: () => isSweepDue(db),
    sweep: () => sweep(db),
    endSweep: () => endSweep(db),
  }
}
