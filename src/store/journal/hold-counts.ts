// How many changes of a held plan wait for a person. What was decided about single ones of them is no change that has come since.
import type { Connection } from '../file/database.ts'

/** A held change that a person has decided about; `released`: 1 where it was released before. */
export interface RowOfHold {
  readonly input_id: number
  readonly guard: string | null
  readonly released: number
}

const HELD = `FROM operation WHERE operation.input_id = hold.input_id AND operation.guard = hold.guard AND operation.state = 'held'`

/** Of the hold of the outer row: changes that wait for a person or, once it is released as a whole, for the next run. */
export const LEFT_OF_HOLD = `(SELECT count(*) ${HELD} AND (operation.released = 0 OR hold.released_at IS NOT NULL))`

/** Of the hold of the outer row: changes that were released by themselves, and are not sent yet. */
export const READY_OF_HOLD = `(SELECT count(*) ${HELD} AND operation.released = 1 AND hold.released_at IS NULL)`

/** Whether none of the hold's changes waits for a person. */
export const IS_DECIDED = `NOT EXISTS (SELECT 1 ${HELD} AND operation.released = 0)`

const NEEDS_APPROVERS = 'operation.id IN (SELECT operation FROM approval_need)'

/** Before a release of a run: what goes beside changes that wait for approvers is decided, and no longer in the number of its hold. */
export const COUNT_OUT_RELEASED = `UPDATE hold SET number = number - (SELECT count(*) ${HELD} AND operation.released = 0 AND NOT ${NEEDS_APPROVERS})
WHERE run_id = ? AND released_at IS NULL AND EXISTS (SELECT 1 ${HELD} AND operation.released = 0 AND ${NEEDS_APPROVERS})`

/** No smaller than what is held: changes that were released by themselves are its changes again. */
export const WHOLE_NUMBER = `number = CASE WHEN number < (SELECT count(*) ${HELD}) THEN (SELECT count(*) ${HELD}) ELSE number END`

/** Takes single changes out of the number of their hold; one of which nothing else waits is released. Within a transaction. */
export function createCountDecided(db: Connection): (rows: readonly RowOfHold[], at: number) => void {
  const count = db.prepare(
    'UPDATE hold SET number = number - 1 WHERE input_id = ? AND guard = ? AND (? = 0 OR released_at IS NOT NULL)',
  )
  const end = db.prepare(`
    UPDATE hold SET released_at = ?, ${WHOLE_NUMBER} WHERE input_id = ? AND released_at IS NULL AND ${IS_DECIDED}
      AND EXISTS (SELECT 1 ${HELD})`)
  return (rows, at) => {
    for (const row of rows) count.run(row.input_id, row.guard, row.released)
    for (const input of new Set(rows.map((row) => row.input_id))) end.run(at, input)
  }
}
