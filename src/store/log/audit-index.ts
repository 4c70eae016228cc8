// The indexes beside the chain: with an incomplete index a filter would miss entries. They are checked
// against the entries, and can be rebuilt from them.
import { type LoggedEntry, loggedEntry } from '../../core/log/audit-chain.ts'
import type { IndexFault } from '../../core/log/sync-log.ts'
import { createIndex } from './audit-append.ts'
import { createHolder } from './audit-people.ts'
import { createPrint, open } from './audit-seal.ts'
import { wordsOf } from './audit-tags.ts'
import type { Connection } from '../file/connection.ts'

/** Each gives the first thing that is wrong. */
const CHECKS: readonly (readonly [table: string, sql: string])[] = [
  [
    'log_hour',
    `WITH hours AS (SELECT CAST(strftime('%s', entry ->> '$.at') AS INTEGER) / 3600 AS hour, min(seq) AS first, max(seq) AS last
         FROM audit GROUP BY 1)
     SELECT 'entries ' || first || ' to ' || last || ' are not found by their time' FROM hours WHERE NOT EXISTS
       (SELECT 1 FROM log_hour AS l WHERE l.hour = hours.hour AND l.first = hours.first AND l.last = hours.last) LIMIT 1`,
  ],
  [
    'log_total',
    `WITH totals AS (SELECT entry ->> '$.run_id' AS run, entry ->> '$.action' AS action, entry ->> '$.outcome' AS outcome,
         count(*) AS entries FROM audit GROUP BY 1, 2, 3)
     SELECT 'the totals of run ' || run || ' are not those of its entries' FROM totals WHERE NOT EXISTS
       (SELECT 1 FROM log_total AS l WHERE l.run_id = run AND l.action = totals.action AND l.outcome = totals.outcome
          AND l.entries = totals.entries) LIMIT 1`,
  ],
  [
    'log_total',
    `SELECT 'it counts runs that have no entry' WHERE (SELECT count(*) FROM log_total) <> (SELECT count(*) FROM
       (SELECT DISTINCT entry ->> '$.run_id', entry ->> '$.action', entry ->> '$.outcome' FROM audit) AS kinds)`,
  ],
]

interface Row {
  readonly seq: number
  readonly entry: string
  readonly prev: string
  readonly hash: string
  readonly box: Buffer | null
  readonly secret: Buffer | null
  readonly person: number | null
}

const PAGE = 1000

interface Indexed {
  readonly seq: number
  readonly person: number
  readonly logged: LoggedEntry
}

/** All entries, some at a time. */
function* everyPage(db: Connection): Generator<readonly Indexed[]> {
  const page = db.prepare<[number], Row>(`
    SELECT a.seq, a.entry, a.prev, a.hash, s.box, k.secret, coalesce(k.person, k.id) AS person FROM audit AS a
    LEFT JOIN sealed AS s ON s.seq = a.seq LEFT JOIN person_key AS k ON k.id = s.key_id
    WHERE a.seq > ? ORDER BY a.seq LIMIT ${PAGE}`)
  for (let after = 0; ;) {
    const rows = page.all(after)
    yield rows.map(({ box, secret, person, ...row }) => {
      const opened = box === null || secret === null ? undefined : open(box, secret, row.seq)
      return { seq: row.seq, person: person ?? 0, logged: loggedEntry(row, opened) }
    })
    if (rows.length < PAGE) return
    after = rows.at(-1)?.seq ?? after
  }
}

/** Parts of a page; there are several where an entry was taken out of the log. */
function consecutive(page: readonly Indexed[]): readonly Indexed[][] {
  const parts: Indexed[][] = []
  for (const entry of page) {
    const part = parts.at(-1)
    if (part !== undefined && part.at(-1)?.seq === entry.seq - 1) part.push(entry)
    else parts.push([entry])
  }
  return parts
}

type AreHeld = ReturnType<typeof createHolder>['areHeld']

/** Those of a page whose values are there and that are not found for their person. */
function lostOf(page: readonly Indexed[], areHeld: AreHeld): readonly Indexed[] {
  const open = page.filter(({ logged }) => logged.values === 'open')
  const held = areHeld(open.map(({ logged, person }) => ({ entry: logged, person })))
  return open.filter((_, index) => held[index] !== true)
}

/** Every entry, and whether it is found for its person, where its values are there. */
function* everyHeld(db: Connection, areHeld: AreHeld): Generator<Indexed & { readonly isHeld: boolean }> {
  for (const page of everyPage(db)) {
    const lost = new Set(lostOf(page, areHeld))
    for (const entry of page) yield { ...entry, isHeld: !lost.has(entry) }
  }
}

/** The words of an entry; where its values are gone, those that its public part has. */
const taggable = (logged: LoggedEntry): LoggedEntry =>
  logged.values === 'open'
    ? logged
    : {
        ...logged,
        fields: Object.fromEntries(logged.field_names.map((name) => [name, { from: null, to: '' }])),
      }

/** Whether an entry is found under a word; asked in the order of the entries. */
function createIsTagged(db: Connection): (text: string, seq: number) => boolean {
  const at = db.prepare<[string, number], { first: number; last: number }>(
    `SELECT t.first, t.last FROM log_word AS w CROSS JOIN log_tag AS t ON t.word = w.id
     WHERE w.word = ? AND t.first <= ? ORDER BY t.first DESC LIMIT 1`,
  )
  const ranges = new Map<string, { readonly first: number; readonly last: number }>()
  return (text, seq) => {
    let range = ranges.get(text)
    if (range === undefined || range.last < seq) {
      range = at.get(text, seq)
      if (range !== undefined) ranges.set(text, range)
    }
    return range !== undefined && range.first <= seq && seq <= range.last
  }
}

/** What is found by the words of entries, and by the names of persons. */
function wrongOfEntries(db: Connection): IndexFault | undefined {
  const print = createPrint(db)
  const isTagged = createIsTagged(db)
  const { areHeld } = createHolder(db, print)
  let tags = 0
  for (const { seq, logged, isHeld } of everyHeld(db, areHeld)) {
    const words = wordsOf(taggable(logged), print)
    tags += words.size
    for (const [text, shown] of words)
      if (!isTagged(text, seq)) return { table: 'log_tag', why: `entry ${seq} is not found under ${shown}` }
    if (!isHeld) return { table: 'person_alias', why: `entry ${seq} is not found for its person` }
  }
  const all = db.prepare<[], number>('SELECT coalesce(sum(last - first + 1), 0) FROM log_tag').pluck()
  return all.get() === tags ? undefined : { table: 'log_tag', why: 'it names entries that do not fit' }
}

/** The first index that does not fit the entries. */
export function checkIndexes(db: Connection): IndexFault | undefined {
  for (const [table, sql] of CHECKS) {
    const why = db.prepare<[], string>(sql).pluck().get()
    if (why !== undefined) return { table, why }
  }
  return wrongOfEntries(db)
}

/** Rebuilds the indexes from the entries. */
export function rebuildIndexes(db: Connection): void {
  const print = createPrint(db)
  const index = createIndex(db, print)
  const { areHeld, hold } = createHolder(db, print)
  // Links that an older version made refer to no person yet, however it is found.
  const hasLoose = db.prepare('SELECT 1 FROM link WHERE person IS NULL LIMIT 1').get() !== undefined
  db.transaction(() => {
    for (const table of ['log_tag', 'log_word', 'log_hour', 'log_total']) db.exec(`DELETE FROM ${table}`)
    for (const page of everyPage(db)) {
      for (const entries of consecutive(page))
        index(
          entries.map(({ logged }) => taggable(logged)),
          entries[0]?.seq ?? 0,
        )
      const open = page.filter(({ logged }) => logged.values === 'open')
      for (const { person, logged } of hasLoose ? open : lostOf(page, areHeld)) hold(logged, person)
    }
  })()
}
