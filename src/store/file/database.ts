// Opens the state database: the pragmas, each with its reason, the checks of owner and integrity, the migrations.
// Never starts over with a file that it cannot read: a state that was lost silently would duplicate every contact.
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { SyncError } from '../../core/words/errors.ts'
import { type Connection, type FileConnection, connect } from './connection.ts'
import { APPLICATION_ID, CLAIM_TABLES, MIGRATIONS, newestSchema, OLDEST_SCHEMA } from './schema.ts'
import { syncFile, syncFolder } from './durable.ts'
import { networkFileSystem } from './network.ts'
import { statePlace } from './place.ts'
import { stateError } from './trouble.ts'

export type { Connection, FileConnection }

/** A database of SQLite's own that vanishes with the connection, even when the process is killed. */
const TEMPORARY = ''

const unusable = (path: string, why: string): SyncError =>
  new SyncError('STATE_UNUSABLE', `the state ${path} ${why}`)

function setPragmas(db: FileConnection): void {
  // Readers (plan, status) work beside the one writer.
  db.pragma('journal_mode = WAL')
  // better-sqlite3 opens WAL databases with NORMAL, under which a power cut may lose "sending" after the request left.
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  // Deleted personal data is overwritten, not only unlinked.
  db.pragma('secure_delete = ON')
  db.pragma('trusted_schema = OFF')
  db.pragma('cell_size_check = ON')
  // Who was seen in a file of millions of records belongs on disk, not into memory.
  db.pragma('temp_store = FILE')
  // Kibibytes: enough for the inner pages of the indexes of a million links, and a fixed part of the memory.
  db.pragma('cache_size = -16000')
  db.pragma('busy_timeout = 5000')
  // Pages. A checkpoint is part of a commit: fewer and larger ones keep the process standing still for 30 ms and more.
  db.pragma('wal_autocheckpoint = 1000')
  if (db.pragma('synchronous', { simple: true }) !== 2) throw new Error('synchronous=FULL was not accepted')
}

/**
 * By device and inode: handles of files that are used through a log. Closing any handle of a file drops the locks that SQLite has
 * on it in this process, and another process would take the log for its own. So each is kept, and used again.
 */
const kept = new Map<string, number>()

/** Whether the header says that the file is written alone, as a copy by `state backup` is, and not through a log. */
function isWrittenAlone(path: string): boolean {
  const { dev, ino } = statSync(path, { bigint: true })
  const file = `${dev}:${ino}`
  const handle = kept.get(file) ?? openSync(path, 'r')
  const written = Buffer.alloc(1)
  readSync(handle, written, 0, 1, 18)
  const isAlone = written[0] === 1
  if (!isAlone) kept.set(file, handle)
  else if (!kept.has(file)) closeSync(handle)
  return isAlone
}

/**
 * SQLite merges any log of that name into the file, also that of the state that was there before a copy was put in its place: the
 * result has parts of both. Looked at before anything opens the file, because its last connection merges the log when it closes.
 */
function assertOwnLog(path: string): void {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (log === undefined || log.size === 0 || !existsSync(path) || !isWrittenAlone(path)) return
  throw new SyncError(
    'STATE_UNUSABLE',
    `the state ${path} is a copy, and ${path}-wal beside it belongs to the state that was there before`,
    {
      hint: 'Nothing was changed. Stop the daemon, move the two files whose names end in -wal and -shm away, and start again: see "Restore" in state/README.md.',
    },
  )
}

/** The size of a file that has no log beside it; undefined where there is one, whose pages may not be in the file yet. */
function sizeWithoutLog(path: string): number | undefined {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  return (log?.size ?? 0) === 0 ? statSync(path, { throwIfNoEntry: false })?.size : undefined
}

/** A copy that was cut off within its last page: SQLite reads the rest of that page as zeros, and may find nothing wrong. */
function assertNotCutOff(
  db: FileConnection,
  { path, size }: { path: string; size: number | undefined },
): void {
  if (size !== undefined && size % Number(db.pragma('page_size', { simple: true })) !== 0)
    throw unusable(path, 'is cut off: copy it again as a whole, or restore it from a backup')
}

/** Whether there is a state in it; an empty file is one that is being made. */
function hasState(db: FileConnection, path: string): boolean {
  // In this order: a state that is made between the two has its application when it has tables.
  const hasTables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() !== 0
  const application = db.pragma('application_id', { simple: true })
  const isFresh = application === 0 && !hasTables
  if (!isFresh && application !== APPLICATION_ID)
    throw unusable(path, 'is a database of another program; state.path is wrong')
  return !isFresh && db.pragma('user_version', { simple: true }) !== 0
}

/** What a migration rebuilds can be had back as it was, should the new version have to go again. */
function keepCopy(db: FileConnection, path: string): void {
  const copy = `${path}.before-schema-${newestSchema()}`
  const part = `${copy}.part`
  rmSync(part, { force: true })
  try {
    // Empty before anything is in it, so that no other user can ever read it.
    writeFileSync(part, '', { mode: 0o600 })
    db.prepare('VACUUM INTO ?').run(part)
    syncFile(part)
    renameSync(part, copy)
  } catch (error) {
    // Half a copy is of no use, and a full disk would stay full for the version that is put back.
    rmSync(part, { force: true })
    throw error
  }
  syncFolder(copy)
}

const schemaOf = (db: FileConnection): number => Number(db.pragma('user_version', { simple: true }))

function assertNotNewer(version: number, path: string): void {
  if (version > newestSchema())
    throw unusable(
      path,
      `was written by a newer contact-sync (schema ${version}, this one knows ${newestSchema()}); use that version`,
    )
}

function migrate(db: FileConnection, path: string): void {
  const version = schemaOf(db)
  const newest = newestSchema()
  assertNotNewer(version, path)
  if (version > 0 && version < OLDEST_SCHEMA)
    throw unusable(path, `has schema ${version}, from before the first release; this version knows ${newest}`)
  if (version === newest) return
  const isNew = version === 0
  if (path !== TEMPORARY && !isNew) keepCopy(db, path)
  // All steps or none: a start that is killed between two would leave tables of no version, and the next one would copy those.
  // A process that reads beside the first owner sees no state, or all of it.
  db.transaction(() => {
    if (isNew) db.pragma(`application_id = ${APPLICATION_ID}`)
    for (const step of MIGRATIONS.slice(isNew ? 0 : version - OLDEST_SCHEMA + 1)) db.exec(step)
    db.pragma(`user_version = ${newest}`)
  })()
}

function assertWhole(db: FileConnection, path: string): void {
  const verdict = db.pragma('quick_check(1)', { simple: true })
  if (verdict !== 'ok') throw unusable(path, 'is damaged; restore it from a backup')
}

function prepareFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const network = networkFileSystem(dirname(path))
  if (network !== undefined)
    throw new SyncError('STATE_UNUSABLE', `the state ${path} lies on a network file system (${network})`, {
      hint: 'Set state.path to a local disk: a network file system does not provide the locks that the state needs.',
    })
}

/** Personal data: readable by its owner only, and closed to other users where an older version left it open. */
function keepPrivate(path: string): void {
  if (!existsSync(path)) return writeFileSync(path, '', { mode: 0o600, flag: 'wx' })
  const { mode } = statSync(path)
  if ((mode & 0o007) !== 0) chmodSync(path, mode & 0o770)
}

/**
 * Opens the state for writing, making it where it is not there yet. `thorough` reads the whole file for damage;
 * that is done anyway when the last owner did not close it.
 * Throws STATE_UNUSABLE when it cannot be opened, is damaged, belongs to another program or to a newer version.
 */
export function openDatabase(path: string, options: { thorough: boolean }): FileConnection {
  let db: FileConnection | undefined
  try {
    if (path !== TEMPORARY) prepareFolder(path)
    if (path !== TEMPORARY) assertOwnLog(path)
    const wasLeftOpen = path !== TEMPORARY && existsSync(`${path}-wal`)
    // SQLite gives the files beside it the same rights.
    if (path !== TEMPORARY) keepPrivate(path)
    const size = path === TEMPORARY ? undefined : sizeWithoutLog(path)
    db = connect(path)
    db.pragma('busy_timeout = 5000')
    if (hasState(db, path)) assertNotCutOff(db, { path, size })
    setPragmas(db)
    if (options.thorough || wasLeftOpen) assertWhole(db, path)
    migrate(db, path)
    db.exec(CLAIM_TABLES)
    return db
  } catch (error) {
    db?.close()
    throw stateError(error, path)
  }
}

/** A database with the state's tables that leaves no trace. */
export const openTemporaryDatabase = (): FileConnection => openDatabase(TEMPORARY, { thorough: false })

/** Only a process that writes brings an older state up to date. */
function assertReadable(version: number, path: string): void {
  assertNotNewer(version, path)
  if (version === newestSchema()) return
  const schemas = `schema ${version}, this one has ${newestSchema()}`
  throw new SyncError('STATE_UNUSABLE', `the state ${path} is that of an older contact-sync (${schemas})`, {
    hint: 'Start or run contact-sync of this version once: it keeps a copy of the state, and brings it up to date.',
  })
}

/** As openForReading; undefined also where an older version left the state, and nothing has opened it for writing since. */
export function openIfCurrent(statePath: string): FileConnection | undefined {
  const path = statePlace(statePath)
  if (!existsSync(path)) return undefined
  let db: FileConnection | undefined
  try {
    assertOwnLog(path)
    db = connect(path, { fileMustExist: true })
    if (schemaOf(db) < newestSchema()) return undefined
  } catch (error) {
    throw stateError(error, path)
  } finally {
    db?.close()
  }
  return openForReading(path)
}

/** Opens the state for reading only; undefined where there is none yet. */
export function openForReading(statePath: string): FileConnection | undefined {
  const path = statePlace(statePath)
  if (!existsSync(path)) return undefined
  let db: FileConnection | undefined
  try {
    assertOwnLog(path)
    const size = sizeWithoutLog(path)
    // Not `readonly`: a read-only connection to a WAL database leaves its -wal and -shm files behind.
    db = connect(path, { fileMustExist: true }, (error) => stateError(error, path))
    db.pragma('busy_timeout = 5000')
    // Kibibytes. What a reader looks at, it rarely looks at again: to fill more memory would take as long as to read.
    db.pragma('cache_size = -2000')
    if (!hasState(db, path)) {
      db.close()
      return undefined
    }
    assertNotCutOff(db, { path, size })
    assertReadable(schemaOf(db), path)
    db.exec(CLAIM_TABLES)
    db.pragma('query_only = ON')
    return db
  } catch (error) {
    db?.close()
    throw stateError(error, path)
  }
}
