// Carries a state from a file to a server, or back: every table, the numbers that are never used again, and nothing else. The
// copy is one transaction. Until the source was put aside the target cannot be used, so that at no moment both can: `moving` in
// its meta says so. What was interrupted is completed by calling it again, or starts over.
import { renameSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { SyncError } from '../../core/words/errors.ts'
import {
  type ServerPlace,
  serverPlace,
  type StateLocation,
  statePlaceOf,
  stateText,
} from '../../core/state-place.ts'
import { type Connection, type FileConnection, isFile, type Table } from '../file/connection.ts'
import { openDatabase } from '../file/database.ts'
import { syncFolder } from '../file/durable.ts'
import { acquireLock } from '../file/lock.ts'
import { currentMark, doubtOfState, lostState, type Mark, readMark, writeMark } from '../file/mark.ts'
import { connectToServer } from '../postgres/connection.ts'
import { keptTokens, putTokens } from '../tokens.ts'
import { literalOf } from '../postgres/literal.ts'
import { assertInForce } from '../reading.ts'
import { UPGRADE_NOTES } from '../postgres/upgrades.ts'
import { LEASE_MS } from '../postgres/workers.ts'
import { stateError } from '../file/trouble.ts'
import { createRowsPrint } from './print.ts'
import { assertLatest, headAside, isSuccessor } from './put-aside.ts'

export interface MovedTable {
  readonly name: string
  readonly rows: number
}

export interface MovedState {
  readonly tables: readonly MovedTable[]
  readonly mark: Mark
  /** Where the source is now, as it is named there. */
  readonly aside: string
  /** It was begun by an earlier call, which was interrupted. */
  readonly isResumed: boolean
}

interface Mover {
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Called before anything is copied; throws where the answer is no. */
  confirm(rows: readonly MovedTable[]): Promise<void>
}

/** One end of the way: opened by this process alone. */
interface End {
  readonly db: Connection
  readonly place: string
  /** The name under which it is put aside; then it is closed. */
  putAside(now: number): string
  /** Removes it, and closes it. */
  clear(): void
  close(): void
}

const dated = (now: number): string => new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')

function openServerEnd(server: ServerPlace, { pid, now }: Mover): End {
  const machine = hostname()
  const db = connectToServer(server, {
    name: machine,
    machine,
    pid,
    since: now,
    leaseMs: LEASE_MS,
    alone: true,
  })
  return {
    db,
    place: stateText(server),
    putAside(at) {
      // It keeps its name: a machine that still has this address must not make an empty state there.
      db.exec(`INSERT INTO meta VALUES ('moved', '${dated(at)}')`)
      db.close()
      return `${stateText(server)}, which is refused from now on (drop the schema once it is no longer needed)`
    },
    clear() {
      db.exec(`DROP SCHEMA "${server.schema}" CASCADE`)
      db.close()
    },
    close: () => db.close(),
  }
}

function openFileEnd(path: string): End {
  const lock = acquireLock(path)
  let db: FileConnection
  try {
    db = openDatabase(path, { thorough: true })
  } catch (error) {
    lock.release()
    throw stateError(error, path)
  }
  const close = (): void => {
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    lock.release()
  }
  return {
    db,
    place: path,
    putAside(at) {
      const aside = `${path}.moved-${dated(at)}`
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
      try {
        renameSync(path, aside)
        syncFolder(aside)
      } finally {
        lock.release()
      }
      return aside
    },
    clear() {
      close()
      for (const part of ['', '-wal', '-shm']) rmSync(`${path}${part}`, { force: true })
    },
    close,
  }
}

const openEnd = (where: StateLocation, mover: Mover): End => {
  const server = serverPlace(where)
  return server === undefined ? openFileEnd(statePlaceOf(where).path) : openServerEnd(server, mover)
}

const metaOf = (db: Connection, name: string): string | undefined =>
  db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck().get(name)

/** Tables whose rows tell that a state was used. */
const USED = ['audit', 'link', 'operation', 'run', 'input', 'reject'] as const

function assertEmpty({ db, place }: End): void {
  const used = USED.filter((name) => db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined)
  if (used.length === 0) return
  throw new SyncError('USAGE', `${place} is not empty: it has rows in ${used.join(', ')}`, {
    hint: 'A state is moved to an empty place alone: name another one. Drop that schema or file only if no installation uses it.',
  })
}

/** The order in which rows were made is kept where the state depends on it. */
const orderOf = (name: string): string => (name === 'run' ? ' ORDER BY rowid' : '')

/** Whose rows say something about the database that they are in. */
const OWN_META = new Set(['schema', 'moving', 'moved', ...UPGRADE_NOTES])

const isCarried = (table: string, row: readonly unknown[]): boolean =>
  table !== 'owner' && !(table === 'meta' && OWN_META.has(String(row[0])))

function* rowsOf({ db, place }: End, { name, columns }: Table): Generator<readonly unknown[]> {
  const names = columns.map((column) => `"${column}"`).join(', ')
  const rows = db
    .prepare(`SELECT ${names} FROM "${name}"${orderOf(name)}`)
    .raw()
    .iterate()
  try {
    for (const row of rows as Iterable<readonly unknown[]>) if (isCarried(name, row)) yield row
  } catch (error) {
    throw stateError(error, place)
  }
}

/** A text that a server cannot hold is found before anything is written. */
function assertHoldable(table: string, row: readonly unknown[], to: Connection): void {
  if (isFile(to) || !row.some((cell) => typeof cell === 'string' && cell.includes('\0'))) return
  throw new SyncError(
    'STATE_UNUSABLE',
    `a text in the table ${table} has the character U+0000, which PostgreSQL cannot hold`,
    {
      hint: 'Nothing was moved. Correct the value in its source and let it be sent again, or erase the record.',
    },
  )
}

/** So many rows are written by one statement of a server. */
const TOGETHER = 500

/** Writes the rows in their order. */
function writerTo(
  to: Connection,
  { name, columns }: Table,
): { add(row: readonly unknown[]): void; end(): void } {
  const names = columns.map((column) => `"${column}"`).join(', ')
  if (isFile(to)) {
    const insert = to.prepare(
      `INSERT INTO "${name}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    return { add: (row) => void insert.run(...row), end: () => undefined }
  }
  let waiting: string[] = []
  const end = (): void => {
    if (waiting.length > 0) to.exec(`INSERT INTO "${name}" (${names}) VALUES ${waiting.join(',')}`)
    waiting = []
  }
  return {
    add(row) {
      waiting.push(`(${row.map(literalOf).join(',')})`)
      if (waiting.length >= TOGETHER) end()
    },
    end,
  }
}

type Printed = ReturnType<ReturnType<typeof createRowsPrint>['end']> & { readonly name: string }

function copyTable(from: End, to: Connection, table: Table): Printed {
  const { name } = table
  const print = createRowsPrint()
  // What a new state has in it by itself.
  if (name !== 'audit')
    to.exec(
      name === 'meta' && !isFile(to)
        ? `DELETE FROM meta WHERE name NOT IN ('schema', ${UPGRADE_NOTES.map((note) => `'${note}'`).join(', ')})`
        : `DELETE FROM "${name}"`,
    )
  const writer = writerTo(to, table)
  for (const row of rowsOf(from, table)) {
    assertHoldable(name, row, to)
    print.add(row)
    writer.add(row)
  }
  writer.end()
  return { name, ...print.end() }
}

function printOf(end: End, table: Table): Printed {
  const print = createRowsPrint()
  for (const row of rowsOf(end, table)) print.add(row)
  return { name: table.name, ...print.end() }
}

/** The highest numbers that tables have given away: those of operations stand in the markers of contacts. */
function numbersOf(db: Connection): ReadonlyMap<string, number> {
  const given = isFile(db)
    ? db.prepare<[], { name: string; last: number }>('SELECT name, seq AS last FROM sqlite_sequence').all()
    : db
        .prepare<[], { name: string; last: number | null }>(
          `SELECT t.relname::text AS name, pg_sequence_last_value(s.oid) AS last
           FROM pg_class AS s JOIN pg_depend AS d ON d.objid = s.oid AND d.deptype = 'i' JOIN pg_class AS t ON t.oid = d.refobjid
           WHERE s.relkind = 'S' AND s.relnamespace = to_regnamespace(current_schema()::text)`,
        )
        .all()
  return new Map(given.flatMap(({ name, last }) => (last === null ? [] : [[name, last] as const])))
}

const IDENTITIES = `
SELECT table_name::text AS name, column_name::text AS "column" FROM information_schema.columns
WHERE table_schema = current_schema() AND is_identity = 'YES' AND column_name <> 'fence'`

function setNumbers(to: Connection, given: ReadonlyMap<string, number>): void {
  if (isFile(to)) {
    const set = to.prepare('UPDATE sqlite_sequence SET seq = max(seq, @last) WHERE name = @name')
    const add = to.prepare(
      'INSERT INTO sqlite_sequence (name, seq) SELECT @name, @last WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = @name)',
    )
    const names = new Set(
      to
        .prepare<[], string>(
          "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'",
        )
        .pluck()
        .all(),
    )
    for (const [name, last] of given) {
      if (!names.has(name)) continue
      set.run({ name, last })
      add.run({ name, last })
    }
    return
  }
  for (const { name, column } of to.prepare<[], { name: string; column: string }>(IDENTITIES).all())
    // Where none was given away yet, 1 is the first.
    to.exec(
      `SELECT setval(pg_get_serial_sequence('"${name}"', '${column}'), greatest(last, 1), last > 0)
       FROM (SELECT greatest(${given.get(name) ?? 0}, (SELECT max("${column}") FROM "${name}"), 0) AS last) AS numbers`,
    )
}

function assertAlike(copied: readonly Printed[], end: End): void {
  const tables = new Map(end.db.tables().map((table) => [table.name, table]))
  for (const one of copied) {
    const table = tables.get(one.name)
    const there = table && printOf(end, table)
    if (there?.print === one.print && there.rows === one.rows) continue
    throw new SyncError('STATE_UNUSABLE', `the table ${one.name} is not the same at ${end.place}`, {
      hint: 'The source is unchanged and still in use. Drop the copy, and report this: it must not happen.',
    })
  }
}

function copyAll(from: End, to: End): readonly Printed[] {
  return to.db.transaction(() => {
    const copied = from.db.tables().map((table) => copyTable(from, to.db, table))
    setNumbers(to.db, numbersOf(from.db))
    assertAlike(copied, to)
    to.db.exec(`INSERT INTO meta VALUES ('moving', '1')`)
    return copied
  })()
}

/** Tokens of sources lie beside a file, and at a server with the state. */
function carryTokens(
  from: StateLocation,
  source: Connection,
  to: End & { readonly where: StateLocation },
): void {
  const tokens = isFile(source)
    ? keptTokens(statePlaceOf(from).path)
    : source.prepare<[], { name: string; box: string }>('SELECT name, box FROM token ORDER BY name').all()
  if (isFile(to.db)) return putTokens(statePlaceOf(to.where).path, tokens)
  const put = to.db.prepare('INSERT INTO token VALUES (@name, @box)')
  to.db.exec('DELETE FROM token')
  for (const token of tokens) put.run(token)
}

/** From now on the target is the state. Its mark comes first: a file in force without one would be refused as a copy. */
function conclude(to: End, where: StateLocation): Mark {
  const mark = currentMark(to.db)
  writeMark(statePlaceOf(where).path, mark)
  to.db.exec("DELETE FROM meta WHERE name = 'moving'")
  return mark
}

async function moveAll(
  from: StateLocation,
  to: { readonly end: End; readonly where: StateLocation },
  mover: Mover,
): Promise<MovedState> {
  const source = openEnd(from, mover)
  let isClosed = false
  try {
    assertInForce(source.db, source.place)
    const doubt = doubtOfState(source.db, readMark(statePlaceOf(from).path))
    if (doubt !== undefined) throw new SyncError('STATE_OLDER', `the state ${source.place} ${doubt}`)
    const counted = source.db.tables().map((table) => ({ name: table.name, rows: countOf(source.db, table) }))
    await mover.confirm(counted.filter(({ rows }) => rows > 0))
    const copied = copyAll(source, to.end)
    carryTokens(from, source.db, { ...to.end, where: to.where })
    isClosed = true
    const aside = source.putAside(mover.now)
    const tables = copied.map(({ name, rows }) => ({ name, rows }))
    return { tables, mark: conclude(to.end, to.where), aside, isResumed: false }
  } finally {
    if (!isClosed) source.close()
  }
}

const countOf = (db: Connection, { name }: Table): number =>
  db.prepare<[], number>(`SELECT count(*) FROM "${name}"`).pluck().get() ?? 0

/**
 * Moves the state, and says what was carried. Throws STATE_LOCKED where another process has either of the two, USAGE where the
 * target is not empty or nothing is there to be moved, STATE_OLDER where the source is not the latest, STATE_UNUSABLE where
 * the target cannot hold it, STATE_FULL where its disk is full.
 */
export async function moveState(from: StateLocation, to: StateLocation, mover: Mover): Promise<MovedState> {
  const aside = headAside(from)
  let end = openEnd(to, mover)
  try {
    const isCopy = metaOf(end.db, 'moving') !== undefined
    if (aside !== undefined && (isCopy || isSuccessor(end.db, aside))) {
      assertLatest(end.db, end.place, aside)
      return { tables: [], mark: conclude(end, to), aside: 'by an earlier call', isResumed: true }
    }
    if (isCopy) {
      // It was not concluded: the source is in force, and is copied once more.
      end.clear()
      end = openEnd(to, mover)
    }
    assertEmpty(end)
    const { path } = statePlaceOf(from)
    if (aside !== undefined && serverPlace(from) === undefined) throw lostState(path, path, aside)
    return await moveAll(from, { end, where: to }, mover)
  } catch (error) {
    throw stateError(error, end.place)
  } finally {
    end.close()
  }
}
