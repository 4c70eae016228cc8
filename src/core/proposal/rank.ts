// Which of several columns of one meaning goes first: those with values, those whose header says the meaning, then as their headers
// rank, those whose header says more than the meaning behind the others, then the fuller one.
import type { ColumnReading } from './column-reading.ts'
import type { Qualifier } from './words/meaning.ts'

const RANKS: readonly (Qualifier | undefined)[] = [
  undefined,
  'main',
  'billing',
  'work',
  'home',
  'second',
  'shipping',
]

/** The qualifier that decides: the one that puts it furthest back. */
export function decidingQualifier({ header }: ColumnReading): Qualifier | undefined {
  return [...header.qualifiers].sort((one, other) => RANKS.indexOf(other) - RANKS.indexOf(one))[0]
}

const rankOf = (reading: ColumnReading): number => RANKS.indexOf(decidingQualifier(reading))

const isByValues = (reading: ColumnReading): boolean => reading.isByValues === true

/** A further word may say whose it is: the address of the adviser, for example. So may a header of other words. */
export const saysMore = (reading: ColumnReading): boolean =>
  reading.header.how === 'part' || isByValues(reading)

const isFilled = ({ column }: ColumnReading): boolean => column.filled > 0

export const byRank = (readings: readonly ColumnReading[]): readonly ColumnReading[] =>
  [...readings].sort(
    (one, other) =>
      Number(isFilled(other)) - Number(isFilled(one)) ||
      Number(isByValues(one)) - Number(isByValues(other)) ||
      rankOf(one) - rankOf(other) ||
      Number(saysMore(one)) - Number(saysMore(other)) ||
      other.column.filled - one.column.filled,
  )
