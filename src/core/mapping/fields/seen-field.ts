// What a record says about one field: the texts of the columns that its rule reads, and what the rule makes of them.
import { type ColumnIndex, foldedColumn } from '../columns.ts'
import type { FieldValue } from '../contact.ts'
import { cleanText } from './field-check.ts'
import type { FieldMapper } from './field-mapping.ts'

/** Cleaned texts of the columns that a field's rule reads, by folded name; of several rows as one text. */
export type RawColumns = Readonly<Record<string, string>>

/** What the record says about a field now. */
export interface SeenField {
  readonly raw: RawColumns
  /** What the rule makes of it; undefined where it makes nothing, or fails. */
  readonly made: FieldValue | undefined
  /** The record has nothing for it, and `blank: keep` leaves what was sent. */
  readonly isSilent?: true
  /** As in the result of the rule. */
  readonly isStandIn?: true
  /** The field whose number the value describes. */
  readonly numberIn?: string
}

/** Undefined where this input does not speak of the field. */
export function seenField(
  field: FieldMapper | undefined,
  { header, columns, values }: { header: readonly string[]; columns: ColumnIndex; values: readonly string[] },
): SeenField | undefined {
  if (field === undefined) return undefined
  const raw = field.reads.map(
    (name) =>
      [foldedColumn(name), cleanText(values[columns.get(name) ?? header.indexOf(name)] ?? '')] as const,
  )
  const { value, isStandIn, problem, mended } = field.read(values)
  const isSilent = value === undefined && problem === undefined && mended !== true
  const { phone_type_of: numberIn } = field.mapping
  return {
    raw: Object.fromEntries(raw),
    made: value,
    ...(isSilent ? { isSilent } : {}),
    ...(isStandIn === undefined ? {} : { isStandIn }),
    ...(numberIn === undefined ? {} : { numberIn }),
  }
}
