// Rejected records as a CSV file that can be mended and dropped again: the source's own columns, then why and where.
// Values stay as they came: a guard against formulas would change what is pushed when the file comes back.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import type { RejectRow } from '../core/ports.ts'

export const REJECT_COLUMNS = ['_reason', '_file', '_line'] as const

/** Columns of ours in a header that came back are not repeated. */
const ownColumns = (header: readonly string[]): number =>
  REJECT_COLUMNS.every((column, index) => header.at(index - REJECT_COLUMNS.length) === column)
    ? header.length - REJECT_COLUMNS.length
    : header.length

/** Surplus values of a ragged row follow the three columns: nothing is lost, and the columns stay in their places. */
function cells(row: RejectRow, width: number): string[] {
  const values = Array.from({ length: width }, (_, index) => row.values[index] ?? '')
  return [...values, row.reason, row.file, String(row.line), ...row.values.slice(width)]
}

/** UTF-8 without BOM. `path` is written over where it exists. */
export async function writeRejectsCsv(
  path: string | Buffer,
  header: readonly string[],
  rows: AsyncIterable<RejectRow>,
  options: { delimiter?: string } = {},
): Promise<void> {
  const width = ownColumns(header)
  const lines = async function* () {
    yield [...header.slice(0, width), ...REJECT_COLUMNS]
    for await (const row of rows) yield cells(row, width)
  }
  const delimiter = options.delimiter === undefined ? {} : { delimiter: options.delimiter }
  await pipeline(lines, stringify(delimiter), createWriteStream(path, { flush: true }))
}
