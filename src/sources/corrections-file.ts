// Corrections as a CSV file: for the owner of a source, and back.
import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { SyncError } from '../core/words/errors.ts'

const COLUMNS = [
  ...(['pipeline', 'file', 'line', 'key', 'field', 'column'] as const),
  ...(['value_in_source', 'corrected', 'reason', 'by', 'at'] as const),
] as const

export type CorrectionRow = Readonly<Record<(typeof COLUMNS)[number], string>>

/** A spreadsheet must take no value for a formula. An apostrophe that stands there gets another one, so that reading removes one. */
const guarded = (text: string): string => (/^\s*[=+\-@\t\r']/u.test(text) ? `'${text}` : text)
const unguarded = (text: string): string => (text.startsWith("'") ? text.slice(1) : text)

/** UTF-8 without a mark, over what is there; it contains personal data: only its owner may read it. */
export async function writeCorrectionsCsv(path: string, rows: readonly CorrectionRow[]): Promise<void> {
  const table = rows.map((row) => COLUMNS.map((column) => guarded(row[column])))
  await writeFile(path, stringify([[...COLUMNS], ...table], { record_delimiter: '\r\n' }), { mode: 0o600 })
}

const NEEDED = ['pipeline', 'key', 'field', 'corrected'] as const

/** Columns that are not there are blank. Throws USAGE for what is no such file. */
export async function readCorrectionsCsv(path: string): Promise<readonly CorrectionRow[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new SyncError('USAGE', `${path} cannot be read (${code})`)
  })
  let rows: Record<string, string>[]
  try {
    rows = parse(text, { columns: true, bom: true, skip_empty_lines: true, delimiter: [',', ';'] })
  } catch (error) {
    throw new SyncError('USAGE', `${path}: ${error instanceof Error ? error.message : 'is no CSV file'}`)
  }
  const [first] = rows
  const lacking = NEEDED.filter((column) => first !== undefined && !Object.hasOwn(first, column))
  if (lacking.length > 0)
    throw new SyncError('USAGE', `${path} lacks the column ${lacking.join(', ')}`, {
      hint: 'Take a file that contact-sync corrections export has written.',
    })
  return rows.map(
    (row) =>
      Object.fromEntries(COLUMNS.map((column) => [column, unguarded(row[column] ?? '')])) as CorrectionRow,
  )
}
