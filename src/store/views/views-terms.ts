// The ledger of terms over all links: how many records assert each, and how often it was ours to give. The ledger is a
// column of the link, so counting reads them all: in slices, so that other requests need not wait.
import type { TermsView, TermView } from '../../core/views.ts'
import { termKey } from '../../core/mapping/terms.ts'
import type { Connection } from '../file/database.ts'
import { nextTurn } from '../next-turn.ts'
import { parseAssertions } from '../journal/rows.ts'

/** Links read at a time: some milliseconds. */
const SLICE = 5000

interface Row {
  id: number
  pipeline: string
  terms: string | null
}

interface Count {
  readonly name: string
  records: number
  ours: number
  readonly pipelines: Set<string>
}

function count(counts: Map<string, Count>, { pipeline, terms }: Row): void {
  for (const { name, ours } of parseAssertions(terms) ?? []) {
    const key = termKey(name)
    const known = counts.get(key) ?? { name, records: 0, ours: 0, pipelines: new Set<string>() }
    known.records += 1
    if (ours) known.ours += 1
    known.pipelines.add(pipeline)
    counts.set(key, known)
  }
}

const termViews = (counts: ReadonlyMap<string, Count>): TermView[] =>
  [...counts.values()]
    .map(({ pipelines, ...rest }) => ({ ...rest, pipelines: [...pipelines].sort() }))
    .sort((left, right) => right.records - left.records || (left.name < right.name ? -1 : 1))

/** A count stays good for so long. */
const FRESH_MS = 60_000
/** A page waits no longer for a count; it shows the one before, or that one is being made. */
const PATIENCE_MS = 150

/** One count at a time; the last result is returned while the next one is computed. `now`: milliseconds since the epoch. */
export function createTermCount(db: Connection, now: () => number): () => Promise<TermsView> {
  const slice = db.prepare<[number], Row>(
    `SELECT id, pipeline, terms FROM link WHERE id > ? ORDER BY id LIMIT ${SLICE}`,
  )
  let latest: TermsView = { terms: [], countedAt: undefined, records: 0 }
  let counting: Promise<void> | undefined
  const countAll = async (): Promise<void> => {
    const counts = new Map<string, Count>()
    let records = 0
    for (let last = 0; ;) {
      const rows = slice.all(last)
      for (const row of rows) count(counts, row)
      records += rows.length
      if (rows.length < SLICE) break
      last = rows.at(-1)?.id ?? last
      await nextTurn()
    }
    latest = { terms: termViews(counts), countedAt: now(), records }
  }
  return async () => {
    const { countedAt } = latest
    // Clocks go back.
    if (countedAt !== undefined && Math.abs(now() - countedAt) < FRESH_MS) return latest
    counting ??= countAll().finally(() => (counting = undefined))
    const patience = AbortSignal.timeout(PATIENCE_MS)
    await Promise.race([counting, new Promise((resolve) => patience.addEventListener('abort', resolve))])
    return latest
  }
}
