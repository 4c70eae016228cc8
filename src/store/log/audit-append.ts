// The one place that writes to the sync log: an entry is parted, sealed, chained and indexed, in the transaction of
// whatever it is about.
import { AUDIT_START, auditHash, personalText, publicText } from '../../core/log/audit-chain.ts'
import type { AuditEntry } from '../../core/log/audit.ts'
import type { OperationStore } from '../../core/state.ts'
import { termKey } from '../../core/mapping/terms.ts'
import { createPeople } from './audit-people.ts'
import { createPrint, type Print, seal } from './audit-seal.ts'
import type { Connection } from '../file/connection.ts'
import { HOUR_MS } from '../../core/words/duration.ts'

type Append = (entry: AuditEntry) => void

/** Words under which an entry is found. Terms are under a keyed hash: their names may say something about somebody. */
export const word = {
  run: (id: string): string => `run:${id}`,
  pipeline: (name: string): string => `pipeline:${name}`,
  action: (action: string): string => `action:${action}`,
  outcome: (outcome: string): string => `outcome:${outcome}`,
  field: (name: string): string => `field:${name}`,
  term: (name: string, print: Print): string => `term:${print('term', termKey(name)).toString('hex')}`,
}

/** Names of terms that the entry is about: given, taken, or made. */
export function termNames({
  action,
  terms,
  fields,
}: Pick<AuditEntry, 'action' | 'terms' | 'fields'>): readonly string[] {
  const isOfTerm = action === 'create_term' || action === 'update_term'
  const names = isOfTerm ? [fields['name']?.from, fields['name']?.to] : []
  return [...terms.add, ...terms.remove, ...names.filter((name) => typeof name === 'string')]
}

function wordsOf(entry: AuditEntry, print: Print): readonly string[] {
  return [
    word.run(entry.run_id),
    ...(entry.pipeline === null ? [] : [word.pipeline(entry.pipeline)]),
    word.action(entry.action),
    word.outcome(entry.outcome),
    ...Object.keys(entry.fields).map(word.field),
    ...termNames(entry).map((name) => word.term(name, print)),
  ]
}

/** Enters under what an entry is found. */
export function createIndex(db: Connection, print: Print): (entry: AuditEntry, seq: number) => void {
  const wordId = db.prepare<[string], number>('SELECT id FROM log_word WHERE word = ?').pluck()
  const addWord = db.prepare('INSERT INTO log_word (word) VALUES (?)')
  const addTag = db.prepare('INSERT OR IGNORE INTO log_tag VALUES (?, ?)')
  const addHour = db.prepare(`
    INSERT INTO log_hour VALUES (@hour, @seq, @seq)
    ON CONFLICT DO UPDATE SET first = min(first, @seq), last = max(last, @seq)`)
  const addTotal = db.prepare(`
    INSERT INTO log_total VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET entries = entries + 1`)
  return (entry, seq) => {
    addTotal.run(entry.run_id, entry.action, entry.outcome)
    for (const one of wordsOf(entry, print))
      addTag.run(wordId.get(one) ?? addWord.run(one).lastInsertRowid, seq)
    addHour.run({ hour: Math.floor(Date.parse(entry.at) / HOUR_MS), seq })
  }
}

/** Appends one entry to the chain. */
export function createAppend(db: Connection): Append {
  const print = createPrint(db)
  const personOf = createPeople(db, print)
  const index = createIndex(db, print)
  const last = db.prepare<[], { seq: number; hash: string }>(
    'SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1',
  )
  const append = db.prepare('INSERT INTO audit (seq, entry, prev, hash) VALUES (?, ?, ?, ?)')
  const keep = db.prepare('INSERT INTO sealed (seq, key_id, box) VALUES (?, ?, ?)')
  return (entry) => {
    const head = last.get() ?? { seq: 0, hash: AUDIT_START }
    const seq = head.seq + 1
    const { id, token, secret } = personOf(entry)
    const { box, digest } = seal(personalText(entry), secret, seq)
    const text = publicText(entry, { seq, person: id === 0 ? null : token, digest })
    append.run(seq, text, head.hash, auditHash(head.hash, text))
    keep.run(seq, id, box)
    index(entry, seq)
  }
}

export function createNote(db: Connection): OperationStore['note'] {
  const append = createAppend(db)
  return async (entry) => db.transaction(() => append(entry))()
}
