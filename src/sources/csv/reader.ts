// Reads one CSV file: its form is found out, its header read, and its rows become records or defects.
// Decides nothing about values: they go on as they stand.
import type { InputReader } from '../../core/ports.ts'
import type { SourceItem } from '../../core/record.ts'
import { SyncError } from '../../core/errors.ts'
import { checkedWhole, closingOnFailure, type InputFile } from '../input-file.ts'
import { surveyText, type TextForm } from '../text-survey.ts'
import { utf8Text } from '../text-stream.ts'
import { dialectOf, ownRejectsDelimiter, ownRejectsDialect, type Dialect } from './dialect.ts'
import type { CsvOptions } from './options.ts'
import { csvRows, type CsvRow } from './parse.ts'
import { withoutLines } from './skip-lines.ts'

const SAMPLE_BYTES = 64 * 1024

export interface CsvReader extends InputReader {
  readonly delimiter: string
  /** In which the file was read. */
  readonly encoding: string
}

/** Opens a file as CSV; closes it when that fails. Throws a SyncError of class `input` or `later`. */
export function readCsv(file: InputFile, options: CsvOptions): Promise<CsvReader> {
  return closingOnFailure(file, async () => {
    const own = ownRejectsDelimiter(await rawHead(file))
    const form = await surveyText(file, own === undefined ? options.encoding : 'auto')
    const dialect =
      own === undefined ? dialectOf(await textHead(file, form), options) : ownRejectsDialect(own)
    const rows = csvRows({
      name: file.name,
      dialect,
      maxRecordBytes: options.max_record_bytes,
      read: () => withoutLines(utf8Text(file, form), dialect.skipLines),
    })
    return openReader(file, rows, { form, dialect, pad: options.ragged === 'pad' })
  })
}

interface Shape {
  readonly form: TextForm
  readonly dialect: Dialect
  readonly pad: boolean
}

async function openReader(file: InputFile, rows: AsyncGenerator<CsvRow[]>, shape: Shape): Promise<CsvReader> {
  const filled = filledRows(rows)
  const first = await filled.next()
  if (first.done === true) throw new SyncError('INPUT_EMPTY', `${file.name} holds no header and no record`)
  const { dialect, form } = shape
  const header = dialect.header ?? headerNames(first.value.shift())
  const toItem = (row: CsvRow): SourceItem => item(row, header.length, shape.pad)
  async function* items(): AsyncGenerator<SourceItem[]> {
    const kept = withoutFooter(joined(first.value ?? [], filled), dialect.skipFooter)
    for await (const some of kept) if (some.length > 0) yield some.map(toItem)
  }
  return {
    header,
    ...(form.twiceEncoded === undefined ? {} : { twiceEncoded: form.twiceEncoded }),
    delimiter: dialect.delimiter,
    encoding: form.encoding,
    bytesRead: () => file.bytesRead(),
    batches: () => checkedWhole(file, items()),
    sha256: () => file.sha256(),
    close: async () => {
      await rows.return(undefined)
      await file.close()
    },
  }
}

/** A row without any value is no record: exporters end files with them. */
async function* filledRows(batches: AsyncIterable<CsvRow[]>): AsyncGenerator<CsvRow[], undefined> {
  for await (const rows of batches) {
    const filled = rows.every(({ values }) => hasValue(values))
      ? rows
      : rows.filter((row) => hasValue(row.values))
    if (filled.length > 0) yield filled
  }
  return undefined
}

async function* joined(first: CsvRow[], rest: AsyncIterable<CsvRow[]>): AsyncGenerator<CsvRow[]> {
  yield first
  yield* rest
}

/** Holds back as many rows as may turn out to be the footer. */
async function* withoutFooter(batches: AsyncIterable<CsvRow[]>, count: number): AsyncGenerator<CsvRow[]> {
  let held: CsvRow[] = []
  for await (const rows of batches) {
    const all = count === 0 ? rows : held.concat(rows)
    const ready = Math.max(0, all.length - count)
    held = all.slice(ready)
    yield ready === all.length ? all : all.slice(0, ready)
  }
}

function item(row: CsvRow, width: number, pad: boolean): SourceItem {
  const { values, line } = row
  const surplus = values.length - width
  if (surplus === 0) return { kind: 'record', values, line }
  if (surplus > 0 && !hasValue(values.slice(width)))
    return { kind: 'record', values: values.slice(0, width), line }
  if (surplus < 0 && pad) {
    return { kind: 'record', values: [...values, ...new Array<string>(-surplus).fill('')], line }
  }
  const message = `The row has ${values.length} values, the header has ${width}`
  return { kind: 'defect', code: 'RECORD_RAGGED', message, values, line }
}

function hasValue(values: readonly string[]): boolean {
  return values.some((value) => value !== '' && value.trim() !== '')
}

function headerNames(row: CsvRow | undefined): string[] {
  // trim() takes no-break spaces and a second byte order mark as blanks, too.
  return (row?.values ?? []).map((name) => name.trim())
}

async function rawHead(file: InputFile): Promise<string> {
  const buffer = Buffer.allocUnsafe(SAMPLE_BYTES)
  const head = buffer.toString('latin1', 0, await file.readAt(buffer, 0))
  return head.replace(/^\xef\xbb\xbf/, '')
}

async function textHead(file: InputFile, form: TextForm): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of utf8Text(file, form)) {
    text += decoder.decode(part, { stream: true })
    if (text.length >= SAMPLE_BYTES) break
  }
  return text
}
