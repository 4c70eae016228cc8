// What the last accepted input of each pipeline was like: the next one is compared with it. A supplement, an empty file and
// an export that lost nearly everything never take its place.
import type { Accepted, AcceptedStore } from '../../core/change/accepted.ts'
import type { Connection } from '../file/database.ts'

interface AcceptedRow {
  mode: Accepted['mode']
  records: number
  ends_with_line_break: number | null
  at: number
}

export function createAcceptedStore(db: Connection): AcceptedStore {
  const last = db.prepare<[string], AcceptedRow>(
    'SELECT mode, records, ends_with_line_break, at FROM accepted WHERE pipeline = ?',
  )
  return {
    async lastAccepted(pipeline) {
      const row = last.get(pipeline)
      if (row === undefined) return undefined
      const { mode, records, ends_with_line_break: ends, at } = row
      return { mode, records, endsWithLineBreak: ends === null ? undefined : ends === 1, at }
    },
  }
}

/** For the transaction that finishes an input. */
export function createAccept(db: Connection): (input: { pipeline: string; name: string } & Accepted) => void {
  const put = db.prepare('INSERT OR REPLACE INTO accepted VALUES (?, ?, ?, ?, ?, ?)')
  return ({ pipeline, name, mode, records, endsWithLineBreak: ends, at }) => {
    put.run(pipeline, name, mode, records, ends === undefined ? null : Number(ends), at)
  }
}

/** Once a shrunken export is released, the contacts that are left are what the next export is compared with. */
export const FORGET_ACCEPTED_OF_RELEASED = `
DELETE FROM accepted WHERE pipeline IN (SELECT pipeline FROM hold WHERE run_id = ? AND guard = 'shrunken_export')`
