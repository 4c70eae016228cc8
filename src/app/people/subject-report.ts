// What is held about one person, for an access request: the sync log, links with the last known values, what is open and
// what was rejected. Part of the composition.
import { type exportLine, everyEntry } from '../../core/log/log-lines.ts'
import type { SyncLog } from '../../core/log/sync-log.ts'
import type { StateLocation } from '../../core/state-place.ts'
import { openToRead } from '../../store/reading.ts'
import { holdings, subjectOf } from '../../store/log/subject.ts'

type Told = Pick<
  ReturnType<typeof exportLine>,
  'at' | 'pipeline' | 'action' | 'outcome' | 'fields' | 'terms' | 'source' | 'reason' | 'run_id' | 'seq'
>

export interface SubjectReport {
  readonly subject: string
  readonly people: readonly ({
    readonly keys: readonly { readonly pipeline: string; readonly key: string }[]
    readonly contact_ids: readonly number[]
    readonly mails: readonly string[]
    readonly history: readonly Told[]
  } & ReturnType<typeof holdings>)[]
}

/** `subject` is a key, a mail or an id, as in `audit show`. */
export async function subjectReport(
  log: SyncLog,
  place: StateLocation,
  subject: string,
): Promise<SubjectReport> {
  const db = openToRead(place)
  if (db === undefined) return { subject, people: [] }
  try {
    const people: SubjectReport['people'][number][] = []
    for (const person of await log.people(subject)) {
      const history: Told[] = []
      for await (const entry of everyEntry(log, { person: person.person })) {
        const { seq, at, run_id, pipeline, action, outcome, fields, terms, source, reason } = entry
        history.push({ seq, at, run_id, pipeline, action, outcome, fields, terms, source, reason })
      }
      const whole = subjectOf(db, [person])
      const { keys, contactIds, mails } = whole
      people.push({ keys, contact_ids: contactIds, mails, ...holdings(db, whole), history })
    }
    return { subject, people }
  } finally {
    db.close()
  }
}
