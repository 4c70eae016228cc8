// Finds the links of records that are settled in just the form in which they stand in the input.
// A file that comes again mostly holds its records in the old order: so the links are walked in the order
// in which they were made, and only where that guess fails is a record looked up.
import type { Connection } from './database.ts'

export interface Fingerprints {
  match(pipeline: string, values: readonly string[]): (number | undefined)[]
  /** Starts over at the pipeline's first link. */
  rewind(): void
  put(pipeline: string, linkId: number, value: string): void
}

interface Row {
  link_id: number
  value: string
}

const PAGE = 1000
/** How far the walk looks ahead: records that have gone or changed leave gaps of a few. */
const AHEAD = 4
/** After so many look-ups that hit consecutive links, the walk goes on from there. */
const STREAK = 4

export function createFingerprints(db: Connection): Fingerprints {
  const page = db.prepare<[string, number], Row>(
    `SELECT link_id, value FROM fingerprint WHERE pipeline = ? AND link_id > ? ORDER BY link_id LIMIT ${PAGE}`,
  )
  const byValue = db
    .prepare<[string, string], number>('SELECT link_id FROM fingerprint WHERE pipeline = ? AND value = ?')
    .pluck()
  const upsert = db.prepare(
    'INSERT INTO fingerprint VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )

  let rows: Row[] = []
  let at = 0
  let lastRead = 0
  let exhausted = false
  let streak = 0
  let lastHit = 0

  const goTo = (linkId: number): void => {
    rows = []
    at = 0
    lastRead = linkId
    exhausted = false
  }
  const fill = (pipeline: string): void => {
    if (at + AHEAD <= rows.length || exhausted) return
    const more = page.all(pipeline, lastRead)
    exhausted = more.length < PAGE
    lastRead = more.at(-1)?.link_id ?? lastRead
    rows = [...rows.slice(at), ...more]
    at = 0
  }
  const walk = (pipeline: string, value: string): number | undefined => {
    fill(pipeline)
    for (let step = at; step < Math.min(at + AHEAD, rows.length); step += 1) {
      const row = rows[step]
      if (row?.value !== value) continue
      at = step + 1
      return row.link_id
    }
    return undefined
  }
  const lookUp = (pipeline: string, value: string): number | undefined => {
    const found = byValue.get(pipeline, value)
    if (found === undefined) return undefined
    streak = found === lastHit + 1 ? streak + 1 : 0
    lastHit = found
    if (streak >= STREAK) goTo(found)
    return found
  }
  return {
    match: (pipeline, values) => values.map((value) => walk(pipeline, value) ?? lookUp(pipeline, value)),
    rewind() {
      goTo(0)
      streak = 0
    },
    put(pipeline, linkId, value) {
      upsert.run(pipeline, linkId, value)
    },
  }
}
