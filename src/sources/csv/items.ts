// From rows to records and defects, and which rows are neither: those without any value, and a footer.

import { type SourceItem, UnsureOfRecords } from '../../core/mapping/record.ts'
import type { TextForm } from '../text/text-survey.ts'
import type { Dialect } from './dialect.ts'
import type { CsvOptions } from './options.ts'
import type { CsvRow } from './parse.ts'
import { fitted, hasValue, needsCensus, type ShortRows, type WidthCensus } from './ragged.ts'
import { rowsWithin } from './rows-within.ts'

/** How a file is written, and what is set about it. */
export interface Shape {
  readonly form: TextForm
  readonly dialect: Dialect
  readonly options: CsvOptions
  /** Rejects that we wrote: rows that did not fit were made to, and nothing speaks for fitting them once more. */
  readonly isOwn: boolean
  readonly lastEndedWithLineBreak: boolean
}

interface Making extends Shape {
  readonly short: ShortRows
  /** Whether a row is the header once more, which is no record. */
  isHeader(values: readonly string[], line: number): boolean
  /** Reads the file once more. */
  census(): Promise<WidthCensus>
  /** Whether there are rows that were not handed in, because they are settled. */
  isPassedOver(): boolean
}

const MAYBE_CUT =
  'No line break ends the last row of the file: it may have been cut off within its last value. If the files of this source never end with one, set source.last_line: accept'

const swallowed = (rows: number): string =>
  `The row looks like ${rows} rows in one: a quote in it is not closed where its value ends`

/** Makes items of rows, which are handed in once and in order. */
export function itemMaker(width: number, making: Making) {
  const { dialect, options, short, isOwn } = making
  let census: WidthCensus | undefined
  let hasQuotesInLast = false
  let endsWithLineBreak = true

  /**
   * Whether the row may have been cut off. One whose last value is closed is whole, unless such values hold quotes: the cut
   * may lie between the two that stand for one.
   */
  const isDoubtful = ({ unended, line, values }: CsvRow): boolean => {
    if (unended === undefined) return false
    endsWithLineBreak = false
    if (options.last_line === 'accept') return false
    if (line === dialect.skipLines + 1 && !making.lastEndedWithLineBreak) return false
    if (unended === 'plain' || values.length !== width || hasQuotesInLast) return true
    // Values of rows that were passed over may hold quotes.
    if (making.isPassedOver()) throw new UnsureOfRecords()
    return false
  }
  const item = (row: CsvRow): SourceItem => {
    const { values, line } = row
    if (isDoubtful(row)) return { kind: 'defect', code: 'RECORD_MAYBE_CUT', message: MAYBE_CUT, values, line }
    hasQuotesInLast ||= dialect.quote !== undefined && values[width - 1]?.includes(dialect.quote) === true
    const within = values.length === width ? rowsWithin(values, dialect.delimiter) : 1
    if (within > 1) return { kind: 'defect', code: 'RECORD_RAGGED', message: swallowed(within), values, line }
    const fit = fitted(values, width, { census, short })
    // Whether another width fits depends on the other rows.
    const block = values.length === width ? row.block : undefined
    if (fit.kind === 'fits')
      return { kind: 'record', values: fit.values, line, ...(block === undefined ? {} : { block }) }
    return { kind: 'defect', code: 'RECORD_RAGGED', message: fit.why, values, line }
  }
  return {
    isDoubtful,
    endsWithLineBreak: () => endsWithLineBreak,
    async items(rows: readonly CsvRow[]): Promise<SourceItem[]> {
      if (!isOwn && rows.some(({ values }) => needsCensus(values, width, short)))
        census ??= await making.census()
      return rows.filter(({ values, line }) => !making.isHeader(values, line)).map(item)
    },
  }
}

/** What stands before the cut may be blank, too; a lone blank is none of a row. */
export const isRecord = ({ values, unended }: CsvRow): boolean =>
  hasValue(values) || (unended !== undefined && values.length > 1)

/** A row without any value is no record: exporters end files with them. */
export async function* filledRows(batches: AsyncIterable<CsvRow[]>): AsyncGenerator<CsvRow[], undefined> {
  for await (const rows of batches) {
    const filled = rows.every(isRecord) ? rows : rows.filter(isRecord)
    if (filled.length > 0) yield filled
  }
  return undefined
}

export async function* joined(first: CsvRow[], rest: AsyncIterable<CsvRow[]>): AsyncGenerator<CsvRow[]> {
  yield first
  yield* rest
}

/**
 * Holds back as many rows as may turn out to be the footer. Where the end of the file is in doubt, it is unknown which rows
 * these are: all of them are handed on, as doubtful as the last.
 */
export async function* withoutFooter(
  batches: AsyncIterable<CsvRow[]>,
  count: number,
  isDoubtful: (row: CsvRow) => boolean,
): AsyncGenerator<CsvRow[]> {
  let held: CsvRow[] = []
  for await (const rows of batches) {
    const all = count === 0 ? rows : held.concat(rows)
    const ready = Math.max(0, all.length - count)
    held = all.slice(ready)
    yield ready === all.length ? all : all.slice(0, ready)
  }
  const last = held.at(-1)
  if (last === undefined || !isDoubtful(last)) return
  yield held.map((row) => ({ ...row, unended: 'plain' }))
}
