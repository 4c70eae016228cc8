// Finds the links of records that are settled in just the form in which they stand in the input.
// A file that comes again mostly holds its records in the old order: so the links are walked in the order
// in which they were made, and only where that guess fails is a record looked up. Blank ones, which earlier versions kept, have
// no place among values of one length.
import { FINGERPRINT_LENGTH } from '../../../core/change/fingerprint.ts'
import type { Connection } from '../../file/database.ts'

/** One walk through a pipeline's links, for one input. */
export interface FingerprintWalk {
  match(values: readonly string[]): (number | undefined)[]
}

export interface Fingerprints {
  walk(pipeline: string): FingerprintWalk
  put(pipeline: string, linkId: number, value: string): void
}

/** Consecutive fingerprints in one text, with their links: a row object for each would cost more than its use. */
interface Page {
  readonly count: number
  /** All values, one behind the other. */
  readonly text: string | null
  readonly first: number | null
  readonly last: number | null
}

const PAGE = 1000
/** How far the walk looks ahead: records that have gone or changed leave gaps of a few. */
const AHEAD = 4
/** After so many look-ups that hit consecutive links, the walk continues from there. */
const STREAK = 4

/** Where several in a row are not the next ones, so many are looked up together: where one is not, the next may not be either. */
const TOGETHER = 64

type Queries = ReturnType<typeof prepareQueries>

const ROWS = `SELECT link_id, value FROM fingerprint WHERE pipeline = ? AND link_id > ? AND value <> '' ORDER BY link_id LIMIT ${PAGE}`
const ANY = 'SELECT 1 FROM fingerprint WHERE pipeline = ? LIMIT 1'
const NEXT_PAGE = `
SELECT count(*) AS count, string_agg(value, '') AS text, min(link_id) AS first, max(link_id) AS last FROM (${ROWS}) AS page`

function prepareQueries(db: Connection) {
  return {
    page: db.prepare<[string, number], Page>(NEXT_PAGE),
    ids: db.prepare<[string, number], number>(`SELECT link_id FROM (${ROWS}) AS page`).pluck(),
    any: db.prepare<[string], number>(ANY).pluck(),
    byValue: db
      .prepare<[string, string], number>('SELECT link_id FROM fingerprint WHERE pipeline = ? AND value = ?')
      .pluck(),
  }
}

/** The fingerprints of one page, by their place in it. */
function pageReader(page: Page, allIds: () => number[]) {
  const text = page.text ?? ''
  // Links are mostly made one after the other: then their numbers need not be read.
  const ids = page.first === null || page.last === page.first + page.count - 1 ? undefined : allIds()
  return {
    count: page.count,
    last: page.last,
    linkAt: (place: number): number => ids?.[place] ?? (page.first ?? 0) + place,
    placeOfLink(linkId: number): number | undefined {
      if (page.first === null || page.last === null || linkId < page.first || linkId > page.last)
        return undefined
      return ids === undefined ? linkId - page.first : ids.indexOf(linkId)
    },
    placeOf(value: string, from: number): number | undefined {
      const end = Math.min(from + AHEAD, page.count)
      for (let place = from; place < end; place += 1)
        if (text.startsWith(value, place * FINGERPRINT_LENGTH)) return place
      return undefined
    },
  }
}

const NO_PAGE: Page = { count: 0, text: null, first: null, last: null }

function startWalk(pipeline: string, { page, ids, any, byValue }: Queries): FingerprintWalk {
  const read = (after: number) =>
    pageReader(page.get(pipeline, after) ?? NO_PAGE, () => ids.all(pipeline, after))
  let current = read(0)
  let at = 0
  let streak = 0
  let lastHit = 0

  const goTo = (linkId: number): void => {
    current = read(linkId)
    at = 0
  }
  const step = (value: string): number | undefined => {
    if (at >= current.count && current.last !== null) goTo(current.last)
    const place = current.placeOf(value, at)
    if (place === undefined) return undefined
    at = place + 1
    return current.linkAt(place)
  }
  const lookUp = (found: number | undefined): number | undefined => {
    if (found === undefined) return undefined
    // Bulk answers that overtook each other swap whole blocks: the walk continues in the same page.
    const place = current.placeOfLink(found)
    if (place !== undefined) {
      at = place + 1
      return found
    }
    streak = found === lastHit + 1 ? streak + 1 : 0
    lastHit = found
    if (streak >= STREAK) goTo(found)
    return found
  }
  return {
    match(values) {
      // Nothing is settled before the first push has ended.
      if (current.count === 0 && any.get(pipeline) === undefined) return values.map(() => undefined)
      const asked = new Map<number, () => number | undefined>()
      let together = 0
      const askFrom = (index: number): void => {
        together = Math.min(2 * together + 1, TOGETHER)
        for (const [place, value] of values.slice(index, index + together).entries())
          if (value !== '') asked.set(index + place, byValue.later(pipeline, value))
      }
      return values.map((value, index) => {
        if (value === '') return undefined
        const next = step(value)
        if (next !== undefined) {
          together = 0
          return next
        }
        if (!asked.has(index)) askFrom(index)
        return lookUp(asked.get(index)?.())
      })
    },
  }
}

export function createFingerprints(db: Connection): Fingerprints {
  const queries = prepareQueries(db)
  const upsert = db.prepare(
    'INSERT INTO fingerprint VALUES (?, ?, ?) ON CONFLICT (pipeline, link_id) DO UPDATE SET value = excluded.value',
  )
  return {
    walk: (pipeline) => startWalk(pipeline, queries),
    put(pipeline, linkId, value) {
      upsert.run(pipeline, linkId, value)
    },
  }
}
