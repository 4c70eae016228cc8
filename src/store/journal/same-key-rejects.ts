// Rejected records of an input whose key another record of the same input holds. Only accepted records claim a key,
// and whether one follows is known at the end of the input: so it is decided here, in SQL, before the plan is committed.
import type { StagedInput, StagingRules } from '../../core/state.ts'
import type { Connection } from '../file/database.ts'

/**
 * The line of the accepted record that has the key of the outer reject; NULL where there is none. Functions of our own give
 * floating-point numbers.
 */
const ACCEPTED_LINE = `coalesce(
  (SELECT line FROM claim_key WHERE input = @id AND key = reject.key),
  (SELECT CAST(claimed_line(@id, link.id) AS INTEGER) FROM link WHERE link.pipeline = @pipeline AND link.key = reject.key))`

const OF_INPUT = "input_id = @id AND key IS NOT NULL AND code <> 'KEY_DUPLICATE'"

const DROP_EARLIER = `DELETE FROM reject WHERE ${OF_INPUT} AND line < ${ACCEPTED_LINE}`

const MARK_DUPLICATES = `
UPDATE reject SET code = 'KEY_DUPLICATE',
  reason = reason || '; key: the record on line ' || ${ACCEPTED_LINE} || ' has the same key and was accepted'
WHERE ${OF_INPUT} AND ${ACCEPTED_LINE} IS NOT NULL`

/** How many of them are dropped (see StagingRules). */
export function createSameKeyRejects(
  db: Connection,
): (staged: StagedInput, keep: NonNullable<StagingRules['yieldRejects']>) => number {
  const dropEarlier = db.prepare(DROP_EARLIER)
  const markDuplicates = db.prepare(MARK_DUPLICATES)
  return ({ id, pipeline }, keep) => {
    if (keep === 'last') return dropEarlier.run({ id, pipeline }).changes
    markDuplicates.run({ id, pipeline })
    return 0
  }
}
