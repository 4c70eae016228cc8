// The sync log for the console: the same queries as those of the commands, and a check of its chain that
// runs in slices, so that other requests need not wait.
import { AUDIT_START } from '../../core/log/audit-chain.ts'
import type { LogViews, VerificationView } from '../../core/log/log-views.ts'
import type { CheckedTo, SyncLog } from '../../core/log/sync-log.ts'
import { createSyncLog } from './audit-read.ts'
import type { Connection } from '../file/connection.ts'
import { nextTurn } from '../next-turn.ts'
import { readMark } from '../file/mark.ts'

/** Entries checked between two questions of others. */
const SLICE = 500
/** An old entry could be changed after it was checked: everything is checked again. */
const ANEW_AFTER_MS = 86_400_000

const START: CheckedTo = { seq: 0, hash: AUDIT_START }

function markedEntries(path: string): number | undefined {
  const mark = readMark(path)
  return mark === undefined || mark === 'unreadable' ? undefined : mark.entries
}

function createVerification(log: SyncLog, path: string, now: () => number): LogViews['verification'] {
  let to = START
  let beganAt = now()
  let verifiedAt: number | undefined
  let bad: VerificationView['bad']
  let going: Promise<void> | undefined
  const follow = async (): Promise<void> => {
    // Clocks go back.
    if (verifiedAt !== undefined && Math.abs(now() - beganAt) > ANEW_AFTER_MS) {
      to = START
      beganAt = now()
    }
    for (;;) {
      const step = await log.checkLog(to, SLICE)
      to = step.to
      bad = step.bad
      if (step.done) break
      await nextTurn()
    }
    if (bad === undefined) verifiedAt = now()
  }
  return async () => {
    going ??= follow().finally(() => (going = undefined))
    // What takes no longer than a page may take is waited for.
    await Promise.race([going, nextTurn()])
    const { entries, hash } = await log.logHead()
    return { entries, head: hash, marked: markedEntries(path), verified: to.seq, verifiedAt, bad }
  }
}

/** `path`: of the state. `now`: milliseconds since the epoch. */
export function createLogViews(db: Connection, path: string, now: () => number): LogViews {
  const log = createSyncLog(db)
  const { logEntry, logPage, runTotals, people } = log
  return { logEntry, logPage, runTotals, people, verification: createVerification(log, path, now) }
}
