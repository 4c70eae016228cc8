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

interface Range {
  first: number
  last: number
}

/** The ranges of each word within a batch, in their order. */
function createBatchRanges() {
  const kinds = new Map<Kind, Map<string, Range[]>>()
  return {
    kinds,
    tag(kind: Kind, value: string, seq: number): void {
      let words = kinds.get(kind)
      if (words === undefined) kinds.set(kind, (words = new Map<string, Range[]>()))
      const ranges = words.get(value)
      if (ranges === undefined) words.set(value, [{ first: seq, last: seq }])
      else {
        const newest = ranges[ranges.length - 1]
        if (newest !== undefined && newest.last >= seq - 1) newest.last = seq
        else ranges.push({ first: seq, last: seq })
      }
    },
  }
}

/** Tags entries whose numbers follow each other, from `first` on. */
export function createTags(
  db: Connection,
  print: Print,
): (entries: readonly AuditEntry[], first: number) => void {
  const known = db.prepare<[string], { id: number; first: number | null; last: number | null }>(
    `SELECT id, first, last FROM log_word LEFT JOIN log_tag ON log_tag.word = id AND
     first = (SELECT max(first) FROM log_tag AS newest WHERE newest.word = id) WHERE log_word.word = ?`,
  )
  const addWord = db.prepare<[string], number>('INSERT INTO log_word (word) VALUES (?) RETURNING id').pluck()
  const write = db.prepare(
    'INSERT INTO log_tag VALUES (@id, @first, @last) ON CONFLICT (word, first) DO UPDATE SET last = excluded.last',
  )
  return (entries, first) => {
    const { kinds, tag } = createBatchRanges()
    entries.forEach((entry, index) => {
      eachWord(entry, (kind, value) => tag(kind, value, first + index))
    })
    const words = [...kinds].flatMap(([kind, values]) =>
      [...values].map(([value, ranges]) => {
        const text = word[kind](value, print)
        return { text, ranges, found: known.later(text) }
      }),
    )
    for (const { text, ranges, found } of words) {
      const before = found()
      const id = before?.id ?? addWord.get(text) ?? 0
      for (const range of ranges) {
        const begun = before?.last === range.first - 1 ? before.first : null
        write.run({ id, first: begun ?? range.first, last: range.last })
      }
    }
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
