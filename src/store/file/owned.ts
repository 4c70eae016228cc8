// What the one owner of the state does besides the journal: it keeps the mark, and the write-ahead log short.
import type { DecisionStore } from '../../core/decision.ts'
import type { RunState } from '../../core/run-state.ts'
import { type Connection, isFile } from './connection.ts'
import { followState } from './mark.ts'
import { keepsPlace } from './place.ts'

type Marked = Pick<RunState, 'markSending' | 'markAndSettle' | 'beginRun' | 'endRun'> &
  Pick<DecisionStore, 'beginDecision' | 'concludeDecision'>

/** Gives the space of the log back. A reader only puts it off. */
export function truncateLog(db: Connection): void {
  if (!isFile(db)) return
  // Not to be waited for: the event loop would stand still.
  db.pragma('busy_timeout = 0')
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.pragma('busy_timeout = 5000')
}

/**
 * The mark follows the state: before the first request of a run leaves, so that a run that is killed counts, at its end, and
 * with each decision: a copy from before a pause or an erasure is an older state, though nothing was sent since. `mayMark` is
 * false until it is decided what to do about a state that may be an older one.
 *
 * A decision whose end a full disk has kept out was refused, and stands in the state like one that a process was killed over. It
 * is withdrawn once the state can be written: the next start would take it otherwise, after all that was decided since.
 */
export function keepingMark(store: Marked, db: Connection, of: { path: string; mayMark(): boolean }): Marked {
  let isMarked = false
  const assertInPlace = isFile(db) ? keepsPlace(of.path) : () => undefined
  const mark = (): void => {
    assertInPlace()
    if (of.mayMark()) followState(db, of.path)
  }
  const markFirst = (): void => {
    if (!isMarked) mark()
    isMarked = true
  }
  const refused = new Set<number>()
  const withdraw = async (): Promise<void> => {
    for (const id of refused) {
      await store.concludeDecision(id, { at: 0 })
      refused.delete(id)
    }
  }
  return {
    async beginRun(run) {
      assertInPlace()
      await withdraw()
      await store.beginRun(run)
      isMarked = false
    },
    async markSending(operations, about) {
      assertInPlace()
      await store.markSending(operations, about)
      markFirst()
    },
    async markAndSettle(marks, ended) {
      if (marks.length > 0) assertInPlace()
      const taken = await store.markAndSettle(marks, ended)
      if (marks.length > 0) markFirst()
      return taken
    },
    async endRun(runId, end) {
      await store.endRun(runId, end)
      mark()
      truncateLog(db)
    },
    async beginDecision(decision, at) {
      await withdraw()
      return store.beginDecision(decision, at)
    },
    async concludeDecision(id, conclusion) {
      await store.concludeDecision(id, conclusion).catch((error: unknown) => {
        refused.add(id)
        throw error
      })
      refused.delete(id)
      mark()
    },
  }
}
