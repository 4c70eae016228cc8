// Finds the links of records that are settled in just the form in which they stand in the input.
// A file that comes again mostly holds its records in the old order: so the links are walked in the order in which they
// were made. Where that guess fails for many, all of them are read, to find each wherever it is; a record that is not found
// is mapped and compared, with the same result. Blank fingerprints, which earlier versions kept, have no place among values
// of one length.
import { FINGERPRINT_LENGTH } from '../../../core/change/fingerprint.ts'
import type { Connection } from '../../file/database.ts'
import { createFingerprintList, type FingerprintList } from './fingerprint-list.ts'

/** One walk through a pipeline's links, for one input. */
export interface FingerprintWalk {
  match(values: readonly string[]): (number | undefined)[]
}

export interface WalkOptions {
  /** Links that need no look: their records were passed over. */
  isPassed(link: number): boolean
  /** Whether every fingerprint that is there must be found, whatever it costs. */
  readonly findsAll: boolean
}

export interface Fingerprints {
  walk(pipeline: string, options: WalkOptions): FingerprintWalk
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
/** After so many finds in the list that are consecutive links, the walk continues from there. */
const STREAK = 4
/** To map a record that may be settled costs as much as reading so many fingerprints. */
const AS_MUCH_AS_MAPPING = 75
/** No pipeline has as many. */
const ALL = 2 ** 31 - 2

type Queries = ReturnType<typeof prepareQueries>

const ROWS = `SELECT link_id, value FROM fingerprint WHERE pipeline = ? AND link_id > ? AND value <> '' ORDER BY link_id LIMIT ${PAGE}`
const NEXT_PAGE = `
SELECT count(*) AS count, string_agg(value, '') AS text, min(link_id) AS first, max(link_id) AS last FROM (${ROWS}) AS page`
const COUNT_UP_TO = 'SELECT count(*) FROM (SELECT 1 FROM fingerprint WHERE pipeline = ? LIMIT ?) AS counted'

function prepareQueries(db: Connection) {
  return {
    page: db.prepare<[string, number], Page>(NEXT_PAGE),
    ids: db.prepare<[string, number], number>(`SELECT link_id FROM (${ROWS}) AS page`).pluck(),
    countUpTo: db.prepare<[string, number], number>(COUNT_UP_TO).pluck(),
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
    text,
    linkAt: (place: number): number => ids?.[place] ?? (page.first ?? 0) + place,
    placeOfLink(linkId: number): number | undefined {
      if (page.first === null || page.last === null || linkId < page.first || linkId > page.last)
        return undefined
      return ids === undefined ? linkId - page.first : ids.indexOf(linkId)
    },
    is: (value: string, place: number): boolean => text.startsWith(value, place * FINGERPRINT_LENGTH),
    placeOf(value: string): number | undefined {
      for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
        if (at % FINGERPRINT_LENGTH === 0) return at / FINGERPRINT_LENGTH
      return undefined
    },
  }
}

type PageReader = ReturnType<typeof pageReader>

const NO_PAGE: Page = { count: 0, text: null, first: null, last: null }

/** Gives the page behind a link. The last two stay: near the end of one, the walk looks into the next. */
function createReadPage(pipeline: string, { page, ids }: Queries): (after: number) => PageReader {
  const kept = new Map<number, PageReader>()
  return (after) => {
    const found =
      kept.get(after) ?? pageReader(page.get(pipeline, after) ?? NO_PAGE, () => ids.all(pipeline, after))
    kept.delete(after)
    kept.set(after, found)
    for (const [oldest] of kept) if (kept.size > 2) kept.delete(oldest)
    return found
  }
}

/** All fingerprints, once reading them costs less than mapping as many records more as were not found so far. */
function createLateList(
  pipeline: string,
  { countUpTo }: Queries,
  { read, findsAll }: { read: (after: number) => PageReader; findsAll: boolean },
) {
  let list: FingerprintList | undefined
  let missed = 0
  let nextCheck = 1
  const fill = (count: number): FingerprintList => {
    const made = createFingerprintList(count)
    for (let page = read(0); page.last !== null; page = read(page.last)) made.add(page.text, page.linkAt)
    return made
  }
  const isWorthIt = (most: number): number | undefined => {
    const count = countUpTo.get(pipeline, most + 1) ?? 0
    return count <= most ? count : undefined
  }
  return {
    isRead: () => list !== undefined,
    linkOf(value: string): number | undefined {
      missed += 1
      if (list === undefined && missed >= nextCheck) {
        nextCheck = 2 * missed
        const count = isWorthIt(findsAll ? ALL : missed * AS_MUCH_AS_MAPPING)
        if (count !== undefined) list = fill(count)
      }
      return list?.linkOf(value)
    },
  }
}

function startWalk(pipeline: string, queries: Queries, { isPassed, findsAll }: WalkOptions): FingerprintWalk {
  const read = createReadPage(pipeline, queries)
  const list = createLateList(pipeline, queries, { read, findsAll })
  let current = read(0)
  let at = 0
  let streak = 0
  let lastHit = 0

  const foundAt = (page: PageReader, place: number): number => {
    current = page
    at = place + 1
    return page.linkAt(place)
  }
  /** The last of the links behind this one that were passed over without a gap. */
  const behindPassed = (link: number): number => {
    let last = link
    while (isPassed(last + 1)) last += 1
    return last
  }
  const step = (value: string): number | undefined => {
    let [page, place, tried] = [current, at, 0]
    while (tried < AHEAD) {
      if (place >= page.count) {
        if (page.last === null) return undefined
        page = read(behindPassed(page.last))
        place = 0
      } else if (isPassed(page.linkAt(place))) place += 1
      else if (page.is(value, place)) return foundAt(page, place)
      else {
        place += 1
        tried += 1
      }
    }
    return undefined
  }
  /** Bulk answers that overtook each other swap whole blocks: the walk continues in the same page. */
  const inPage = (value: string): number | undefined => {
    // To search a page takes longer than to ask the list.
    const place = list.isRead() ? undefined : current.placeOf(value)
    return place === undefined ? undefined : foundAt(current, place)
  }
  const lookUp = (value: string): number | undefined => {
    const found = list.linkOf(value)
    if (found === undefined) return undefined
    const place = current.placeOfLink(found)
    if (place !== undefined) return foundAt(current, place)
    streak = found === lastHit + 1 ? streak + 1 : 0
    lastHit = found
    if (streak >= STREAK) foundAt(read(found - 1), 0)
    return found
  }
  return {
    match(values) {
      // Nothing is settled before the first push has ended.
      if (current.count === 0) return values.map(() => undefined)
      return values.map((value) =>
        value === '' ? undefined : (step(value) ?? inPage(value) ?? lookUp(value)),
      )
    },
  }
}

export function createFingerprints(db: Connection): Fingerprints {
  const queries = prepareQueries(db)
  const upsert = db.prepare(
    'INSERT INTO fingerprint VALUES (?, ?, ?) ON CONFLICT (pipeline, link_id) DO UPDATE SET value = excluded.value',
  )
  return {
    walk: (pipeline, options) => startWalk(pipeline, queries, options),
    put(pipeline, linkId, value) {
      upsert.run(pipeline, linkId, value)
    },
  }
}
