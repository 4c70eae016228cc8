// Values that persons set right: noted by a decision, bound to what the source says or ended by the plan of an input.
import type {
  Correction,
  CorrectionFinding,
  CorrectionStore,
  DroppedCorrection,
  NewCorrection,
} from '../../../core/change/others/correction.ts'
import type { RawColumns } from '../../../core/mapping/fields/seen-field.ts'
import type { FieldValue } from '../../../core/mapping/contact.ts'
import type { UserRole } from '../../../core/words/user-roles.ts'
import type { Connection } from '../../file/database.ts'
import { isKeyed } from '../../file/state-sets.ts'

export interface CorrectionTableRow {
  id: number
  pipeline: string
  key: string
  field: string
  value: string
  raw: string | null
  was: string | null
  file: string | null
  line: number | null
  by: string
  role: UserRole | null
  note: string | null
  at: number
  pending: number
  ended_at: number | null
  why: string | null
}

export const correctionOf = (row: CorrectionTableRow): Correction => ({
  id: row.id,
  pipeline: row.pipeline,
  key: row.key,
  field: row.field,
  value: row.value,
  raw: row.raw === null ? undefined : (JSON.parse(row.raw) as RawColumns),
  was: row.was === null ? undefined : (JSON.parse(row.was) as FieldValue),
  file: row.file ?? undefined,
  line: row.line ?? undefined,
  by: row.by,
  ...(row.role === null ? {} : { role: row.role }),
  ...(row.note === null ? {} : { note: row.note }),
  at: row.at,
  isPending: row.pending === 1,
  ended: row.ended_at === null ? undefined : { at: row.ended_at, why: row.why ?? '' },
})

export function createCorrectionStore(db: Connection): CorrectionStore {
  const open = db.prepare<[string], CorrectionTableRow>(
    'SELECT * FROM correction WHERE pipeline = ? AND ended_at IS NULL ORDER BY key, field',
  )
  const all = db.prepare<[string], CorrectionTableRow>(
    'SELECT * FROM correction WHERE pipeline = ? ORDER BY id',
  )
  return {
    openCorrections: async (pipeline) => open.all(pipeline).map(correctionOf),
    allCorrections: async (pipelines) => pipelines.flatMap((name) => all.all(name)).map(correctionOf),
  }
}

/** What the records of an input say counts with the commit of its plan. */
export function createCorrectionFindings(db: Connection) {
  const note = db.prepare(`
    INSERT INTO claim_correction VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (input, id) DO UPDATE SET raw = excluded.raw, why = excluded.why, at = excluded.at`)
  const bind = db.prepare(`
    UPDATE correction SET raw = coalesce(found.raw, correction.raw), pending = 0 FROM claim_correction AS found
    WHERE found.input = ? AND found.id = correction.id AND found.why IS NULL`)
  const end = db.prepare(`
    UPDATE correction SET ended_at = found.at, why = found.why, pending = 0 FROM claim_correction AS found
    WHERE found.input = ? AND found.id = correction.id AND found.why IS NOT NULL AND correction.ended_at IS NULL`)
  return {
    note(input: number, at: number, findings: readonly CorrectionFinding[]): void {
      for (const { id, judged } of findings)
        if (judged.kind === 'holds')
          note.run(input, id, judged.raw === undefined ? null : JSON.stringify(judged.raw), null, at)
        else note.run(input, id, null, judged.why, at)
    },
    end(input: number): void {
      bind.run(input)
      end.run(input)
    },
  }
}

/** Within the transaction of a decision. The records are mapped again when they are read next. */
export function createCorrect(db: Connection) {
  const endOpen = db.prepare(
    'UPDATE correction SET ended_at = ?, why = ?, pending = 0 WHERE pipeline = ? AND key = ? AND field = ? AND ended_at IS NULL',
  )
  const add = db.prepare(`
    INSERT INTO correction (pipeline, key, field, value, raw, was, file, line, by, role, note, at)
    VALUES (@pipeline, @key, @field, @value, @raw, @was, @file, @line, @by, @role, @note, @at)`)
  const unsettle = [
    `DELETE FROM fingerprint WHERE pipeline = @pipeline
       AND link_id IN (SELECT id FROM link WHERE pipeline = @pipeline AND key = @key)`,
    'DELETE FROM passed WHERE pipeline = @pipeline AND key = @key',
    // What is on its way settles the record as it was.
    `UPDATE operation SET fingerprint = '' WHERE pipeline = @pipeline AND key = @key AND ${isKeyed('operation')}`,
  ].map((sql) => db.prepare(sql))
  const giveBack = db.prepare(
    'UPDATE hand_edit SET source = @said WHERE pipeline = @pipeline AND key = @key AND field = @field AND source = @corrected',
  )
  const endEdit = db.prepare(
    'DELETE FROM hand_edit WHERE pipeline = @pipeline AND key = @key AND field = @field AND source = @corrected',
  )
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
  return {
    correct(corrections: readonly NewCorrection[], at: number): void {
      for (const { pipeline, key, field, value, raw, was, file, line, by, role, note } of corrections) {
        endOpen.run(at, 'replaced by a later correction', pipeline, key, field)
        add.run({
          ...{ pipeline, key, field, value, raw: json(raw), was: json(was), by, at },
          ...{ file: file ?? null, line: line ?? null, role: role ?? null, note: note ?? null },
        })
        for (const statement of unsettle) statement.run({ pipeline, key })
      }
    },
    drop(corrections: readonly DroppedCorrection[], why: string, at: number): void {
      for (const { pipeline, key, field, edit } of corrections) {
        endOpen.run(at, why, pipeline, key, field)
        for (const statement of unsettle) statement.run({ pipeline, key })
        if (edit === undefined) continue
        const of = { pipeline, key, field: edit.field, corrected: JSON.stringify(edit.corrected) }
        if (edit.said === undefined) endEdit.run(of)
        else giveBack.run({ ...of, said: JSON.stringify(edit.said) })
      }
    },
  }
}
