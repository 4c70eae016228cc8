// One owner of the state. The lock is SQLite's own on a separate file beside the state: it ends with the
// process, however that ends, and readers of the state do not notice it.
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { SyncError } from '../../core/words/errors.ts'
import { statePlace } from './place.ts'
import { stateError } from './trouble.ts'

export interface Lock {
  /** Leaves a text in the file of the lock, which others can read while it is held. */
  leave(text: string): void
  release(): void
}

/** What the owner has left in the file of the lock; undefined where it left nothing. Read as bytes: a lock keeps SQLite out. */
export function leftInLock(statePath: string): string | undefined {
  const bytes = readFileSync(`${statePlace(statePath)}.lock`)
  return /contact-sync left: <([^>]*)>/.exec(bytes.toString('utf8'))?.[1]
}

function heldBy(path: string): string {
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true })
    const owner = db.prepare('SELECT pid, since FROM owner').get() as
      { pid: number; since: number } | undefined
    db.close()
    return owner === undefined ? '' : ` (process ${owner.pid}, since ${new Date(owner.since).toISOString()})`
  } catch {
    return ''
  }
}

/** Whether a process holds the state now. Looks without taking anything. */
export function isOwned(statePath: string): boolean {
  const place = statePlace(statePath)
  let db: Database.Database | undefined
  try {
    db = new Database(`${place}.lock`, { readonly: true, fileMustExist: true })
    db.pragma('busy_timeout = 0')
    db.pragma('schema_version')
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    db?.close()
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

/** Where it is not held, another process may be testing whether it is (isOwned): that takes a moment. */
function beginExclusive(db: Database.Database, place: string): void {
  db.pragma('busy_timeout = 0')
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    if (!isBusy(error) || isOwned(place)) throw error
    db.pragma('busy_timeout = 100')
    db.exec('BEGIN EXCLUSIVE')
  }
}

/** Throws STATE_LOCKED, with the owner's process id where it is known, when another process holds the state. */
export function acquireLock(statePath: string): Lock {
  const place = statePlace(statePath)
  let db: Database.Database | undefined
  try {
    mkdirSync(dirname(place), { recursive: true })
    db = new Database(`${place}.lock`)
    beginExclusive(db, place)
  } catch (error) {
    db?.close()
    if (!isBusy(error)) throw stateError(error, statePath)
    throw new SyncError('STATE_LOCKED', `another process holds the state ${place}${heldBy(place)}`, {
      cause: error,
    })
  }
  const held = db
  return {
    leave(text) {
      // A connection in this mode keeps the lock over its commits.
      held.pragma('locking_mode = EXCLUSIVE')
      held.exec(
        'CREATE TABLE IF NOT EXISTS left_by_owner (text TEXT NOT NULL) STRICT; DELETE FROM left_by_owner',
      )
      held.prepare('INSERT INTO left_by_owner VALUES (?)').run(`contact-sync left: <${text}>`)
      held.exec('COMMIT')
      held.exec('BEGIN EXCLUSIVE')
    },
    release() {
      held.exec('ROLLBACK')
      held.close()
    },
  }
}
