// The indexes beside the chain: a filter that goes by one that was thinned out says "no entry fits". They are checked
// against the entries, and can be made anew from them.
import { type LoggedEntry, loggedEntry } from '../../core/log/audit-chain.ts'
import type { IndexFault } from '../../core/log/sync-log.ts'
import { createIndex, termNames, word } from './audit-append.ts'
import { aliasesOf } from './audit-people.ts'
import { createPrint, open } from './audit-seal.ts'
import type { Connection } from '../file/connection.ts'

/** Words that the public part of an entry says. */
const SAID = `
WITH said (seq, word) AS (
  SELECT seq, 'run:' || (entry ->> '$.run_id') FROM audit
  UNION ALL SELECT seq, 'pipeline:' || (entry ->> '$.pipeline') FROM audit WHERE entry ->> '$.pipeline' IS NOT NULL
  UNION ALL SELECT seq, 'action:' || (entry ->> '$.action') FROM audit
  UNION ALL SELECT seq, 'outcome:' || (entry ->> '$.outcome') FROM audit
  UNION ALL SELECT a.seq, 'field:' || j.value FROM audit AS a, json_each(a.entry, '$.fields') AS j)`

const IS_TERM = "w.word >= 'term:' AND w.word < 'term;'"

/** Each gives the first thing that is wrong. */
const CHECKS: readonly (readonly [table: string, sql: string])[] = [
  [
    'log_tag',
    `${SAID} SELECT 'entry ' || seq || ' is not found under ' || word FROM said WHERE NOT EXISTS
       (SELECT 1 FROM log_word AS w JOIN log_tag AS t ON t.word = w.id WHERE w.word = said.word AND t.seq = said.seq) LIMIT 1`,
  ],
  [
    'log_tag',
    `${SAID} SELECT 'it names entries that do not fit' WHERE
       (SELECT count(*) FROM log_tag AS t LEFT JOIN log_word AS w ON w.id = t.word WHERE w.word IS NULL OR NOT (${IS_TERM}))
         <> (SELECT count(*) FROM (SELECT DISTINCT seq, word FROM said))`,
  ],
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
       (SELECT DISTINCT entry ->> '$.run_id', entry ->> '$.action', entry ->> '$.outcome' FROM audit))`,
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

function* everyEntry(db: Connection): Generator<Indexed> {
  const page = db.prepare<[number], Row>(`
    SELECT a.seq, a.entry, a.prev, a.hash, s.box, k.secret, k.person FROM audit AS a
    LEFT JOIN sealed AS s ON s.seq = a.seq LEFT JOIN person_key AS k ON k.id = s.key_id
    WHERE a.seq > ? ORDER BY a.seq LIMIT ${PAGE}`)
  for (let after = 0; ;) {
    const rows = page.all(after)
    for (const { box, secret, person, ...row } of rows) {
      const opened = box === null || secret === null ? undefined : open(box, secret, row.seq)
      yield { seq: row.seq, person: person ?? 0, logged: loggedEntry(row, opened) }
    }
    if (rows.length < PAGE) return
    after = rows.at(-1)?.seq ?? after
  }
}

/** What only the values of an entry say: under which terms and for which person it is found. */
function wrongOfValues(db: Connection): IndexFault | undefined {
  const print = createPrint(db)
  const tagged = db
    .prepare<[string, number], number>(
      'SELECT 1 FROM log_word AS w JOIN log_tag AS t ON t.word = w.id WHERE w.word = ? AND t.seq = ?',
    )
    .pluck()
  const known = db
    .prepare<[Buffer, number], number>('SELECT 1 FROM person_alias WHERE alias = ? AND person = ?')
    .pluck()
  let terms = 0
  for (const { seq, person, logged } of everyEntry(db)) {
    if (logged.values === 'erased') continue
    const words = new Set(termNames(logged).map((name) => word.term(name, print)))
    terms += words.size
    if ([...words].some((one) => tagged.get(one, seq) === undefined))
      return { table: 'log_tag', why: `entry ${seq} is not found under a term of it` }
    if (aliasesOf(logged, print).some((alias) => known.get(alias, person) === undefined))
      return { table: 'person_alias', why: `entry ${seq} is not found for its person` }
  }
  const all = db
    .prepare<[], number>(
      `SELECT count(*) FROM log_tag AS t JOIN log_word AS w ON w.id = t.word WHERE ${IS_TERM}`,
    )
    .pluck()
  return all.get() === terms
    ? undefined
    : { table: 'log_tag', why: 'it names entries that have no such term' }
}

/** The first index that does not fit the entries. */
export function checkIndexes(db: Connection): IndexFault | undefined {
  for (const [table, sql] of CHECKS) {
    const why = db.prepare<[], string>(sql).pluck().get()
    if (why !== undefined) return { table, why }
  }
  return wrongOfValues(db)
}

/** Makes the indexes anew from the entries. */
export function rebuildIndexes(db: Connection): void {
  const print = createPrint(db)
  const index = createIndex(db, print)
  const addAlias = db.prepare('INSERT OR IGNORE INTO person_alias VALUES (?, ?)')
  db.transaction(() => {
    for (const table of ['log_tag', 'log_word', 'log_hour', 'log_total']) db.exec(`DELETE FROM ${table}`)
    for (const { seq, person, logged } of everyEntry(db)) {
      const names = logged.field_names.map((name) => [name, { from: null, to: '' }] as const)
      index(logged.values === 'open' ? logged : { ...logged, fields: Object.fromEntries(names) }, seq)
      if (logged.values === 'open') for (const alias of aliasesOf(logged, print)) addAlias.run(alias, person)
    }
  })()
}
