// The pipelines in the state, whether or not they are configured: renaming one, and removing one.
// Tables are found by their column `pipeline`, so that a new one is never left behind.
import type { AuditEntry } from '../core/log/audit.ts'
import type { Settings } from '../core/settings.ts'
import type { StateLocation } from '../core/state-place.ts'
import { UNCERTAIN } from '../core/change/states.ts'
import { createAppend } from './log/audit-append.ts'
import { createPrint } from './log/audit-seal.ts'
import type { Connection, Table } from './file/connection.ts'
import { openCurrentToRead } from './reading.ts'
import { linkCount } from './file/link-count.ts'
import { isOneOf } from './file/state-sets.ts'
import { noteFormerName } from './log/former-names.ts'

/** What of a pipeline goes with it. */
export interface PipelineRows {
  readonly links: number
  readonly inDoubt: number
  /** Held, failed, waiting or planned. */
  readonly open: number
  readonly rejects: number
  readonly runs: number
}

const NAMING = ['link', 'operation', 'reject', 'run', 'input', 'hold'] as const

/** From one name to the next by the index of each table: a million links are not read. */
const namesIn = (table: (typeof NAMING)[number]): string => `
  SELECT name FROM (WITH RECURSIVE named (name) AS (
    SELECT min(pipeline) FROM ${table}
    UNION ALL SELECT (SELECT min(pipeline) FROM ${table} WHERE pipeline > named.name) FROM named WHERE name IS NOT NULL)
  SELECT name FROM named WHERE name IS NOT NULL) AS ${table}_names`

const KNOWN = `${NAMING.map(namesIn).join(' UNION ')} ORDER BY 1`

export function createKnownPipelines(db: Connection): () => readonly string[] {
  const names = db.prepare<[], string>(KNOWN).pluck()
  return () => names.all()
}

/** Of the names that a state knows, those that the configuration has no more. */
export const orphansAmong = (
  known: readonly string[],
  { pipelines }: Pick<Settings, 'pipelines'>,
): string[] => known.filter((name) => !pipelines.some((pipeline) => pipeline.name === name))

/** As the state says, beside its owner; none where there is no state yet, or an older version's. */
export function readKnownPipelines(where: StateLocation): readonly string[] {
  const db = openCurrentToRead(where)
  try {
    return db === undefined ? [] : createKnownPipelines(db)()
  } finally {
    db?.close()
  }
}

/** What the state has of each pipeline that it knows; none as for the names. */
export function readPipelineRows(where: StateLocation): ReadonlyMap<string, PipelineRows> {
  const db = openCurrentToRead(where)
  try {
    if (db === undefined) return new Map()
    const rowsOf = createPipelineRows(db)
    return new Map(createKnownPipelines(db)().map((name) => [name, rowsOf(name)]))
  } finally {
    db?.close()
  }
}

/** Those that say which pipeline a row is of. */
const tablesOf = (db: Connection): readonly Table[] =>
  db.tables().filter(({ columns }) => columns.includes('pipeline'))

/** Rows of the one name take the places of those of the other. */
function moveRows(db: Connection, { name, unique }: Table, { from, to }: { from: string; to: string }): void {
  for (const list of unique.filter((columns) => columns.includes('pipeline'))) {
    const alike = list.filter((column) => column !== 'pipeline')
    const same = alike.map((column) => `AND moved."${column}" = "${name}"."${column}"`).join(' ')
    db.prepare(
      `DELETE FROM "${name}" WHERE pipeline = @to
       AND EXISTS (SELECT 1 FROM "${name}" AS moved WHERE moved.pipeline = @from ${same})`,
    ).run({ from, to })
  }
  db.prepare(`UPDATE "${name}" SET pipeline = @to WHERE pipeline = @from`).run({ from, to })
}

const ROWS = `
SELECT ${linkCount('@name')} AS links,
  (SELECT count(*) FROM operation WHERE pipeline = @name AND ${isOneOf(UNCERTAIN)}) AS inDoubt,
  (SELECT count(*) FROM operation WHERE pipeline = @name AND NOT (${isOneOf(UNCERTAIN)})) AS open,
  (SELECT count(*) FROM reject WHERE pipeline = @name) AS rejects,
  (SELECT count(*) FROM run WHERE pipeline = @name) AS runs`

export const NO_ROWS: PipelineRows = { links: 0, inDoubt: 0, open: 0, rejects: 0, runs: 0 }

function createPipelineRows(db: Connection): (name: string) => PipelineRows {
  const rows = db.prepare<[{ name: string }], PipelineRows>(ROWS)
  return (name) => rows.get({ name }) ?? NO_ROWS
}

/** Facts of one pipeline in `meta` end with its name. */
const OF_META = "substr(name, -length(@from) - 1) = ':' || @from"

const KEYS = ['link', 'operation', 'reject']
  .map((table) => `SELECT key FROM ${table} WHERE pipeline = @from AND key IS NOT NULL`)
  .join(' UNION ')

const MOVED_META = 'substr(name, 1, length(name) - length(@from)) || @to'
const MOVE_META = [
  `DELETE FROM meta WHERE name IN (SELECT ${MOVED_META} FROM meta WHERE ${OF_META})`,
  `UPDATE meta SET name = ${MOVED_META} WHERE ${OF_META}`,
]

/** Persons known by pipeline and key are found under the new name. */
function renameAliases(db: Connection, { from, to }: { from: string; to: string }): void {
  const print = createPrint(db)
  const clear = db.prepare(
    'DELETE FROM person_alias WHERE alias = @to AND person IN (SELECT person FROM person_alias WHERE alias = @from)',
  )
  const move = db.prepare('UPDATE person_alias SET alias = @to WHERE alias = @from')
  for (const key of db.prepare<[{ from: string }], string>(KEYS).pluck().all({ from })) {
    const names = { from: print('key', from, key), to: print('key', to, key) }
    clear.run(names)
    move.run(names)
  }
}

/** Pipelines that have been rebuilt while the state is in doubt. */
function changeRebuilt(db: Connection, change: (names: readonly string[]) => readonly string[]): void {
  const value = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'rebuilt'").pluck().get()
  if (value === undefined) return
  const names = change(JSON.parse(value) as string[])
  db.prepare("UPDATE meta SET value = ? WHERE name = 'rebuilt'").run(JSON.stringify(names))
}

/** Whether a contact existed before a create is decided by the highest id that was ever known. */
const KEEP_HIGHEST = `
INSERT OR REPLACE INTO meta SELECT 'highest_contact', max(
  coalesce((SELECT max(contact_id) FROM link), 0),
  coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'highest_contact'), 0))`

/** Sent values of contacts that no link has any more are removed. */
const UNSHARED =
  'DELETE FROM sent_values WHERE NOT EXISTS (SELECT 1 FROM link WHERE link.contact_id = sent_values.contact_id)'

/** Raised alerts stay until the next evaluation has reported that they are over. */
const STAYS: readonly string[] = ['alert', 'alert_message']

export interface PipelineTables {
  known(): readonly string[]
  rows(name: string): PipelineRows
  /** All that is kept under the one name is kept under the other, in one transaction with the entry. */
  rename(names: { from: string; to: string }, entry: AuditEntry): void
  /** All that is kept under the name goes, but for the sync log, in one transaction with the entry. */
  drop(name: string, entry: AuditEntry): void
}

export function createPipelineTables(db: Connection): PipelineTables {
  const append = createAppend(db)
  const inOne = (work: () => void): void => db.transaction(work)()
  return {
    known: createKnownPipelines(db),
    rows: createPipelineRows(db),
    rename: ({ from, to }, entry) =>
      inOne(() => {
        renameAliases(db, { from, to })
        for (const table of tablesOf(db)) moveRows(db, table, { from, to })
        for (const sql of MOVE_META) db.prepare(sql).run({ from, to })
        changeRebuilt(db, (names) => names.map((name) => (name === from ? to : name)))
        noteFormerName(db, { from, to })
        append(entry)
      }),
    drop: (name, entry) =>
      inOne(() => {
        db.prepare(KEEP_HIGHEST).run()
        for (const table of tablesOf(db))
          if (!STAYS.includes(table.name))
            db.prepare(`DELETE FROM "${table.name}" WHERE pipeline = ?`).run(name)
        db.prepare(`DELETE FROM meta WHERE ${OF_META} AND name NOT LIKE 'former:%'`).run({ from: name })
        db.prepare(UNSHARED).run()
        changeRebuilt(db, (names) => names.filter((one) => one !== name))
        append(entry)
      }),
  }
}
