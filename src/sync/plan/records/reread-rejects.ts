// Rows of a file of corrected rejects name the file and line of the record that was rejected, and why: that reject is over once
// they are read, whatever becomes of them now. Their keys are compared with those of the rejects: by a key that a spreadsheet
// has changed, or that was rejected and was not corrected, the record would overwrite another one.
import type { MappedRecord } from '../../../core/mapping/mapping.ts'
import type { SourceItem } from '../../../core/mapping/record.ts'
import type { InputReader } from '../../../core/ports.ts'
import type { FormerReject, RejectPlace } from '../../../core/state.ts'
import { SyncError } from '../../../core/words/errors.ts'
import { isSpreadsheetForm } from '../../../core/words/spreadsheet-form.ts'
import type { PlanContext } from '../../context.ts'
import { type Reading, unitedRows } from '../reading.ts'

const LINE = /^\d{1,15}$/

/** Undefined where the file is none of corrected rejects, or does not say where its rows came from. */
export function rereadBy(reader: InputReader): Reading['rereadBy'] {
  if (reader.isSupplement?.() !== true) return undefined
  const names = reader.header.map((column) => column.trim().toLowerCase())
  // What was exported has these columns last: an earlier one of the name is the source's own.
  const [file, line, reason] = ['_file', '_line', '_reason'].map((column) => names.lastIndexOf(column))
  if (file === undefined || line === undefined || file < 0 || line < 0) return undefined
  const place = (values: readonly string[]): readonly RejectPlace[] => {
    const number = values[line]?.trim() ?? ''
    if (!LINE.test(number)) return []
    const at = { file: values[file] ?? '', line: Number(number), reason: values[reason ?? -1] ?? '' }
    return [
      { ...at, values: Object.fromEntries(reader.header.map((name, index) => [name, values[index] ?? ''])) },
    ]
  }
  return (item) => (unitedRows(item) ?? [item]).flatMap(({ values }) => place(values))
}

/** Of a key of several columns, one of them is enough. */
function isChangedKey(former: string, key: string): boolean {
  const [were, are] = [former.split('|'), key.split('|')]
  return were.length === are.length && were.some((part, index) => isSpreadsheetForm(part, are[index] ?? ''))
}

const stillDuplicate = ({ file, line }: RejectPlace): string =>
  `key: line ${line} of ${file} was rejected because another record has this key, and the row still has it; give it its own key, or clear _line in the row if it is to replace that record`

interface KeyedRow {
  readonly item: SourceItem
  readonly mapped: MappedRecord
}

/** What was rejected because of its key is rejected again while it has that key. Throws INPUT_KEY_CHANGED. */
export async function besideRejects<Row extends KeyedRow>(
  rows: readonly Row[],
  { staged, rereadBy: placesOf }: Pick<Reading, 'staged' | 'rereadBy'>,
  { pipeline, state }: PlanContext,
): Promise<readonly Row[]> {
  if (placesOf === undefined) return rows
  const asked = rows.flatMap(({ item, mapped }, index) => {
    const { key } = mapped
    return key === undefined ? [] : placesOf(item).map((place) => ({ index, line: item.line, place, key }))
  })
  const found = await state.rejectsAt(staged, asked)
  const duplicates = new Map<number, MappedRecord>()
  for (const [at, { index, line, place, key }] of asked.entries()) {
    const former: readonly FormerReject[] = found[at] ?? []
    if (former.some((one) => isChangedKey(one.key, key)))
      throw new SyncError(
        'INPUT_KEY_CHANGED',
        `${staged.input.name}: the key on line ${line} is not that of the rejected record, but what a spreadsheet makes of it`,
      )
    const isDuplicate = former.some((one) => one.key === key && one.code === 'KEY_DUPLICATE')
    if (isDuplicate && pipeline.on_duplicate_key === 'reject')
      duplicates.set(index, { kind: 'rejected', code: 'KEY_DUPLICATE', key, reason: stillDuplicate(place) })
  }
  return rows.map((row, index) => {
    const rejected = row.mapped.kind === 'contact' ? duplicates.get(index) : undefined
    return rejected === undefined ? row : { ...row, mapped: rejected }
  })
}
