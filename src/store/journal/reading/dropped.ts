// Held changes that an operator dropped: they are not planned again as long as their record has the same form, or is missing.
// Which of them an input has met is noted in a temporary table, and decides at its end which are over.
import type { DroppedStore } from '../../../core/change/waiting/dropped.ts'
import type { Connection } from '../../file/database.ts'

const ANY = 'SELECT 1 FROM dropped WHERE pipeline = ? LIMIT 1'

/** The record of the outer row was in the input, in whatever form. */
const IS_SEEN = `(EXISTS (SELECT 1 FROM claim_key WHERE input = @id AND claim_key.key = dropped.key)
  OR EXISTS (SELECT 1 FROM claim_skipped WHERE input = @id AND claim_skipped.key = dropped.key)
  OR EXISTS (SELECT 1 FROM link WHERE link.pipeline = @pipeline AND link.key = dropped.key AND claimed_line(@id, link.id) IS NOT NULL))`

/** A full input says of each record whether it is there: one that is missing was dropped for nothing that still is. */
const END = `
DELETE FROM dropped WHERE pipeline = @pipeline AND CASE cause
  WHEN 'missing' THEN ${IS_SEEN}
  ELSE key NOT IN (SELECT key FROM claim_dropped WHERE input = @id) AND (@full = 1 OR ${IS_SEEN}) END`

/** Of the link of the outer row. */
export const IS_DROPPED_AS_MISSING = `EXISTS (SELECT 1 FROM dropped
  WHERE dropped.pipeline = link.pipeline AND dropped.key = link.key AND dropped.cause = 'missing')`

interface Dropping extends DroppedStore {
  /** These records were met in the form in which they were dropped. */
  note(input: number, keys: readonly string[]): void
  /** Within the transaction that commits the plan of the input. */
  end(of: { readonly id: number; readonly pipeline: string; readonly isFull: boolean }): void
}

export function createDropped(db: Connection): Dropping {
  const any = db.prepare<[string], number>(ANY).pluck()
  const form = db
    .prepare<[string, string], string>(
      "SELECT print FROM dropped WHERE pipeline = ? AND key = ? AND cause = 'record'",
    )
    .pluck()
  const note = db.prepare('INSERT OR IGNORE INTO claim_dropped VALUES (?, ?)')
  const end = db.prepare(END)
  return {
    droppedForms: async (pipeline, keys) =>
      any.get(pipeline) === undefined
        ? keys.map(() => undefined)
        : keys.map((key) => form.get(pipeline, key)),
    note(input, keys) {
      for (const key of keys) note.run(input, key)
    },
    end({ id, pipeline, isFull }) {
      if (any.get(pipeline) !== undefined) end.run({ id, pipeline, full: isFull ? 1 : 0 })
    },
  }
}
