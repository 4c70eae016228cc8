// Whether a sample has its values in ' instead of ". Said only where the sample itself leaves no doubt, because ' stands in
// many names: nearly every value begins and ends with it, and without it the rows would fall into different numbers of values.
import { DELIMITERS } from './dialect.ts'
import { cellsOfRow, type Quoting, sampleRows } from './rows.ts'

const SAMPLE_ROWS = 200
/** Of the values that are not blank. */
const LEAST_SHARE = 0.9
const FEWEST_VALUES = 4
const APOSTROPHE = "'"

/** The first rows. Without a line break at its end, the sample may have been cut off in the last one. */
function rowsOf(text: string, quoting: Quoting): readonly { text: string; width: number }[] {
  const rows: { text: string; width: number }[] = []
  for (const row of sampleRows(text, quoting)) {
    rows.push(row)
    if (rows.length > SAMPLE_ROWS) break
  }
  return rows.length > 2 && !/[\r\n]$/.test(text) ? rows.slice(0, -1) : rows
}

const isEven = (rows: readonly { width: number }[]): boolean =>
  (rows[0]?.width ?? 0) > 1 && rows.every(({ width }) => width === rows[0]?.width)

function isQuotedBy(text: string, quoting: Quoting): boolean {
  const rows = rowsOf(text, quoting)
  if (rows.length < 2 || !isEven(rows)) return false
  const cells = rows
    .slice(1)
    .flatMap((row) => cellsOfRow(row.text, quoting))
    .filter(({ raw }) => raw !== '')
  const quoted = cells.filter(({ isQuoted }) => isQuoted).length
  return (
    cells.length >= FEWEST_VALUES &&
    quoted >= cells.length * LEAST_SHARE &&
    !isEven(rowsOf(text, { ...quoting, quote: '"' }))
  )
}

/** `text`: the beginning of a file, its header first. */
export const likelyQuote = (text: string): '"' | typeof APOSTROPHE =>
  DELIMITERS.some((delimiter) => isQuotedBy(text, { delimiter, quote: APOSTROPHE })) ? APOSTROPHE : '"'
