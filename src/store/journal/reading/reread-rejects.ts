// Rejects whose records came again in a file of corrected rejects: their key may be another one by now, or none could be read,
// so they are known by the file, line and reason that the row names. Which of them an input has is noted in a temporary
// table: nothing is over before its plan is committed.
import { hash } from 'node:crypto'
import { endedRejects } from '../../../core/outcome/ended-rejects.ts'
import type { RunState } from '../../../core/run-state.ts'
import type { FormerReject, RejectPlace, StagedInput } from '../../../core/state.ts'
import type { Connection } from '../../file/database.ts'
import { parseRecord } from '../rows.ts'

const ANY = 'SELECT 1 FROM claim_reread WHERE input = ? LIMIT 1'

const FOUND = `
SELECT id, file, line, reason FROM reject WHERE pipeline = @pipeline AND input_id < @id
  AND EXISTS (SELECT 1 FROM claim_reread WHERE input = @id AND claim_reread.file = reject.file
    AND claim_reread.line = reject.line AND (claim_reread.reason = '' OR claim_reread.reason = reject.reason))
ORDER BY id`

const ON_PLACE = `
SELECT DISTINCT code, key FROM reject WHERE pipeline = @pipeline AND input_id < @id AND file = @file AND line = @line
  AND (@reason = '' OR reason = @reason)`

/** What rows of a file of corrected rejects were rejected as. */
export function createRejectsAt(db: Connection): Pick<RunState, 'rejectsAt'> {
  type Asked = Pick<StagedInput, 'id' | 'pipeline'> & Pick<RejectPlace, 'file' | 'line' | 'reason'>
  const ofKey = db.prepare<Asked & { key: string }, FormerReject>(`${ON_PLACE} AND key = @key`)
  const all = db.prepare<Asked, FormerReject>(`${ON_PLACE} AND key IS NOT NULL`)
  return {
    rejectsAt: async ({ id, pipeline }, rows) =>
      rows.map(({ place: { file, line, reason }, key }) => {
        const asked = { id, pipeline, file, line, reason }
        const same = ofKey.all({ ...asked, key })
        return same.length > 0 ? same : all.all(asked)
      }),
  }
}

interface Rereading {
  note(input: number, places: readonly RejectPlace[]): void
  /** Within the transaction that commits the plan of the input. */
  end(of: { readonly id: number; readonly pipeline: string }): void
}

type Found = { id: number; file: string; line: number; reason: string }

export function createRereadRejects(db: Connection): Rereading {
  const any = db.prepare<[number], number>(ANY).pluck()
  const note = db.prepare('INSERT OR IGNORE INTO claim_reread VALUES (?, ?, ?, ?, ?, ?)')
  const rowsOf = db.prepare<[number], { file: string; line: number; reason: string; given: string }>(
    'SELECT file, line, reason, given FROM claim_reread WHERE input = ?',
  )
  const find = db.prepare<{ id: number; pipeline: string }, Found>(FOUND)
  const recordOf = db.prepare<[number], { header: string; record: string }>(
    'SELECT header, record FROM reject WHERE id = ?',
  )
  const remove = db.prepare('DELETE FROM reject WHERE id = ?')
  const valuesOf = (id: number): Record<string, string> => {
    const { header, record } = recordOf.get(id) ?? { header: '[]', record: '[[]]' }
    const { values } = parseRecord(record)
    return Object.fromEntries((JSON.parse(header) as string[]).map((name, at) => [name, values[at] ?? '']))
  }
  const placed = (found: Found) => {
    let values: Record<string, string> | undefined
    return { ...found, values: () => (values ??= valuesOf(found.id)) }
  }
  return {
    note(input, places) {
      for (const { file, line, reason, values } of places) {
        const given = JSON.stringify(values)
        // A whole row may be too long for an index.
        note.run(input, file, line, reason, hash('sha256', given), given)
      }
    },
    end({ id, pipeline }) {
      if (any.get(id) === undefined) return
      const rows = rowsOf
        .all(id)
        .map(({ given, ...row }) => ({ ...row, values: JSON.parse(given) as Record<string, string> }))
      for (const over of endedRejects(rows, find.all({ id, pipeline }).map(placed))) remove.run(over)
    },
  }
}
