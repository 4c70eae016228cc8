// The rejected records of an input as files that can be corrected and dropped again: a `.rejects.csv` with
// the input's own columns, and for records that no row of values can hold, a `.rejects.jsonl`.
// Values go out verbatim: what is read back must be what was rejected.
import { type FileHandle, open } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'
import type { RejectRow } from '../core/ports.ts'
import { REJECT_COLUMNS } from './supplement.ts'
import { isWanted } from './folder/folder-listing.ts'
import { writeWhole, type ArchivePlace } from './folder/place.ts'

const ROWS_AT_ONCE = 500

export interface RejectsLayout {
  readonly header: readonly string[]
  readonly delimiter: string
  /** Also writes the records' own text, one a line. */
  readonly jsonLines: boolean
}

/** Writes the rejects of one input beside its archived file. Throws ARCHIVE_FAILED. */
export async function writeRejectFiles(
  place: ArchivePlace,
  layout: RejectsLayout,
  rows: AsyncIterable<RejectRow>,
): Promise<void> {
  await writeWhole(place, '.rejects.csv', async (csv) => {
    const write = (lines?: FileHandle): Promise<void> => writeRows({ csv, lines }, layout, rows)
    await (layout.jsonLines ? writeWhole(place, '.rejects.jsonl', write) : write())
  })
}

/** Writes rejects of whatever source to one CSV file, UTF-8 without a mark, over what is there. */
export async function writeRejectsCsv(
  path: string,
  header: readonly string[],
  rows: AsyncIterable<RejectRow>,
): Promise<void> {
  // It contains personal data: only its owner may read it.
  const csv = await open(path, 'w', 0o600)
  try {
    await writeRows({ csv, lines: undefined }, { header, delimiter: ',', jsonLines: false }, rows)
    // A pipe or a device has nothing to be flushed.
    if ((await csv.stat()).isFile()) await csv.sync()
  } finally {
    await csv.close()
  }
}

/** How a file of corrected rejects has to be named for every kind of source. */
export const CORRECTED = '.rejects.csv'

/**
 * Whether a source processes such a file as it is named (`is`), under another name, with another pattern in `files`, or not at
 * all: it fetches its records.
 */
export function droppedAs(
  name: string,
  { files }: Readonly<Record<string, unknown>>,
): 'is' | 'renamed' | 'unmatched' | 'unread' {
  if (!Array.isArray(files)) return 'unread'
  const patterns = files.map(String)
  if (isWanted(name, patterns)) return 'is'
  return isWanted(`x${CORRECTED}`, patterns) ? 'renamed' : 'unmatched'
}

interface Files {
  readonly csv: FileHandle
  readonly lines: FileHandle | undefined
}

/** Not `write`: it may write a part, as on a disk that gets full, and report no error. */
async function writeRows(
  { csv, lines }: Files,
  layout: RejectsLayout,
  rows: AsyncIterable<RejectRow>,
): Promise<void> {
  const own = ownWidth(layout.header)
  await csv.writeFile(csvText([[...layout.header.slice(0, own), ...REJECT_COLUMNS]], layout.delimiter))
  for await (const some of inGroups(eachRow(rows))) {
    const table = some.map((row) => rejectValues(row, own, layout.header.length))
    await csv.writeFile(csvText(table, layout.delimiter))
    await lines?.writeFile(some.map((row) => `${row.text ?? ''}\n`).join(''))
  }
}

/** How many of the columns are the input's own: a file of rejects that was dropped again brings ours along. */
function ownWidth(header: readonly string[]): number {
  const own = header.length - REJECT_COLUMNS.length
  return own >= 0 && REJECT_COLUMNS.every((name, index) => header[own + index] === name) ? own : header.length
}

/** Too few values are filled up so that the reason stands under its name; too many follow after the line. */
function rejectValues(row: RejectRow, own: number, width: number): string[] {
  const values = Array.from({ length: own }, (_, index) => row.values[index] ?? '')
  return [...values, row.reason, row.file, String(row.line), ...row.values.slice(width)]
}

function csvText(table: readonly (readonly string[])[], delimiter: string): string {
  // csv-stringify quotes for its own line ending only; a lone CR would end a line when it is read again.
  return stringify([...table] as string[][], { delimiter, record_delimiter: '\n', quoted_match: /[\r\n]/ })
}

/** A record of several rows is written as these: dropped again, they are one record again. */
async function* eachRow(rows: AsyncIterable<RejectRow>): AsyncGenerator<RejectRow> {
  for await (const { rows: all, ...row } of rows)
    if (all === undefined) yield row
    else for (const one of all) yield { ...row, ...one }
}

async function* inGroups(rows: AsyncIterable<RejectRow>): AsyncGenerator<RejectRow[]> {
  let group: RejectRow[] = []
  for await (const row of rows) {
    group.push(row)
    if (group.length < ROWS_AT_ONCE) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
