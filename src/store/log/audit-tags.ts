// Under what entries of the sync log are found: words, and for each word the ranges of consecutive entries that have it.
// What a bulk enters has most words in common, so it extends a few ranges in place of writing a row for each word.
import type { AuditEntry } from '../../core/log/audit.ts'
import { termKey } from '../../core/mapping/terms.ts'
import type { Connection } from '../file/connection.ts'
import type { Print } from './audit-seal.ts'

/** Words under which an entry is found. Terms are under a keyed hash: their names may say something about a contact. */
export const word = {
  run: (id: string): string => `run:${id}`,
  pipeline: (name: string): string => `pipeline:${name}`,
  action: (action: string): string => `action:${action}`,
  outcome: (outcome: string): string => `outcome:${outcome}`,
  field: (name: string): string => `field:${name}`,
  term: (name: string, print: Print): string => `term:${print('term', termKey(name)).toString('hex')}`,
}

/** Of a row `w` of log_word. */
const IS_TERM = "w.word >= 'term:' AND w.word < 'term;'"

/** Names of terms that the entry is about: given, taken, or made. */
function termNames({
  action,
  terms,
  fields,
}: Pick<AuditEntry, 'action' | 'terms' | 'fields'>): readonly string[] {
  const isOfTerm = action === 'create_term' || action === 'update_term'
  const names = isOfTerm ? [fields['name']?.from, fields['name']?.to] : []
  return [...terms.add, ...terms.remove, ...names.filter((name) => typeof name === 'string')]
}

type Kind = keyof typeof word

/** Everything under which an entry is found; the same word may come twice. */
function eachWord(entry: AuditEntry, tell: (kind: Kind, value: string) => void): void {
  tell('run', entry.run_id)
  if (entry.pipeline !== null) tell('pipeline', entry.pipeline)
  tell('action', entry.action)
  tell('outcome', entry.outcome)
  for (const name of Object.keys(entry.fields)) tell('field', name)
  for (const name of termNames(entry)) tell('term', termKey(name))
}

/** The words of an entry, each with how it may be shown: a term is not named. */
export function wordsOf(entry: AuditEntry, print: Print): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  eachWord(entry, (kind, value) => {
    const text = word[kind](value, print)
    words.set(text, kind === 'term' ? 'a term of it' : text)
  })
  return words
}

/** A range that is being extended. */
interface Range {
  readonly id: number
  first: number
  last: number
}

/** The ranges that a batch extends; each word is looked up once. */
function createRanges(db: Connection, print: Print) {
  const wordId = db.prepare<[string], number>('SELECT id FROM log_word WHERE word = ?').pluck()
  const addWord = db.prepare<[string], number>('INSERT INTO log_word (word) VALUES (?) RETURNING id').pluck()
  const newest = db.prepare<[number], { first: number; last: number }>(
    'SELECT first, last FROM log_tag WHERE word = ? ORDER BY first DESC LIMIT 1',
  )
  const write = db.prepare(
    'INSERT INTO log_tag VALUES (@id, @first, @last) ON CONFLICT (word, first) DO UPDATE SET last = excluded.last',
  )
  const begin = (kind: Kind, value: string, seq: number): Range => {
    const text = word[kind](value, print)
    const id = wordId.get(text) ?? addWord.get(text) ?? 0
    const before = newest.get(id)
    return before?.last === seq - 1 ? { id, ...before } : { id, first: seq, last: seq }
  }
  return () => {
    const kinds = new Map<Kind, Map<string, Range>>()
    return {
      tag(kind: Kind, value: string, seq: number): void {
        let ranges = kinds.get(kind)
        if (ranges === undefined) kinds.set(kind, (ranges = new Map<string, Range>()))
        let range = ranges.get(value)
        if (range === undefined) ranges.set(value, (range = begin(kind, value, seq)))
        if (range.last < seq - 1) {
          write.run(range)
          range.first = seq
        }
        range.last = seq
      },
      writeAll(): void {
        for (const ranges of kinds.values()) for (const range of ranges.values()) write.run(range)
      },
    }
  }
}

/** Tags entries whose numbers follow each other, from `first` on. */
export function createTags(
  db: Connection,
  print: Print,
): (entries: readonly AuditEntry[], first: number) => void {
  const begin = createRanges(db, print)
  return (entries, first) => {
    const { tag, writeAll } = begin()
    entries.forEach((entry, index) => {
      eachWord(entry, (kind, value) => tag(kind, value, first + index))
    })
    writeAll()
  }
}

/** Terms, each with the last of its ranges that begins at or before a number. */
const lastBegunAt = (seq: string): string => `
  SELECT t.word, t.first, t.last FROM log_word AS w CROSS JOIN log_tag AS t ON t.word = w.id
    AND t.first = (SELECT max(first) FROM log_tag WHERE word = w.id AND first <= ${seq})
  WHERE ${IS_TERM}`

/** Takes all terms away from the entries behind `from`, up to `upTo`. */
export function createUntagTerms(db: Connection): (entries: { from: number; upTo: number }) => void {
  const steps = [
    `INSERT INTO log_tag SELECT word, @upTo + 1, last FROM (${lastBegunAt('@upTo')}) AS range WHERE last > @upTo`,
    `UPDATE log_tag SET last = @from FROM (${lastBegunAt('@from')}) AS range
     WHERE log_tag.word = range.word AND log_tag.first = range.first AND range.last > @from`,
    `DELETE FROM log_tag WHERE word IN (SELECT w.id FROM log_word AS w WHERE ${IS_TERM})
     AND first > @from AND first <= @upTo`,
  ].map((sql) => db.prepare(sql))
  return (entries) => {
    for (const step of steps) step.run(entries)
  }
}
