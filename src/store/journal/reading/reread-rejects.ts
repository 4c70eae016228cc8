// Rejects whose records came again in a file of corrected rejects: their key may be another one by now, or none could be read,
// so they are known by the file, line and reason that the row names. Which of them an input has is noted in a temporary
// table: nothing is over before its plan is committed.
import type { RejectPlace } from '../../../core/state.ts'
import type { Connection } from '../../file/database.ts'

const ANY = 'SELECT 1 FROM claim_reread WHERE input = ? LIMIT 1'

/** Another file may have had the same name: its rejects have another reason. A blank reason was removed by hand. */
const END = `
DELETE FROM reject WHERE pipeline = @pipeline AND input_id < @id
  AND EXISTS (SELECT 1 FROM claim_reread WHERE input = @id AND claim_reread.file = reject.file
    AND claim_reread.line = reject.line AND (claim_reread.reason = '' OR claim_reread.reason = reject.reason))`

interface Rereading {
  note(input: number, places: readonly RejectPlace[]): void
  /** Within the transaction that commits the plan of the input. */
  end(of: { readonly id: number; readonly pipeline: string }): void
}

export function createRereadRejects(db: Connection): Rereading {
  const any = db.prepare<[number], number>(ANY).pluck()
  const note = db.prepare('INSERT OR IGNORE INTO claim_reread VALUES (?, ?, ?, ?)')
  const end = db.prepare(END)
  return {
    note(input, places) {
      for (const { file, line, reason } of places) note.run(input, file, line, reason)
    },
    end({ id, pipeline }) {
      if (any.get(id) !== undefined) end.run({ id, pipeline })
    },
  }
}
