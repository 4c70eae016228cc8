// Runs, days and pipelines as people look at them: read-only, by keyset, each query served by an index.
import { type HandEditStore, isToBeReleased } from '../../core/change/others/hand-edits.ts'
import type { RunRecord, StateLists } from '../../core/state.ts'
import { noCounts, OUTCOMES, type Counts } from '../../core/outcome/summary.ts'
import type {
  DayView,
  InputView,
  ListedRun,
  Page,
  PageRequest,
  RunFilter,
  RunView,
  StateViews,
} from '../../core/views.ts'
import { DAY_MS } from '../../core/words/duration.ts'
import type { Connection } from '../file/database.ts'
import { createRunStore, runRecord, type RunRow } from '../journal/runs.ts'
import { pageOf, rowNumber } from './views-page.ts'

interface Row extends RunRow {
  config_hash: string
}

const COUNTED = ['read', ...OUTCOMES, 'deleted', 'held_deletes', 'terms_created'] as const

/** Days are numbered from the epoch, which every database can. */
const DAYS = `
SELECT started_at / ${DAY_MS} AS day, count(*) AS runs,
       ${COUNTED.map((name) => `sum(CAST(coalesce(counts ->> '$.${name}', '0') AS BIGINT)) AS ${name}`).join(', ')},
       sum(coalesce(run_figure.requests, 0)) AS requests, max(file_ms) AS fileMs
FROM run LEFT JOIN run_figure ON run_id = run.id WHERE started_at >= ? GROUP BY day ORDER BY day`

/** Runs are identified by start and id: several may start in one millisecond. */
const cursorOf = ({ startedAt, id }: RunRecord): string => `${startedAt}.${id}`

function cursor(from: string | undefined): { at: number; id: string } {
  const [, at, id] = /^(\d{1,15})\.([0-9a-z-]{1,64})$/.exec(from ?? '') ?? []
  return { at: at === undefined ? Number.MAX_SAFE_INTEGER : Number(at), id: id ?? '' }
}

/** The input of an undo is not a file: it is named after the run that it reverts. */
function createUndone(db: Connection): (run: string) => string | undefined {
  const undone = db
    .prepare<[string], string>(
      "SELECT name FROM input WHERE run_id = ? AND name LIKE 'undo of %' AND version LIKE 'undo %' LIMIT 1",
    )
    .pluck()
  return (run) => undone.get(run)?.slice('undo of '.length)
}

function createRunList(db: Connection) {
  const undone = createUndone(db)
  const list = (index: string, where: string) =>
    db.prepare<[Record<string, unknown>], RunRow>(
      `SELECT * FROM run INDEXED BY ${index} WHERE ${where} AND (started_at, id) < (@at, @id)
       AND (@status IS NULL OR coalesce(status, 'unfinished') = @status) ORDER BY started_at DESC, id DESC LIMIT @limit`,
    )
  const all = list('run_by_start', 'TRUE')
  const ofPipeline = list('run_by_pipeline', 'pipeline = @pipeline')
  return ({ pipeline, status }: RunFilter, page: PageRequest): Page<ListedRun> => {
    const asked = { ...cursor(page.from), limit: page.limit + 1, status: status ?? null }
    const rows = pipeline === undefined ? all.all(asked) : ofPipeline.all({ ...asked, pipeline })
    const listed = rows.map((row) => ({ ...runRecord(row), undoes: undone(row.id) }))
    return pageOf(listed, page.limit, cursorOf)
  }
}

interface InputRow extends Omit<InputView, 'sha256'> {
  id: number
  sha256: string | null
}

const inputView = ({ name, bytes, sha256, state, rejects }: InputRow): InputView => ({
  ...{ name, bytes, state, rejects },
  sha256: sha256 ?? undefined,
})

const INPUTS = `
SELECT id, name, bytes, sha256, state, (SELECT count(*) FROM reject WHERE reject.input_id = input.id) AS rejects
FROM input WHERE run_id = @run AND id > @after ORDER BY id LIMIT @limit`

function createInputList(db: Connection): (runId: string, page: PageRequest) => Page<InputView> {
  const list = db.prepare<[{ run: string; after: number; limit: number }], InputRow>(INPUTS)
  return (run, { from, limit }) => {
    const found = list.all({ run, after: rowNumber(from) ?? 0, limit: limit + 1 })
    const { rows, next } = pageOf(found, limit, ({ id }) => String(id))
    return { rows: rows.map(inputView), next }
  }
}

function createRun(db: Connection): (id: string) => RunView | undefined {
  const undone = createUndone(db)
  const one = db.prepare<[string], Row>('SELECT * FROM run WHERE id = ?')
  const open = db.prepare<[{ run: string; pipeline: string }], { state: string; number: number }>(
    `SELECT state, count(*) AS number FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND run_id = @run
     GROUP BY state`,
  )
  const planned = db
    .prepare<[string], number>("SELECT count(*) FROM operation WHERE run_id = ? AND state = 'planned'")
    .pluck()
  return (id) => {
    const row = one.get(id)
    if (row === undefined) return undefined
    const left = open.all({ run: id, pipeline: row.pipeline }).map(({ state, number }) => [state, number])
    const waiting = planned.get(id) ?? 0
    return {
      ...runRecord(row),
      undoes: undone(id),
      configHash: row.config_hash,
      open: Object.fromEntries(waiting === 0 ? left : [...left, ['planned', waiting]]) as RunView['open'],
    }
  }
}

interface DayRow extends Partial<Counts> {
  day: number
  runs: number
  requests: number
  fileMs: number | null
}

const dayView = ({ day, runs, requests, fileMs, ...sums }: DayRow): DayView => ({
  day: new Date(day * DAY_MS).toISOString().slice(0, 10),
  runs,
  counts: { ...noCounts(), ...sums },
  requests,
  fileMs: fileMs ?? undefined,
})

type RunViews = Pick<StateViews, 'pipelines' | 'days' | 'runs' | 'run' | 'inputs'>

/** What waits beside the backlog. */
type Waiting = Pick<StateLists, 'released'> & Pick<HandEditStore, 'openEdits'>

export function createRunViews(db: Connection, { released, openEdits }: Waiting): RunViews {
  const store = createRunStore(db)
  const days = db.prepare<[number], DayRow>(DAYS)
  const runs = createRunList(db)
  const run = createRun(db)
  const inputs = createInputList(db)
  return {
    pipelines: (names) =>
      Promise.all(
        names.map(async (pipeline) => ({
          pipeline,
          lastRun: await store.lastRun(pipeline),
          backlog: await store.backlog(pipeline),
          released: await released(pipeline),
          editsToRelease: (await openEdits([pipeline])).filter(isToBeReleased).length,
        })),
      ),
    days: async (since) => days.all(since).map(dayView),
    runs: async (filter, page) => runs(filter, page),
    run: async (id) => run(id),
    inputs: async (runId, page) => inputs(runId, page),
  }
}
