// Rows of a file of corrected rejects name the file and line of the record that was rejected, and why: that reject is over once
// they are read, whatever becomes of them now. Pure.
import type { InputReader } from '../../../core/ports.ts'
import type { RejectPlace } from '../../../core/state.ts'
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
