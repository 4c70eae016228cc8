// The one place that writes to the sync log: entries are parted, sealed, chained and indexed by the batch, in the
// transaction of whatever they are about.
import { AUDIT_START, auditHash, personalText, publicText } from '../../core/log/audit-chain.ts'
import type { AuditEntry } from '../../core/log/audit.ts'
import type { RunState } from '../../core/run-state.ts'
import { HOUR_MS } from '../../core/words/duration.ts'
import type { Connection } from '../file/connection.ts'
import { createPeople } from './audit-people.ts'
import { createPrint, createRandom, createSeal, type Print } from './audit-seal.ts'
import { createTags } from './audit-tags.ts'
import { createTombstonesDigest } from './tombstones.ts'

type AppendBatch = (entries: readonly AuditEntry[]) => void

/** In which hours entries lie. */
function createHours(db: Connection): (entries: readonly AuditEntry[], first: number) => void {
  const add = db.prepare(`
    INSERT INTO log_hour VALUES (@hour, @first, @last)
    ON CONFLICT (hour) DO UPDATE SET first = min(log_hour.first, excluded.first), last = max(log_hour.last, excluded.last)`)
  return (entries, first) => {
    const hours = new Map<number, { hour: number; first: number; last: number }>()
    entries.forEach(({ at }, index) => {
      const hour = Math.floor(Date.parse(at) / HOUR_MS)
      const known = hours.get(hour)
      if (known === undefined) hours.set(hour, { hour, first: first + index, last: first + index })
      else known.last = first + index
    })
    for (const hour of hours.values()) add.run(hour)
  }
}

/** How many entries a run has of each kind. */
function createTotals(db: Connection): (entries: readonly AuditEntry[]) => void {
  const add = db.prepare(`
    INSERT INTO log_total VALUES (@run, @action, @outcome, @entries)
    ON CONFLICT (run_id, action, outcome) DO UPDATE SET entries = log_total.entries + excluded.entries`)
  return (entries) => {
    const totals = new Map<string, { run: string; action: string; outcome: string; entries: number }>()
    for (const { run_id: run, action, outcome } of entries) {
      const name = `${action} ${outcome} ${run}`
      const known = totals.get(name)
      if (known === undefined) totals.set(name, { run, action, outcome, entries: 1 })
      else known.entries += 1
    }
    for (const total of totals.values()) add.run(total)
  }
}

/** Enters under what entries are found, whose numbers follow each other from `first` on. */
export function createIndex(
  db: Connection,
  print: Print,
): (entries: readonly AuditEntry[], first: number) => void {
  const tag = createTags(db, print)
  const addHours = createHours(db)
  const addTotals = createTotals(db)
  return (entries, first) => {
    tag(entries, first)
    addHours(entries, first)
    addTotals(entries)
  }
}

/** Actions that change who counts as erased. */
const ABOUT_ERASED: readonly AuditEntry['action'][] = ['erase', 'readmit']

/** Appends entries to the chain, in their order. */
export function createBatchAppend(db: Connection): AppendBatch {
  const print = createPrint(db)
  const random = createRandom()
  const beginPeople = createPeople(db, print, random)
  const seal = createSeal(random)
  const index = createIndex(db, print)
  const tombstonesDigest = createTombstonesDigest(db)
  const last = db.prepare<[], { seq: number; hash: string }>(
    'SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1',
  )
  const append = db.prepare('INSERT INTO audit (seq, entry, prev, hash) VALUES (?, ?, ?, ?)')
  const keep = db.prepare('INSERT INTO sealed (seq, key_id, box) VALUES (?, ?, ?)')
  return (entries) => {
    if (entries.length === 0) return
    let { seq, hash } = last.get() ?? { seq: 0, hash: AUDIT_START }
    const first = seq + 1
    const people = beginPeople(entries)
    for (const entry of entries) {
      seq += 1
      const { id, token, secret } = people.personOf(entry, seq)
      const { box, digest } = seal({ personal: personalText(entry), secret, seq })
      const tombstones = ABOUT_ERASED.includes(entry.action) ? tombstonesDigest() : undefined
      const text = publicText(entry, { seq, person: id === 0 ? null : token, digest, tombstones })
      const next = auditHash(hash, text)
      append.run(seq, text, hash, next)
      keep.run(seq, id, box)
      hash = next
    }
    people.end()
    index(entries, first)
  }
}

/** Appends one entry. */
export function createAppend(db: Connection): (entry: AuditEntry) => void {
  const append = createBatchAppend(db)
  return (entry) => append([entry])
}

export function createNote(db: Connection): RunState['note'] {
  const append = createAppend(db)
  return async (entry) => db.transaction(() => append(entry))()
}
