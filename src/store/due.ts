// What has been due and had its run, so that a restart neither runs it again nor forgets what was missed.
import type { DueDone, DueStore } from '../core/outcome/daemon.ts'
import type { Connection } from './file/database.ts'

export function createDueStore(db: Connection): DueStore {
  const all = db.prepare<[], DueDone>(
    'SELECT pipeline, schedule, done_up_to AS doneUpTo FROM due ORDER BY pipeline',
  )
  const remember = db.prepare(
    'INSERT OR REPLACE INTO due (pipeline, schedule, done_up_to) VALUES (@pipeline, @schedule, @doneUpTo)',
  )
  return {
    dueDone: async () => all.all(),
    async rememberDue(done) {
      remember.run(done)
    },
  }
}
