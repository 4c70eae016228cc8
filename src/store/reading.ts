// A state for reading alone, beside those who write it, wherever it is.
import { serverPlace, type StateLocation, statePlaceOf, stateText } from '../core/state-place.ts'
import { SyncError } from '../core/words/errors.ts'
import type { Connection } from './file/connection.ts'
import { openForReading, openIfCurrent } from './file/database.ts'
import { readFromServer } from './postgres/connection.ts'

/** Undefined where there is none yet. Throws STATE_UNUSABLE, and STATE_IO where a server cannot be reached. */
export function openToRead(where: StateLocation, options: { even?: 'moved' } = {}): Connection | undefined {
  const server = serverPlace(where)
  const db = server === undefined ? openForReading(statePlaceOf(where).path) : readFromServer(server)
  if (db === undefined || options.even === 'moved') return db
  try {
    assertInForce(db, stateText(where))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Of a move only one end is in force: throws STATE_UNUSABLE for the other one. */
export function assertInForce(db: Connection, place: string): void {
  const found = db
    .prepare<[], string>("SELECT name FROM meta WHERE name IN ('moving', 'moved')")
    .pluck()
    .get()
  if (found === undefined) return
  if (found === 'moved')
    throw new SyncError('STATE_UNUSABLE', `the state ${place} was moved to another place`, {
      hint: 'Name that place in the configuration: the messages of state move said how. Drop this one once it is no longer needed.',
    })
  throw new SyncError('STATE_UNUSABLE', `the state ${place} is the copy of a move that was interrupted`, {
    hint: 'Call contact-sync state move again, under the configuration that it was started with.',
  })
}

/** As openToRead; undefined also where an older version left the state, and nothing has opened it for writing since. */
export function openCurrentToRead(where: StateLocation): Connection | undefined {
  const server = serverPlace(where)
  return server === undefined ? openIfCurrent(statePlaceOf(where).path) : readFromServer(server)
}
