// Columns of e-mail addresses: which is the contact's own, and which the second one.
import type { ColumnReading } from './column-reading.ts'
import { leftOver, type ProposedEntry } from './entry.ts'
import { byRank, saysMore } from './rank.ts'
import { addressesIn } from '../mapping/values/addresses.ts'
import { isMail, shareOf, someOf } from './values.ts'

/** A column that lacks more than this is not the only one with the address. */
const FILLED = 0.9

/** Several addresses in a cell, or a name around one. */
const needsAddress = ({ column }: ColumnReading): boolean =>
  shareOf(someOf(column.values), isMail) <
  shareOf(someOf(column.values), (value) => addressesIn(value).some(isMail))

const holdsTwo = ({ column }: ColumnReading): boolean =>
  column.values.some((value) => addressesIn(value).length > 1)

function singleColumn(reading: ColumnReading): readonly ProposedEntry[] {
  const { column, confidence, why } = reading
  const base = { column: column.name, confidence }
  if (!needsAddress(reading)) return [{ ...base, field: 'mail', rule: { column: column.name }, why }]
  const first = {
    ...base,
    field: 'mail' as const,
    rule: { column: column.name, address: 1 },
    why: `${why}; the first address of each value`,
  }
  if (!holdsTwo(reading)) return [first]
  const second = { column: column.name, address: 2 }
  return [first, { ...base, field: 'mail2', rule: second, why: 'some values hold a second address' }]
}

export function mailEntries(
  readings: readonly ColumnReading[],
  taken: ReadonlySet<string>,
): readonly ProposedEntry[] {
  const [first, second, ...others] = byRank(readings.filter(({ meaning }) => meaning === 'mail'))
  if (first === undefined || taken.has('mail'))
    return taken.has('mail2') || first === undefined ? [] : [secondEntry(first)]
  const further = others.map(({ column }) =>
    leftOver(column.name, 'a contact has two e-mail addresses; this is a further one'),
  )
  const single = singleColumn(first)
  const isTaken = single.length > 1 || taken.has('mail2')
  if (second === undefined) return single
  if (
    second.column.filled === 0 ||
    first.column.filled >= FILLED * first.column.rows ||
    needsAddress(first) ||
    needsAddress(second) ||
    saysMore(second)
  )
    return [
      ...single,
      isTaken ? leftOver(second.column.name, 'mail2 is taken') : secondEntry(second),
      ...further,
    ]
  const names = [first.column.name, second.column.name]
  return [
    {
      column: first.column.name,
      field: 'mail',
      rule: { columns: names },
      confidence: Math.min(first.confidence, second.confidence),
      why: `${first.why}; where it is blank, "${second.column.name}" stands in`,
    },
    leftOver(second.column.name, `stands in where "${first.column.name}" is blank`),
    ...further,
  ]
}

/** Beside another one, an address that no header calls one may be that of another person. */
const NOT_CALLED_ONE = 0.6

const secondEntry = ({ column, confidence, why, isByValues }: ColumnReading): ProposedEntry => ({
  column: column.name,
  field: 'mail2',
  rule: { column: column.name },
  confidence: isByValues === true ? NOT_CALLED_ONE : confidence,
  why: isByValues === true ? `${why}; they may be those of another person` : why,
})
