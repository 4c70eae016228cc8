// A state for reading alone, beside those who write it, wherever it is.
import { type StateLocation, statePlaceOf, serverPlace } from '../core/state-place.ts'
import type { Connection } from './file/connection.ts'
import { openForReading, openIfCurrent } from './file/database.ts'
import { readFromServer } from './postgres/connection.ts'

/** Undefined where there is none yet. Throws STATE_UNUSABLE, and STATE_IO where a server cannot be reached. */
export function openToRead(where: StateLocation): Connection | undefined {
  const server = serverPlace(where)
  return server === undefined ? openForReading(statePlaceOf(where).path) : readFromServer(server)
}

/** As openToRead; undefined also where an older version left the state, and nothing has opened it for writing since. */
export function openCurrentToRead(where: StateLocation): Connection | undefined {
  const server = serverPlace(where)
  return server === undefined ? openIfCurrent(statePlaceOf(where).path) : readFromServer(server)
}
