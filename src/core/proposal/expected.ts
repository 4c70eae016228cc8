// A first `expect` of a source, from its samples: wide enough for ordinary days, and narrow enough for a column that went
// blank or was swapped with another, or another list of values.
import type { ProposedEntry } from './entry.ts'
import { isSure } from './entry.ts'
import { foldedColumn } from '../mapping/columns.ts'
import type { SampleColumn, Samples } from './samples.ts'
import { sharesOf } from './values.ts'

export interface ProposedExpect {
  readonly columns?: 'at_least'
  readonly records?: { readonly least: number }
  readonly blank?: Readonly<Record<string, string>>
  readonly values?: Readonly<Record<string, readonly string[] | { readonly change: string }>>
}

/** In a file with fewer records a share is meaningless. */
const FEWEST_RECORDS = 20
/** A list of possible values is no longer, and each of them is no rarity. */
const MOST_VALUES = 5
const FEWEST_OF_A_VALUE = 3

/** From so many records on, a column is expected to keep most of its values; of fewer, a few changes are a large share. */
const FEWEST_STEADY = 100
const MOST_CHANGED = '20%'

const sameHeaders = ({ files }: Samples): boolean => {
  const forms = files.map(({ header }) => header.map(foldedColumn).sort().join('\n'))
  return new Set(forms).size === 1
}

/** Half as much again as in the samples, and a fifth of all records. */
const mostBlank = ({ filled, rows }: SampleColumn): number =>
  Math.ceil((100 * 1.5 * (rows - filled)) / rows / 5) * 5 + 20

function listOf(column: SampleColumn, fileDate: string): readonly string[] | undefined {
  const { distinct, values } = column
  if (distinct === undefined || values.length < FEWEST_RECORDS || distinct.size > MOST_VALUES)
    return undefined
  const isList = [...distinct.values()].every((count) => count >= FEWEST_OF_A_VALUE)
  const { number, date, yesNo } = sharesOf(column, fileDate)
  return isList && (yesNo === 1 || (number < 0.5 && date < 0.5)) ? [...distinct.keys()] : undefined
}

/** `hasSteadyColumns`: the exporter writes every column, whether or not any record has a value in it. */
export function proposedExpect(
  samples: Samples,
  entries: readonly ProposedEntry[],
  { fileDate, hasSteadyColumns }: { fileDate: string; hasSteadyColumns: boolean },
): ProposedExpect | undefined {
  const isSteady = hasSteadyColumns && sameHeaders(samples)
  const records = samples.files.map(({ records: count }) => count)
  const [fewest, most] = [Math.min(...records), Math.max(...records)]
  const isMeasure = fewest >= FEWEST_RECORDS
  const mapped = new Set(entries.filter(isSure).map(({ column }) => column))
  const watched = isSteady && isMeasure ? samples.columns.filter(({ name }) => mapped.has(name)) : []
  const blank = watched
    .filter((column) => mostBlank(column) <= 60)
    .map((column) => [column.name, `${mostBlank(column)}%`] as const)
  const ofFields = new Set(
    entries.flatMap((entry) =>
      isSure(entry) && entry.field !== 'key' && entry.field !== 'terms' ? [entry.column] : [],
    ),
  )
  const values = watched.flatMap((column): [string, readonly string[] | { change: string }][] => {
    const isTable = entries.some(
      (entry) => isSure(entry) && entry.column === column.name && entry.rule?.['lookup'] !== undefined,
    )
    const list = isTable ? listOf(column, fileDate) : undefined
    if (list !== undefined) return [[column.name, list]]
    return fewest >= FEWEST_STEADY && ofFields.has(column.name)
      ? [[column.name, { change: MOST_CHANGED }]]
      : []
  })
  const isEven = records.length > 1 && fewest >= FEWEST_RECORDS && fewest * 2 >= most
  const expected: ProposedExpect = {
    ...(isSteady ? { columns: 'at_least' } : {}),
    ...(isEven ? { records: { least: Math.floor(fewest / 2) } } : {}),
    ...(blank.length > 0 ? { blank: Object.fromEntries(blank) } : {}),
    ...(values.length > 0 ? { values: Object.fromEntries(values) } : {}),
  }
  return Object.keys(expected).length === 0 ? undefined : expected
}
