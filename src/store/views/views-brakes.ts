// Terms of a brake as the console shows them: how each decision stands, and the records that wait for one, by keyset.
import { presentNames, termKey } from '../../core/mapping/terms.ts'
import type { Operation } from '../../core/change/operation.ts'
import type { BrakeView, OpenFilter, Page, PageRequest, StateViews } from '../../core/views.ts'
import type { Connection } from '../file/connection.ts'
import { heldAsk, HELD_ASKS, type HeldAskRow } from '../journal/brakes.ts'
import { createTermNameStore } from '../term-names.ts'
import { pageOf, rowNumber } from './views-page.ts'

/** Asked of each pipeline by its index. */
const HELD_PAGE = `${HELD_ASKS} AND brake_ask.pipeline = @pipeline AND brake_ask.id > @after AND (@run IS NULL OR brake.run_id = @run)
ORDER BY brake_ask.id LIMIT @limit`

/** A page of the terms that records wait for. They are neither kept by another guard nor a change of another kind. */
export function createHeldAskList(
  db: Connection,
): (filter: Omit<OpenFilter, 'states' | 'guard'>, page: PageRequest) => Page<Operation> {
  const list = db.prepare<[Record<string, unknown>], HeldAskRow>(HELD_PAGE)
  return ({ pipelines, runId, kind = 'terms' }, { from, limit }) => {
    if (kind !== 'terms') return { rows: [], next: undefined }
    const asked = { after: rowNumber(from) ?? 0, run: runId ?? null, limit: limit + 1 }
    const rows = pipelines.flatMap((pipeline) => list.all({ ...asked, pipeline }))
    rows.sort((left, right) => left.id - right.id)
    const { rows: shown, next } = pageOf(rows, limit, ({ id }) => String(id))
    return { rows: shown.map(heldAsk), next }
  }
}

interface BrakeRow {
  phase: BrakeView['phase']
  run_id: string
  figures: string | null
  name: string | null
}

interface FirstRow {
  drawn: number
  given: number
  since: number | null
}

export function createBrakeViews(db: Connection): Pick<StateViews, 'brakes'> {
  const { termAliases } = createTermNameStore(db)
  const one = db.prepare<[string], BrakeRow>(`
    SELECT phase, run_id, figures, (SELECT name FROM brake_ask WHERE brake_ask.term = brake.term LIMIT 1) AS name
    FROM brake WHERE term = ?`)
  const standing = db
    .prepare<[], string>("SELECT term FROM brake WHERE phase <> 'none' ORDER BY term")
    .pluck()
  const given = db
    .prepare<[{ term: string; since: number }], number>(
      `
    SELECT coalesce(sum(number), 0) FROM brake_grant WHERE term = @term
      AND at > max(@since, coalesce((SELECT counted_from FROM brake WHERE term = @term), 0))`,
    )
    .pluck()
  const firsts = db.prepare<[string], FirstRow>(
    'SELECT count(*) AS drawn, count(given_at) AS given, max(given_at) AS since FROM brake_ask WHERE term = ? AND first = 1',
  )
  const waiting = db.prepare<[string], BrakeView['waiting'][number]>(
    "SELECT pipeline, count(*) AS asks FROM brake_ask WHERE term = ? AND state = 'waiting' GROUP BY pipeline ORDER BY pipeline",
  )
  const view = (term: string, since: number, spelt?: string): BrakeView => {
    const row = one.get(term)
    const { drawn, given: got, since: last } = firsts.get(term) ?? { drawn: 0, given: 0, since: null }
    const isStopped = row !== undefined && row.phase !== 'none'
    return {
      name: spelt ?? row?.name ?? term,
      phase: row?.phase ?? 'none',
      given: given.get({ term, since }) ?? 0,
      first: { drawn, given: got, since: got < drawn ? undefined : (last ?? undefined) },
      runId: isStopped ? row.run_id : undefined,
      figures: row?.figures ?? undefined,
      waiting: isStopped ? waiting.all(term) : [],
    }
  }
  return {
    async brakes(terms) {
      const aliases = await termAliases()
      const present = terms.map(({ name, since }) => ({
        name: presentNames([name], aliases)[0] ?? name,
        since,
      }))
      const named = new Set(present.map(({ name }) => termKey(name)))
      const others = standing.all().filter((term) => !named.has(term))
      return [
        ...present.map(({ name, since }) => view(termKey(name), since, name)),
        ...others.map((term) => view(term, 0)),
      ]
    },
  }
}
