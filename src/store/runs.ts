// Runs and their counts, and what a pipeline still has before it.
import type { RunRecord, RunStore } from '../core/state.ts'
import type { Counts, RunStatus } from '../core/summary.ts'
import type { Connection } from './database.ts'

interface RunRow {
  id: string
  pipeline: string
  started_at: number
  ended_at: number | null
  status: RunStatus | null
  counts: string | null
  error: string | null
}

const BACKLOG = `
SELECT (SELECT count(*) FROM link WHERE pipeline = @pipeline) AS linked,
       (SELECT count(*) FROM reject JOIN input ON input.id = reject.input_id
        WHERE reject.pipeline = @pipeline AND input.state <> 'reading') AS rejects,
       (SELECT count(*) FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND state = 'held') AS held,
       (SELECT count(*) FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND state IN ('in_doubt', 'sending')) AS inDoubt,
       (SELECT count(*) FROM operation WHERE pipeline = @pipeline AND state IN ('planned', 'failed', 'waiting')) AS retriable`

const runRecord = (row: RunRow): RunRecord => ({
  id: row.id,
  pipeline: row.pipeline,
  startedAt: row.started_at,
  endedAt: row.ended_at ?? undefined,
  status: row.status ?? undefined,
  counts: row.counts === null ? undefined : (JSON.parse(row.counts) as Counts),
  error: row.error ?? undefined,
})

export function createRunStore(db: Connection): RunStore {
  const begin = db.prepare(
    'INSERT INTO run (id, pipeline, started_at, config_hash) VALUES (@id, @pipeline, @startedAt, @configHash)',
  )
  const count = db.prepare("UPDATE meta SET value = value + 1 WHERE name = 'runs'")
  const end = db.prepare('UPDATE run SET ended_at = ?, status = ?, counts = ?, error = ? WHERE id = ?')
  const last = db.prepare<[string], RunRow>(
    'SELECT * FROM run WHERE pipeline = ? ORDER BY started_at DESC, rowid DESC LIMIT 1',
  )
  const byId = db.prepare<[string], RunRow>('SELECT * FROM run WHERE id = ?')
  const backlog = db.prepare<[{ pipeline: string }], Awaited<ReturnType<RunStore['backlog']>>>(BACKLOG)
  return {
    async beginRun(run) {
      db.transaction(() => {
        begin.run(run)
        count.run()
      })()
    },
    async endRun(runId, { endedAt, status, counts, error }) {
      end.run(endedAt, status, JSON.stringify(counts), error ?? null, runId)
    },
    async lastRun(pipeline) {
      const row = last.get(pipeline)
      return row && runRecord(row)
    },
    async run(id) {
      const row = byId.get(id)
      return row && runRecord(row)
    },
    async backlog(pipeline) {
      return backlog.get({ pipeline }) ?? { linked: 0, rejects: 0, held: 0, inDoubt: 0, retriable: 0 }
    },
  }
}
