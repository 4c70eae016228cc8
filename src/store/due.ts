// What has been due and had its run, so that a restart neither runs it again nor forgets what was missed.
import type { DueDone, DueStore } from '../core/outcome/daemon.ts'
import type { Connection } from './file/database.ts'

/** looked_at 0: since its release. */
const LEFT_BY_DECISIONS = `
SELECT count(*) || ' ' || sum(id) FROM (
  SELECT id FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND state = 'held' AND released = 1
  UNION ALL SELECT id FROM correction WHERE pipeline = @pipeline AND ended_at IS NULL AND pending = 1
  UNION ALL SELECT id FROM hand_edit WHERE pipeline = @pipeline AND looked_at = 0
  UNION ALL SELECT id FROM brake_ask WHERE pipeline = @pipeline AND state = 'granted' AND given_at IS NULL
) AS waiting`

export function createDueStore(db: Connection): DueStore {
  const all = db.prepare<[], DueDone>(
    'SELECT pipeline, schedule, done_up_to AS doneUpTo FROM due ORDER BY pipeline',
  )
  const remember = db.prepare(
    'INSERT OR REPLACE INTO due (pipeline, schedule, done_up_to) VALUES (@pipeline, @schedule, @doneUpTo)',
  )
  const left = db.prepare<[{ pipeline: string }], string | null>(LEFT_BY_DECISIONS).pluck()
  return {
    leftByDecisions: async (pipeline) => left.get({ pipeline }) ?? '',
    dueDone: async () => all.all(),
    async rememberDue(done) {
      remember.run(done)
    },
  }
}
