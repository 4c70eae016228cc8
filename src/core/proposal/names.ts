// Columns of names. "Name" is the family name beside a first name, and the full name where it stands alone.
import { isGivenWord } from '../mapping/values/given-names.ts'
import { foldedWords } from '../mapping/values/folded-words.ts'
import { namePart } from '../mapping/values/names.ts'
import type { ColumnReading } from './column-reading.ts'
import { leftOver, type ProposedEntry, type ProposedRule } from './entry.ts'
import { byRank } from './rank.ts'
import type { Samples } from './samples.ts'
import { COMPANY_FLAGS } from './words/other-words.ts'
import { isFullName, shareOf, someOf } from './values.ts'

/** A list of persons has at least so many common first names; a list of companies has none. */
const FEWEST_KNOWN = 0.3

/** The share of rows in which one column holds the value of another as a word. */
function holding(samples: Samples, whole: string, part: string): number {
  const rows = samples.files.flatMap(({ header, rows: some }) => {
    const [one, other] = [header.indexOf(whole), header.indexOf(part)]
    return one < 0 || other < 0 ? [] : some.map((row) => [row[one] ?? '', row[other] ?? ''] as const)
  })
  const both = rows.filter(([text, word]) => text !== '' && word !== '')
  return both.length === 0
    ? 0
    : both.filter(([text, word]) => ` ${text} `.replaceAll(',', ' ').includes(` ${word} `)).length /
        both.length
}

const plain = (
  { column, confidence, why }: ColumnReading,
  field: 'first_name' | 'family_name',
): ProposedEntry => ({
  column: column.name,
  field,
  rule: { column: column.name },
  confidence,
  why,
})

/** The parts of a full name that the column has. */
function partsOf(
  { column, confidence, why }: ColumnReading,
  taken: ReadonlySet<string>,
  samples: Samples,
): readonly ProposedEntry[] {
  const values = someOf(column.values)
  const hasCompanies = samples.columns.some(({ name }) => COMPANY_FLAGS.has(foldedWords(name)))
  const readable = shareOf(values, isFullName)
  const known = shareOf(values, (value) => value.split(/[\s,]+/u).some(isGivenWord))
  const sure = Math.min(
    confidence,
    known >= FEWEST_KNOWN && !hasCompanies ? readable + 0.05 : Math.min(0.6, readable),
  )
  const people = `${Math.round(readable * values.length)} of ${values.length} values are read as the name of a person`
  const base = { column: column.name, confidence: sure, why: `${why}; ${people}` }
  const named = (name: string): ProposedRule => ({ column: column.name, name })
  const titles = (['title', 'title2'] as const).filter(
    (part) => !taken.has(part) && values.some((value) => isPart(value, part)),
  )
  return [
    { ...base, field: 'first_name', rule: named('first') },
    { ...base, field: 'family_name', rule: named('family') },
    ...titles.map((part): ProposedEntry => ({
      ...base,
      field: part,
      rule: named(part),
      why: 'titles precede some names',
    })),
  ]
}

const isPart = (value: string, part: 'title' | 'title2'): boolean => {
  const said = namePart(value, part)
  return typeof said === 'string' && said !== ''
}

export function nameEntries(
  readings: readonly ColumnReading[],
  taken: ReadonlySet<string>,
  samples: Samples,
): readonly ProposedEntry[] {
  const best = (meaning: string) => byRank(readings.filter((one) => one.meaning === meaning))
  const [first, ...firsts] = best('first_name')
  const [family, ...families] = best('family_name')
  const [full, ...fulls] = best('full_name')
  const others = [...firsts, ...families, ...fulls].map(({ column }) =>
    leftOver(column.name, 'another column has the name'),
  )
  const parts = [
    ...(first === undefined || taken.has('first_name') ? [] : [plain(first, 'first_name')]),
    ...(family === undefined || taken.has('family_name') ? [] : [plain(family, 'family_name')]),
  ]
  if (full === undefined) return [...parts, ...others]
  const isNamed = (field: string, by: ColumnReading | undefined): boolean =>
    by !== undefined || taken.has(field)
  const [hasFirst, hasFamily] = [isNamed('first_name', first), isNamed('family_name', family)]
  const part = first ?? family
  const isWhole = part !== undefined && holding(samples, full.column.name, part.column.name) >= 0.5
  if (hasFirst && hasFamily)
    return [
      ...parts,
      leftOver(full.column.name, 'first and family name have columns of their own'),
      ...others,
    ]
  if (!hasFirst && !hasFamily) return [...partsOf(full, taken, samples), ...others]
  const missing = hasFirst ? 'family_name' : 'first_name'
  const entry = isWhole
    ? partsOf(full, taken, samples).filter(({ field }) => field === missing)
    : [plain({ ...full, why: `${full.why}; the other part of the name has a column of its own` }, missing)]
  return [...parts, ...entry, ...others]
}
