// Reads one CSV file: its form is found out, its header read, and its rows become records or defects.
// Decides nothing about values: they go on as they stand.
import type { InputReader, OpenOptions } from '../../core/ports.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import { SyncError } from '../../core/words/errors.ts'
import { checkedWhole, closingOnFailure, type InputFile } from '../input-file.ts'
import { surveyText, type TextForm } from '../text/text-survey.ts'
import { isSupplement } from '../supplement.ts'
import { utf8Text } from '../text/text-stream.ts'
import { dialectOf, ownRejectsDelimiter, ownRejectsDialect, type Dialect } from './dialect.ts'
import type { CsvOptions } from './options.ts'
import { csvRows, type CsvRow } from './parse.ts'
import { fitted, hasValue, needsCensus, type WidthCensus, widthCensus } from './ragged.ts'
import { withoutFirstLines } from './skip-lines.ts'

const SAMPLE_BYTES = 64 * 1024

export interface CsvReader extends InputReader {
  readonly delimiter: string
  /** In which the file was read. */
  readonly encoding: string
}

/** Opens a file as CSV; closes it when that fails. Throws a SyncError of class `input` or `later`. */
export function readCsv(
  file: InputFile,
  options: CsvOptions,
  { lastEndedWithLineBreak = false }: Pick<OpenOptions, 'lastEndedWithLineBreak'> = {},
): Promise<CsvReader> {
  return closingOnFailure(file, async () => {
    const own = ownRejectsDelimiter(await rawHead(file))
    const form = await surveyText(file, own === undefined ? options.encoding : 'auto')
    const dialect =
      own === undefined ? dialectOf(await textHead(file, form), options) : ownRejectsDialect(own)
    const rows = () =>
      csvRows({
        name: file.name,
        dialect,
        maxRecordBytes: options.max_record_bytes,
        read: () => withoutFirstLines(utf8Text(file, form), dialect.skipLines),
      })
    const shape = { form, dialect, options, isOwn: own !== undefined, lastEndedWithLineBreak }
    return openReader(file, rows, shape)
  })
}

interface Shape {
  readonly form: TextForm
  readonly dialect: Dialect
  readonly options: CsvOptions
  /** Rejects that we wrote: rows that did not fit were made to, and nothing speaks for fitting them once more. */
  readonly isOwn: boolean
  readonly lastEndedWithLineBreak: boolean
}

type Rows = AsyncGenerator<CsvRow[]>

async function openReader(file: InputFile, read: () => Rows, shape: Shape): Promise<CsvReader> {
  const rows = read()
  const filled = filledRows(rows)
  const first = await filled.next()
  if (first.done === true) throw new SyncError('INPUT_EMPTY', `${file.name} holds no header and no record`)
  const { dialect, form, options, isOwn } = shape
  const header = dialect.header ?? headerNames(first.value.shift())
  const maker = itemMaker(header.length, {
    ...shape,
    pad: options.ragged === 'pad' && !isOwn,
    async census() {
      const again = filledRows(read())
      const head = await again.next()
      if (dialect.header === undefined) head.value?.shift()
      return widthCensus(joined(head.value ?? [], again), header.length)
    },
  })
  async function* items(): AsyncGenerator<SourceItem[]> {
    const kept = withoutFooter(joined(first.value ?? [], filled), dialect.skipFooter, maker.isDoubtful)
    for await (const some of kept) if (some.length > 0) yield await maker.items(some)
  }
  return {
    header,
    ...(form.twiceEncoded === undefined ? {} : { twiceEncoded: form.twiceEncoded }),
    ...(form.contradicted === undefined ? {} : { contradicted: form.contradicted }),
    delimiter: dialect.delimiter,
    encoding: form.encoding,
    bytesRead: () => file.bytesRead(),
    batches: () => checkedWhole(file, items()),
    sha256: () => file.sha256(),
    endsWithLineBreak: maker.endsWithLineBreak,
    isSupplement: () => isSupplement(file.name, header),
    close: async () => {
      await rows.return(undefined)
      await file.close()
    },
  }
}

interface Making extends Shape {
  readonly pad: boolean
  /** Reads the file once more. */
  census(): Promise<WidthCensus>
}

const MAYBE_CUT =
  'No line break ends the last row of the file: it may have been cut off within its last value. Where the files of this source never end with one, set source.last_line: accept'

/** Makes items of rows, which are handed in once and in order. */
function itemMaker(width: number, making: Making) {
  const { dialect, options, pad, isOwn } = making
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
    return unended === 'plain' || values.length !== width || hasQuotesInLast
  }
  const item = (row: CsvRow): SourceItem => {
    const { values, line } = row
    if (isDoubtful(row)) return { kind: 'defect', code: 'RECORD_MAYBE_CUT', message: MAYBE_CUT, values, line }
    hasQuotesInLast ||= dialect.quote !== undefined && values[width - 1]?.includes(dialect.quote) === true
    const fit = fitted(values, width, { census, pad })
    if (fit.kind === 'fits') return { kind: 'record', values: fit.values, line }
    return { kind: 'defect', code: 'RECORD_RAGGED', message: fit.why, values, line }
  }
  return {
    isDoubtful,
    endsWithLineBreak: () => endsWithLineBreak,
    async items(rows: readonly CsvRow[]): Promise<SourceItem[]> {
      if (!isOwn && rows.some(({ values }) => needsCensus(values, width, pad)))
        census ??= await making.census()
      return rows.map(item)
    },
  }
}

/** What stands before the cut may be blank, too; a lone blank is none of a row. */
const isRecord = ({ values, unended }: CsvRow): boolean =>
  hasValue(values) || (unended !== undefined && values.length > 1)

/** A row without any value is no record: exporters end files with them. */
async function* filledRows(batches: AsyncIterable<CsvRow[]>): AsyncGenerator<CsvRow[], undefined> {
  for await (const rows of batches) {
    const filled = rows.every(isRecord) ? rows : rows.filter(isRecord)
    if (filled.length > 0) yield filled
  }
  return undefined
}

async function* joined(first: CsvRow[], rest: AsyncIterable<CsvRow[]>): AsyncGenerator<CsvRow[]> {
  yield first
  yield* rest
}

/**
 * Holds back as many rows as may turn out to be the footer. Where the end of the file is in doubt, nobody knows which rows
 * these are: all of them are handed on, as doubtful as the last.
 */
async function* withoutFooter(
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
