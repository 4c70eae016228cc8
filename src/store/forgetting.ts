// What an erasure asks of the state, by its owner.
import { rebuildIndexes } from './log/audit-index.ts'
import type { ErasedBefore, Subject } from '../core/erasing.ts'
import { endSweep, type Forgetting, type Forgotten, forgetPerson, isSweepDue, sweep } from './log/forget.ts'
import { createPresentName } from './log/former-names.ts'
import { namedInRows, type NamedPerson, subjectOf } from './log/subject.ts'
import { countTombstones, erasedBefore } from './log/tombstones.ts'
import type { Connection } from './file/connection.ts'

export interface ErasingState {
  /** Destroys what the state holds of a person, and ends the decision; `sweep` must follow. */
  forget(forgetting: Forgetting): Forgotten
  /** How many tombstones have these names. */
  tombstones(names: Pick<Subject, 'keys' | 'mails'>): number
  /** The persons of the log, or of some rows, with the names that links and open operations have. */
  subjectOf(people: readonly NamedPerson[]): Subject
  /** Entries of the log keep the name that a pipeline had: the one that it has now, which may be the same. */
  presentName(pipeline: string): string
  /** Of the names those under which rows are kept of which the log knows nothing: rejects, and what was never sent. */
  namedInRows(names: Pick<Subject, 'keys' | 'mails'>): Pick<Subject, 'keys' | 'mails'>
  /** See tombstones.ts. */
  erasedBefore(names: Pick<Subject, 'keys' | 'mails' | 'contactIds'>): ErasedBefore | undefined
  /** Whether a link of another person has the key. */
  isOfOthers(subject: Subject, pipeline: string, key: string): boolean
  /** Rebuilds the indexes of the sync log from its entries. */
  rebuildLogIndexes(): void
  /** Whether an erasure has not come to its end. */
  isSweepDue(): boolean
  /** Rewrites the file, so that it holds nothing that was deleted. Throws STATE_FULL without as much space again. */
  sweep(): void
  /** No longer due. */
  endSweep(): void
}

export function createForgetting(db: Connection): ErasingState {
  const contactOf = db
    .prepare<[string, string], number>('SELECT contact_id FROM link WHERE pipeline = ? AND key = ?')
    .pluck()
  return {
    forget: (forgetting) => forgetPerson(db, forgetting),
    tombstones: (names) => countTombstones(db, names),
    subjectOf: (people) => subjectOf(db, people),
    presentName: createPresentName(db),
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
