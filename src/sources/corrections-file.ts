// Corrections as a CSV file: for the owner of a source, and back.
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import type { SourceItem } from '../core/mapping/record.ts'
import { inputError, SyncError } from '../core/words/errors.ts'
import { bytesInput } from './bytes-input.ts'
import { csvOptions } from './csv/options.ts'
import { type CsvReader, readCsv } from './csv/reader.ts'
import { describeFault } from './fault.ts'

const COLUMNS = [
  ...(['pipeline', 'file', 'line', 'key', 'field', 'column'] as const),
  ...(['value_in_source', 'corrected', 'reason', 'by', 'at'] as const),
] as const

type Column = (typeof COLUMNS)[number]

export type CorrectionRow = Readonly<Record<Column, string>>

/** A row of a file that was read, and where it begins. */
interface ReadRow {
  readonly line: number
  readonly values: CorrectionRow
}

/** A spreadsheet must take no value for a formula. An apostrophe that stands there gets another one, so that reading removes one. */
const guarded = (text: string): string => (/^\s*[=+\-@\t\r']/u.test(text) ? `'${text}` : text)
const unguarded = (text: string): string => (text.startsWith("'") ? text.slice(1) : text)

/** UTF-8 without a mark, over what is there; it contains personal data: only its owner may read it. */
export async function writeCorrectionsCsv(path: string, rows: readonly CorrectionRow[]): Promise<void> {
  const table = rows.map((row) => COLUMNS.map((column) => guarded(row[column])))
  await writeFile(path, stringify([[...COLUMNS], ...table], { record_delimiter: '\r\n' }), { mode: 0o600 })
}

const NEEDED = ['pipeline', 'key', 'field', 'corrected'] as const

const refusal = (message: string): SyncError =>
  new SyncError('USAGE', message, {
    hint: 'Take a file that contact-sync corrections export has written.',
  })

/** Where each column stands, whatever its case. Throws USAGE for what is no such file. */
function placesIn(header: readonly string[], path: string): ReadonlyMap<Column, number> {
  const names = header.map((name) => name.trim().toLowerCase())
  const lacking = NEEDED.filter((column) => !names.includes(column))
  if (lacking.length > 0) throw refusal(`${path} lacks the column ${lacking.join(', ')}`)
  return new Map(COLUMNS.map((column) => [column, names.indexOf(column)]))
}

async function openCorrections(path: string): Promise<CsvReader> {
  // Whole: it may be a pipe.
  const content = await readFile(path).catch((error: unknown) => {
    throw refusal(`${path} cannot be read: ${describeFault(error)}`)
  })
  // An apostrophe at the start of a value is no quote here.
  const form = csvOptions.parse({ folder: path, last_line: 'accept', quote: '"' })
  return readCsv(bytesInput(content, { name: basename(path) }), form)
}

async function rowsIn(path: string): Promise<readonly ReadRow[]> {
  const reader = await openCorrections(path)
  try {
    const places = placesIn(reader.header, path)
    const rows: ReadRow[] = []
    const rowOf = (item: SourceItem): ReadRow => {
      if (item.kind !== 'record') throw refusal(`${path}: line ${item.line} cannot be read (${item.code})`)
      const valueOf = (column: Column) => unguarded(item.values[places.get(column) ?? -1] ?? '')
      const values = Object.fromEntries(COLUMNS.map((column) => [column, valueOf(column)])) as CorrectionRow
      return { line: item.line, values }
    }
    for await (const items of reader.batches()) rows.push(...items.map(rowOf))
    return rows
  } finally {
    await reader.close()
  }
}

/**
 * Encoding and delimiter are detected: spreadsheets write what their language is used to. Columns that are not there are blank. Throws
 * USAGE for what is no such file.
 */
export const readCorrectionsCsv = (path: string): Promise<readonly ReadRow[]> =>
  rowsIn(path).catch((error: unknown) => {
    const fault = inputError(error)
    throw fault === undefined ? error : refusal(fault.message)
  })
