// Columns of salutations, academic titles and genders: a table of the values that the samples have. What is not in the table
// later is invalid, is dropped with a warning, and can be added.
import type { ColumnReading } from './column-reading.ts'
import { leftOver, type ProposedEntry } from './entry.ts'
import { genderOf, titlesIn } from './values.ts'

type Field = 'title' | 'title2'

/** What a value says of a field; null: nothing; undefined: it is not sure. */
function saidOf(value: string, field: Field): string | null | undefined {
  const meanings = titlesIn(value)
  if (meanings === undefined) return field === 'title' ? genderOf(value) : undefined
  if (field === 'title2') return meanings.includes('prof') ? 'prof' : meanings.includes('dr') ? 'dr' : null
  const said = new Set(meanings.filter((one) => one === 'm' || one === 'f' || one === 'unclear'))
  if (said.size === 0) return null
  return said.size === 1 && !said.has('unclear') ? ([...said][0] ?? null) : undefined
}

function tableFor(reading: ColumnReading, field: Field): Readonly<Record<string, string | null>> | undefined {
  const { distinct } = reading.column
  if (distinct === undefined) return undefined
  const pairs = [...distinct.keys()].flatMap((value) => {
    const said = saidOf(value, field)
    return said === undefined ? [] : [[value, said] as const]
  })
  return pairs.some(([, said]) => said !== null) ? Object.fromEntries(pairs) : undefined
}

export function titleEntries(
  readings: readonly ColumnReading[],
  taken: ReadonlySet<string>,
): readonly ProposedEntry[] {
  const concerned = readings.filter(({ meaning }) => meaning === 'salutation' || meaning === 'gender')
  const ordered = concerned.toSorted((one, other) => other.confidence - one.confidence)
  const used = new Set(taken)
  return ordered.flatMap((reading): readonly ProposedEntry[] => {
    const { column, confidence, why } = reading
    const entries = (['title', 'title2'] as const).flatMap((field): ProposedEntry[] => {
      const lookup = used.has(field) ? undefined : tableFor(reading, field)
      if (lookup === undefined) return []
      used.add(field)
      return [{ column: column.name, field, rule: { column: column.name, lookup }, confidence, why }]
    })
    return entries.length > 0
      ? entries
      : [leftOver(column.name, `${why}; title and title2 are taken, or no value contains one`)]
  })
}
