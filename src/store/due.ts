// What has been due and had its run, so that a restart neither runs it again nor forgets what was missed.
import { NOT_DONE_REASON } from '../core/change/lookup/doubt.ts'
import type { DueDone, DueStore } from '../core/outcome/daemon.ts'
import type { Connection } from './file/database.ts'

/**
 * Of each kind by itself: ids of one kind mean nothing in another. What is sent whole makes room for greater ids, so the least
 * tells apart what sums do not; an edit takes the id of one that has ended, and `since` tells them apart. looked_at 0: since its release.
 */
const LEFT_BY_DECISIONS = `
SELECT kind || ' ' || count(*) || ' ' || min(mark) || ' ' || sum(mark) FROM (
  SELECT 'change' AS kind, id AS mark FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND state = 'held' AND released = 1
  UNION ALL SELECT 'doubt', id FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND state = 'failed' AND reason = '${NOT_DONE_REASON}'
  UNION ALL SELECT 'correction', id FROM correction WHERE pipeline = @pipeline AND ended_at IS NULL AND pending = 1
  UNION ALL SELECT 'edit', id + since FROM hand_edit WHERE pipeline = @pipeline AND looked_at = 0
  UNION ALL SELECT 'term', id FROM brake_ask WHERE pipeline = @pipeline AND state = 'granted' AND given_at IS NULL
) AS waiting GROUP BY kind ORDER BY kind`

export function createDueStore(db: Connection): DueStore {
  const all = db.prepare<[], DueDone>(
    'SELECT pipeline, schedule, done_up_to AS doneUpTo FROM due ORDER BY pipeline',
  )
  const remember = db.prepare(
    'INSERT OR REPLACE INTO due (pipeline, schedule, done_up_to) VALUES (@pipeline, @schedule, @doneUpTo)',
  )
  const left = db.prepare<[{ pipeline: string }], string>(LEFT_BY_DECISIONS).pluck()
  return {
    leftByDecisions: async (pipeline) => left.all({ pipeline }).join(', '),
    dueDone: async () => all.all(),
    async rememberDue(done) {
      remember.run(done)
    },
  }
}
