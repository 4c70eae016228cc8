// Removes what has been kept for long enough: rejects, and the rows of runs and of their inputs. Nothing that is open
// hangs in the air afterwards: a row goes only when nothing refers to it any more.
import type { RetentionStore } from '../core/retention.ts'
import { createExpireValues } from './log/audit-expire.ts'
import type { Connection } from './file/database.ts'
import { lastGoodRun, lastRun, lastRunBy, lastRunWithFiles } from './journal/runs.ts'

/** What the source says now is no history: the rejects of a pipeline's newest input stay, whatever their age. */
const NEWEST_INPUT = `(SELECT max(id) FROM input WHERE pipeline = @pipeline AND state IN ('processed', 'failed'))`

const OLD_REJECTS = `
DELETE FROM reject WHERE id IN (
  SELECT reject.id FROM reject JOIN input ON input.id = reject.input_id JOIN run ON run.id = input.run_id
  WHERE reject.pipeline = @pipeline AND input.state IN ('processed', 'failed') AND input.id <> ${NEWEST_INPUT}
    AND run.started_at < @before
  ORDER BY reject.id LIMIT @limit)`

const OLD_INPUTS = `
DELETE FROM input WHERE id IN (
  SELECT input.id FROM input JOIN run ON run.id = input.run_id
  WHERE input.pipeline = @pipeline AND input.state IN ('processed', 'failed') AND input.id <> ${NEWEST_INPUT}
    AND run.started_at < @before
    AND NOT EXISTS (SELECT 1 FROM reject WHERE reject.input_id = input.id)
    AND NOT EXISTS (SELECT 1 FROM operation WHERE operation.input_id = input.id)
    AND input.id NOT IN (SELECT input_id FROM hold)
  ORDER BY input.id LIMIT @limit)`

/** By which health and alerts reckon: the last run, the last that did not fail, the last that met a file. */
const LAST_RUNS = [lastRun, lastGoodRun, lastRunWithFiles]
  .map((last) => `SELECT id FROM run WHERE rowid = (${last('@pipeline')})`)
  .join(' UNION ALL ')

const OLD_RUNS = `
DELETE FROM run WHERE id IN (
  SELECT id FROM run WHERE pipeline = @pipeline AND started_at < @before AND id NOT IN (${LAST_RUNS})
    AND id NOT IN (SELECT run_id FROM input) AND id NOT IN (SELECT run_id FROM operation) AND id NOT IN (SELECT run_id FROM hold)
  ORDER BY started_at LIMIT @limit)`

interface Which {
  pipeline: string
  before: number
  limit: number
}

export function createRetentionStore(db: Connection): RetentionStore {
  const rejects = db.prepare<[Which]>(OLD_REJECTS)
  const inputs = db.prepare<[Which]>(OLD_INPUTS)
  const runs = db.prepare<[Which]>(OLD_RUNS)
  const begun = db
    .prepare<[string, number], number>(`SELECT started_at FROM run WHERE rowid = (${lastRunBy('?', '?')})`)
    .pluck()
  const expire = createExpireValues(db)
  return {
    lastBegun: async (pipeline, notAfter) => begun.get(pipeline, notAfter),
    expireValues: async (before, limit, about) => expire(before, limit, about),
    async removeOld(pipeline, before, limit) {
      const some = (statement: typeof rejects, time: number | undefined): number =>
        time === undefined ? 0 : statement.run({ pipeline, before: time, limit }).changes
      return db.transaction(() => {
        const removed = { rejects: some(rejects, before.rejects) }
        some(inputs, before.runs)
        return { ...removed, runs: some(runs, before.runs) }
      })()
    },
  }
}
