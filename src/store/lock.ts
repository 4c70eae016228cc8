// One owner of the state. The lock is SQLite's own on a file of its own beside the state: it ends with the
// process, however that ends, and readers of the state do not notice it.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { SyncError } from '../core/errors.ts'
import { statePlace } from './place.ts'
import { stateError } from './trouble.ts'

export interface Lock {
  release(): void
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
    return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
  } finally {
    db?.close()
  }
}

/** Throws STATE_LOCKED, with the owner's process id where it is known, when another process holds the state. */
export function acquireLock(statePath: string): Lock {
  const place = statePlace(statePath)
  let db: Database.Database | undefined
  try {
    mkdirSync(dirname(place), { recursive: true })
    db = new Database(`${place}.lock`)
    // Somebody may be looking whether it is held (isOwned).
    db.pragma('busy_timeout = 100')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')))
      throw stateError(error, statePath)
    throw new SyncError('STATE_LOCKED', `another process holds the state ${place}${heldBy(place)}`, {
      cause: error,
    })
  }
  const held = db
  return {
    release() {
      held.exec('ROLLBACK')
      held.close()
    },
  }
}
