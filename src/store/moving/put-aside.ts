// A move that was interrupted, called again: whether its source was put aside, and whether its copy is still the latest.
import { existsSync } from 'node:fs'
import { SyncError } from '../../core/words/errors.ts'
import { serverPlace, type StateLocation, statePlaceOf, stateText } from '../../core/state-place.ts'
import type { Connection } from '../file/connection.ts'
import { currentMark, doubtOfState, type Mark, noState, readMark } from '../file/mark.ts'
import { openToRead } from '../reading.ts'

/**
 * How far the source had come when it was put aside; undefined where it is in force. Throws USAGE where nothing was ever there:
 * the place may be the wrong one.
 */
export function headAside(from: StateLocation): Mark | 'unreadable' | undefined {
  const { path } = statePlaceOf(from)
  if (serverPlace(from) === undefined) {
    if (existsSync(path)) return undefined
    const mark = readMark(path)
    if (mark === undefined) throw noState(path, path)
    return mark
  }
  const db = openToRead(from, { even: 'moved' })
  if (db === undefined) throw noState(stateText(from), path)
  try {
    const isMoved = db.prepare("SELECT 1 FROM meta WHERE name = 'moved'").get() !== undefined
    return isMoved ? currentMark(db) : undefined
  } finally {
    db.close()
  }
}

/** A move to there was concluded before: its process may have ended before it could say so. */
export const isSuccessor = (db: Connection, head: Mark | 'unreadable'): boolean =>
  db.prepare("SELECT 1 FROM meta WHERE name = 'moved'").get() === undefined &&
  doubtOfState(db, head) === undefined

/** The source may have been used after the copy was made, and be lost, or moved elsewhere: then the copy is not the latest. */
export function assertLatest(db: Connection, place: string, head: Mark | 'unreadable'): void {
  const doubt = doubtOfState(db, head)
  if (doubt === undefined) return
  throw new SyncError('STATE_OLDER', `the copy ${place} ${doubt}`, {
    hint: 'Nothing was changed: the former state was used after that copy was made. If it was moved elsewhere, name that place in the configuration. If it was lost, put it back as under "Restore" in state/README.md, and call state move again.',
  })
}
