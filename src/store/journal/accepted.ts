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

/** Rows of `meta`: the header of the last accepted input of each pipeline. */
const HEADER_OF = 'accepted_header:'

export function createAcceptedStore(db: Connection): AcceptedStore {
  const last = db.prepare<[string], AcceptedRow>(
    'SELECT mode, records, ends_with_line_break, at FROM accepted WHERE pipeline = ?',
  )
  const headerOf = db
    .prepare<[string], string>(`SELECT value FROM meta WHERE name = '${HEADER_OF}' || ?`)
    .pluck()
  return {
    async lastAccepted(pipeline) {
      const row = last.get(pipeline)
      if (row === undefined) return undefined
      const { mode, records, ends_with_line_break: ends, at } = row
      const header = headerOf.get(pipeline)
      return {
        mode,
        records,
        endsWithLineBreak: ends === null ? undefined : ends === 1,
        ...(header === undefined ? {} : { header: JSON.parse(header) as string[] }),
        at,
      }
    },
  }
}

/** For the transaction that finishes an input. */
export function createAccept(db: Connection): (input: { pipeline: string; name: string } & Accepted) => void {
  const put = db.prepare('INSERT OR REPLACE INTO accepted VALUES (?, ?, ?, ?, ?, ?)')
  const putHeader = db.prepare(`INSERT OR REPLACE INTO meta VALUES ('${HEADER_OF}' || ?, ?)`)
  return ({ pipeline, name, mode, records, endsWithLineBreak: ends, header, at }) => {
    put.run(pipeline, name, mode, records, ends === undefined ? null : Number(ends), at)
    if (header !== undefined) putHeader.run(pipeline, JSON.stringify(header))
  }
}

/**
 * Once a shrunken export is released, the contacts that are left are what the next export is compared with; once a file that
 * was not as expected is, the next one is the measure.
 */
export const FORGET_ACCEPTED_OF_RELEASED = `
DELETE FROM accepted WHERE pipeline IN (SELECT pipeline FROM hold WHERE run_id = ? AND guard IN ('shrunken_export', 'expect'))`
