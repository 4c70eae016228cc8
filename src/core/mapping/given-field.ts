// Which of several rows of one key gives a field of their record. Pure.
import type { FieldValue } from './contact.ts'

/** What a row makes of a field. */
export interface MadeField {
  readonly value?: FieldValue | undefined
  /** The row has nothing for the field; the value stands in for it (`default`). */
  readonly isStandIn?: true | undefined
  /** The field whose number the value describes (`phone_type_of`). */
  readonly numberIn?: string | undefined
}

/** A row, asked for what it makes of a field; undefined where it has nothing to say about it. */
type AskedRow<Made> = (field: string) => Made | undefined

const weight = ({ value, isStandIn }: MadeField): number => {
  if (value === undefined) return 0
  if (value === '') return 1
  return isStandIn === true ? 2 : 3
}

/**
 * The last row that has a value; only where none has, the last one in which another stands in for it, then one that clears the
 * field. What describes a number comes from a row with the number that counts.
 */
export function givenField<Made extends MadeField>(
  field: string,
  rows: readonly AskedRow<Made>[],
): Made | undefined {
  const all = rows.flatMap((row) => {
    const made = row(field)
    return made === undefined ? [] : [{ row, made }]
  })
  const numberIn = all[0]?.made.numberIn
  const number = numberIn === undefined ? undefined : givenField(numberIn, rows)?.value
  const able =
    numberIn === undefined ? all : all.filter(({ row }) => (row(numberIn)?.value ?? '') === (number ?? ''))
  const most = Math.max(...able.map(({ made }) => weight(made)))
  return able.findLast(({ made }) => weight(made) === most)?.made
}
