// Finds the links of records that are settled in just the form in which they stand in the input.
// A file that comes again mostly holds its records in the old order: so the links are walked in the order
// in which they were made, and only where that guess fails is a record looked up.
import type { Connection } from './database.ts'

/** One walk through a pipeline's links, for one input. */
export interface FingerprintWalk {
  match(values: readonly string[]): (number | undefined)[]
}

export interface Fingerprints {
  walk(pipeline: string): FingerprintWalk
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

type Queries = ReturnType<typeof prepareQueries>

function prepareQueries(db: Connection) {
  return {
    page: db.prepare<[string, number], Row>(
      `SELECT link_id, value FROM fingerprint WHERE pipeline = ? AND link_id > ? ORDER BY link_id LIMIT ${PAGE}`,
    ),
    byValue: db
      .prepare<[string, string], number>('SELECT link_id FROM fingerprint WHERE pipeline = ? AND value = ?')
      .pluck(),
  }
}

function startWalk(pipeline: string, { page, byValue }: Queries): FingerprintWalk {
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
  const fill = (): void => {
    if (at + AHEAD <= rows.length || exhausted) return
    const more = page.all(pipeline, lastRead)
    exhausted = more.length < PAGE
    lastRead = more.at(-1)?.link_id ?? lastRead
    rows = [...rows.slice(at), ...more]
    at = 0
  }
  const step = (value: string): number | undefined => {
    fill()
    for (let ahead = at; ahead < Math.min(at + AHEAD, rows.length); ahead += 1) {
      const row = rows[ahead]
      if (row?.value !== value) continue
      at = ahead + 1
      return row.link_id
    }
    return undefined
  }
  const lookUp = (value: string): number | undefined => {
    const found = byValue.get(pipeline, value)
    if (found === undefined) return undefined
    streak = found === lastHit + 1 ? streak + 1 : 0
    lastHit = found
    if (streak >= STREAK) goTo(found)
    return found
  }
  return { match: (values) => values.map((value) => step(value) ?? lookUp(value)) }
}

export function createFingerprints(db: Connection): Fingerprints {
  const queries = prepareQueries(db)
  const upsert = db.prepare(
    'INSERT INTO fingerprint VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  return {
    walk: (pipeline) => startWalk(pipeline, queries),
    put(pipeline, linkId, value) {
      upsert.run(pipeline, linkId, value)
    },
  }
}
