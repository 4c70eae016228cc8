// Runs and their counts, and what a pipeline still has before it.
import { NO_BACKLOG } from '../../core/outcome/backlog.ts'
import { RETRIED } from '../../core/change/states.ts'
import type { ErrorCode } from '../../core/words/errors.ts'
import type { NotSent } from '../../core/change/plan/left-out.ts'
import type { RunState } from '../../core/run-state.ts'
import type { RunRecord, StateLists } from '../../core/state.ts'
import type { Milestones } from '../../core/log/milestones.ts'
import { DAY_MS } from '../../core/words/duration.ts'
import { noCounts, type Counts, type RunStatus } from '../../core/outcome/summary.ts'
import type { Connection } from '../file/database.ts'
import { linkCount } from '../file/link-count.ts'
import { isOpenAs } from '../file/state-sets.ts'

export interface RunRow {
  id: string
  pipeline: string
  started_at: number
  ended_at: number | null
  status: RunStatus | null
  counts: string | null
  error: string | null
  code: ErrorCode | null
  drift: number
  refused: number
}

// Each count is one walk along an index, however much is open: what is still being read is taken off the rejects.
const BACKLOG = `
SELECT ${linkCount('@pipeline')} AS linked,
       (SELECT count(*) FROM reject WHERE pipeline = @pipeline)
       - (SELECT count(*) FROM reject WHERE input_id IN (SELECT id FROM input WHERE pipeline = @pipeline
          AND state IN ('reading', 'planned') AND state = 'reading')) AS rejects,
       (SELECT count(*) FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND state = 'held')
       + (SELECT count(*) FROM brake_ask WHERE pipeline = @pipeline AND state = 'waiting'
          AND term IN (SELECT term FROM brake WHERE phase <> 'none')) AS held,
       (SELECT count(*) FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND state = 'in_doubt') AS inDoubt,
       (SELECT count(*) FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND state = 'sending') AS onItsWay,
       (SELECT count(*) FROM operation WHERE pipeline = @pipeline AND state = 'planned')
       + (SELECT count(*) FROM operation WHERE pipeline = @pipeline AND ${isOpenAs(RETRIED)}) AS retriable`

/** As the row has them: what was not sent stands beside the counts. Those of an older version may lack what is counted now. */
function ended(text: string | null): Pick<RunRecord, 'counts' | 'notSent'> {
  if (text === null) return { counts: undefined, notSent: undefined }
  const { not_sent: notSent, ...counts } = JSON.parse(text) as Partial<Counts> & { not_sent?: NotSent }
  return { counts: { ...noCounts(), ...counts }, notSent }
}

export const runRecord = (row: RunRow): RunRecord => ({
  id: row.id,
  pipeline: row.pipeline,
  startedAt: row.started_at,
  endedAt: row.ended_at ?? undefined,
  status: row.status ?? undefined,
  ...ended(row.counts),
  error: row.error ?? undefined,
  code: row.code ?? undefined,
  drift: row.drift,
  refused: row.refused,
})

/**
 * The one that began last, not the one with the latest time: the clock may have been ahead when an earlier one began. Among so
 * many with the latest times, since a pipeline may have had a run in each minute of a year.
 */
const latestOf = (which: string, time: 'started_at' | 'ended_at'): string =>
  `SELECT max(rowid) FROM (SELECT rowid FROM run WHERE ${which} ORDER BY ${time} DESC LIMIT 1000) AS latest`

export const lastRun = (pipeline: string): string => latestOf(`pipeline = ${pipeline}`, 'started_at')

/** Of those that began no later than that. */
export const lastRunBy = (pipeline: string, notAfter: string): string =>
  latestOf(`pipeline = ${pipeline} AND started_at <= ${notAfter}`, 'started_at')

export const lastRunWithFiles = (pipeline: string): string =>
  latestOf(`pipeline = ${pipeline} AND files > 0`, 'started_at')

/** One that operators stopped counts as held, with a code. */
export const lastGoodRun = (pipeline: string): string =>
  latestOf(
    `pipeline = ${pipeline} AND status IN ('ok', 'partial', 'held') AND (status <> 'held' OR code IS NULL)`,
    'ended_at',
  )

const lastEnded = (pipeline: string, count: 'refused' | 'drift'): string =>
  latestOf(`pipeline = ${pipeline} AND ${count} > 0 AND ended_at IS NOT NULL`, 'started_at')

const LAST_FILE = `
SELECT started_at AS at, CAST(coalesce(counts ->> '$.read', '0') AS BIGINT) AS read, CAST(coalesce(counts ->> '$.rejected', '0') AS BIGINT) AS rejected
FROM run WHERE rowid = (${lastRunWithFiles('?')})`

const LAST_REFUSED = `
SELECT ended_at AS at, id AS runId, refused AS files, refused_file AS file, refused_code AS code
FROM run WHERE rowid = (${lastEnded('?', 'refused')})`

const SAME_REFUSED =
  'refused > 0 AND refused_file IS NOT DISTINCT FROM @file AND refused_code IS NOT DISTINCT FROM @code'

const OF_DAY =
  'pipeline = @pipeline AND started_at >= @day AND ended_at IS NOT NULL AND rowid <= (SELECT rowid FROM run WHERE id = @runId)'

const FIRST_REFUSED = `
SELECT min(ended_at) FROM run WHERE ${OF_DAY} AND ${SAME_REFUSED}
  AND rowid > coalesce((SELECT max(rowid) FROM run WHERE ${OF_DAY} AND NOT (${SAME_REFUSED})), 0)`

const LAST_DRIFT = `
SELECT ended_at AS at, id AS runId, drift AS times
FROM run WHERE rowid = (${lastEnded('?', 'drift')})`

function createMilestones(db: Connection): StateLists['milestones'] {
  const firstRun = db
    .prepare<[string], number | null>('SELECT min(started_at) FROM run WHERE pipeline = ?')
    .pluck()
  const success = db
    .prepare<[string], number>(`SELECT ended_at FROM run WHERE rowid = (${lastGoodRun('?')})`)
    .pluck()
  const file = db.prepare<[string], NonNullable<Milestones['lastFile']>>(LAST_FILE)
  const refused = db.prepare<[string], Omit<NonNullable<Milestones['lastRefused']>, 'firstAt'>>(LAST_REFUSED)
  const first = db.prepare<[object], number | null>(FIRST_REFUSED).pluck()
  const lastRefused = (pipeline: string): Milestones['lastRefused'] => {
    const last = refused.get(pipeline)
    if (last === undefined) return undefined
    const { at, runId, file, code } = last
    return { ...last, firstAt: first.get({ pipeline, day: at - (at % DAY_MS), runId, file, code }) ?? at }
  }
  const drift = db.prepare<[string], NonNullable<Milestones['lastDrift']>>(LAST_DRIFT)
  return async (pipeline) => ({
    firstRunAt: firstRun.get(pipeline) ?? undefined,
    lastSuccessAt: success.get(pipeline),
    lastFile: file.get(pipeline),
    lastRefused: lastRefused(pipeline),
    lastDrift: drift.get(pipeline),
  })
}

type Runs = Pick<RunState, 'beginRun' | 'endRun'> &
  Pick<StateLists, 'lastRun' | 'run' | 'highestContactBefore' | 'milestones' | 'backlog'>

export function createRunStore(db: Connection): Runs {
  const begin = db.prepare(
    `INSERT INTO run (id, pipeline, started_at, config_hash, highest_contact)
     SELECT @id, @pipeline, @startedAt, @configHash, max(coalesce((SELECT max(contact_id) FROM link), 0),
       coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'highest_contact'), 0))`,
  )
  const count = db.prepare("UPDATE meta SET value = CAST(value AS BIGINT) + 1 WHERE name = 'runs'")
  const end = db.prepare(
    'UPDATE run SET ended_at = ?, status = ?, counts = ?, error = ?, code = ?, drift = ?, files = ?, refused = ?, refused_file = ?, refused_code = ? WHERE id = ?',
  )
  const figure = db.prepare('INSERT OR REPLACE INTO run_figure VALUES (?, ?, ?)')
  const requests = db.prepare<[string], number>('SELECT requests FROM run_figure WHERE run_id = ?').pluck()
  const last = db.prepare<[string], RunRow>(`SELECT * FROM run WHERE rowid = (${lastRun('?')})`)
  const highest = db
    .prepare<[string], number>('SELECT coalesce(highest_contact, 0) FROM run WHERE id = ?')
    .pluck()
  const byId = db.prepare<[string], RunRow>('SELECT * FROM run WHERE id = ?')
  const backlog = db.prepare<[{ pipeline: string }], Awaited<ReturnType<StateLists['backlog']>>>(BACKLOG)
  return {
    async beginRun(run) {
      db.transaction(() => {
        begin.run(run)
        count.run()
      })()
    },
    async endRun(runId, { figures, ...ended }) {
      const { endedAt, status, counts, notSent, error, code, drift, files, refused, refusedFile } = ended
      db.transaction(() => {
        end.run(
          endedAt,
          status,
          JSON.stringify({ ...counts, not_sent: notSent }),
          error ?? null,
          code ?? null,
          drift,
          files,
          refused,
          refusedFile?.file ?? null,
          refusedFile?.code ?? null,
          runId,
        )
        if (figures !== undefined) figure.run(runId, figures.requests, figures.fileMs ?? null)
      })()
    },
    milestones: createMilestones(db),
    async lastRun(pipeline) {
      const row = last.get(pipeline)
      return row && runRecord(row)
    },
    highestContactBefore: async (runId) => highest.get(runId) ?? 0,
    async run(id) {
      const row = byId.get(id)
      return row && { ...runRecord(row), requests: requests.get(id) }
    },
    async backlog(pipeline) {
      return backlog.get({ pipeline }) ?? NO_BACKLOG
    },
  }
}
