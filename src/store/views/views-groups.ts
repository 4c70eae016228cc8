// How many open changes there are of each kind, and how many rejects of each code, by pipeline. Bounded: of a state with millions
// of them the first ones are counted.
import type { GroupView, StateViews } from '../../core/views.ts'
import type { Connection } from '../file/connection.ts'

/** Of a pipeline; to count so many takes some milliseconds. */
const MOST_COUNTED = 50_000

interface Row {
  kind: string
  count: number
}

/** With the terms that records wait for: they are held, and stand in no journal. */
const OPEN = `
SELECT kind, count(*) AS count FROM (SELECT kind FROM operation WHERE pipeline = @pipeline AND state <> 'planned'
    AND state IN (SELECT value FROM json_each(@states))
  UNION ALL SELECT 'terms' FROM brake_ask JOIN brake ON brake.term = brake_ask.term AND phase <> 'none'
    WHERE pipeline = @pipeline AND brake_ask.state = 'waiting' AND 'held' IN (SELECT value FROM json_each(@states))
  LIMIT @most) AS counted GROUP BY kind ORDER BY kind`

const REJECTS = `
SELECT code AS kind, count(*) AS count FROM (SELECT code FROM reject INDEXED BY reject_by_pipeline
WHERE pipeline = @pipeline LIMIT @most) AS counted GROUP BY code ORDER BY code`

function groupsOf(pipeline: string, rows: readonly Row[]): GroupView[] {
  const isMore = rows.reduce((sum, { count }) => sum + count, 0) >= MOST_COUNTED
  return rows.map((row) => ({ pipeline, ...row, isMore }))
}

export function createGroupViews(db: Connection): Pick<StateViews, 'openGroups' | 'rejectGroups'> {
  const open = db.prepare<[Record<string, unknown>], Row>(OPEN)
  const rejects = db.prepare<[Record<string, unknown>], Row>(REJECTS)
  const most = MOST_COUNTED
  return {
    async openGroups(states, pipelines) {
      const asked = { states: JSON.stringify(states), most }
      return pipelines.flatMap((pipeline) => groupsOf(pipeline, open.all({ ...asked, pipeline })))
    },
    rejectGroups: async (pipelines) =>
      pipelines.flatMap((pipeline) => groupsOf(pipeline, rejects.all({ pipeline, most }))),
  }
}
