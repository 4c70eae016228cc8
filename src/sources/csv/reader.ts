// Reads one CSV file: its form is detected, its header read, and its rows become records or defects.
// Decides nothing about values: they are passed on unchanged.
import type { InputReader, OpenOptions } from '../../core/ports.ts'
import type { RawBlock, SourceItem } from '../../core/mapping/record.ts'
import { SyncError } from '../../core/words/errors.ts'
import { checkedWhole, closingOnFailure, type InputFile } from '../input-file.ts'
import { surveyText, type TextForm } from '../text/text-survey.ts'
import { isSupplement } from '../supplement.ts'
import { utf8Text } from '../text/text-stream.ts'
import { DELIMITERS, type Dialect, dialectOf, ownRejectsDelimiter, ownRejectsDialect } from './dialect.ts'
import { headerLine, repeatedHeader } from './header-line.ts'
import { filledRows, isRecord, itemMaker, joined, type Shape, withoutFooter } from './items.ts'
import type { CsvOptions } from './options.ts'
import { csvRows, type CsvRow } from './parse.ts'
import { widthCensus } from './ragged.ts'
import type { RawForm } from './raw-blocks.ts'
import { aheadOfParser, besideParser, isLikeAscii } from './raw-reading.ts'
import { hasBytesOf, rawFormText, settledReader } from './settled-file.ts'
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
  { columns = [], lastEndedWithLineBreak = false, settled }: Partial<OpenOptions> = {},
): Promise<CsvReader> {
  return closingOnFailure(file, async () => {
    if (settled !== undefined && (await hasBytesOf(file, settled))) return settledReader(file, settled)
    const own = ownRejectsDelimiter(await rawHead(file))
    const form = await surveyText(file, own === undefined ? options.encoding : 'auto')
    const dialect =
      own === undefined
        ? foundDialect(file.name, await textHead(file, form), { options, columns })
        : ownRejectsDialect(own)
    const text = { name: file.name, dialect, maxRecordBytes: options.max_record_bytes }
    const rows = (from: InputFile) =>
      csvRows({ ...text, read: () => withoutFirstLines(utf8Text(from, form), dialect.skipLines) })
    const shape = { form, dialect, options, isOwn: own !== undefined, lastEndedWithLineBreak }
    return openReader(file, rows, shape)
  })
}

/** The dialect of a file, whose header may have to be found. */
function foundDialect(
  name: string,
  head: string,
  { options, columns }: { options: CsvOptions; columns: readonly string[] },
): Dialect {
  const { skip_lines: skipLines, delimiter, quote } = options
  if (skipLines !== 'auto') return dialectOf(head, { ...options, skip_lines: skipLines })
  const delimiters = delimiter === 'auto' ? DELIMITERS : [delimiter]
  const found = headerLine(head, { name, columns, delimiters, quote })
  const settled = { delimiter: found.delimiter ?? delimiter, skip_lines: found.skipLines }
  return dialectOf(head, { ...options, ...settled })
}

type Rows = AsyncGenerator<CsvRow[]>

/** How its raw bytes are written; undefined where only the parser can tell its records apart. */
function rawFormOf({ dialect, form, isOwn, options }: Shape, headerLine: number): RawForm | undefined {
  const { delimiter, quote, skipLines, skipFooter } = dialect
  if (isOwn || skipFooter > 0 || !isLikeAscii(form.encoding)) return undefined
  if (quote !== undefined && quote !== '"') return undefined
  const { markBytes } = form
  return { delimiter, quote, markBytes, skipLines, headerLine, maxRecordBytes: options.max_record_bytes }
}

interface Ways {
  readonly file: InputFile
  readonly read: (from: InputFile) => Rows
  readonly shape: Shape
  readonly header: readonly string[]
}

/** The ways to read the records of a file, each from its beginning. */
function createWays({ file, read, shape, header }: Ways) {
  const { dialect, form, options, isOwn } = shape
  const width = header.length
  let isPassedOver = false
  async function* fromStart(all: Rows): AsyncGenerator<CsvRow[]> {
    const filled = filledRows(all)
    const head = await filled.next()
    if (dialect.header === undefined) head.value?.shift()
    yield* joined(head.value ?? [], filled)
  }
  const maker = itemMaker(width, {
    ...shape,
    short: isOwn ? 'reject' : options.ragged,
    census: async () => widthCensus(fromStart(read(file)), width),
    isPassedOver: () => isPassedOver,
    isHeader: repeatedHeader(header, { name: file.name, what: 'line' }),
  })
  async function* items(batches: AsyncIterable<CsvRow[]>): AsyncGenerator<SourceItem[]> {
    const kept = withoutFooter(batches, dialect.skipFooter, maker.isDoubtful)
    for await (const some of kept) if (some.length > 0) yield await maker.items(some)
  }
  return {
    endsWithLineBreak: maker.endsWithLineBreak,
    items,
    /** Every record, with its block where that is known. */
    async *beside(raw: RawForm): AsyncGenerator<SourceItem[]> {
      const beside = besideParser(file, raw)
      yield* items(beside.placed(fromStart(read(beside.file))))
    },
    /** Those of blocks that are not settled. */
    async *ahead(raw: RawForm, isSettled: (block: RawBlock) => boolean): AsyncGenerator<SourceItem[]> {
      const text = { name: file.name, dialect, maxRecordBytes: options.max_record_bytes }
      const noting = (block: RawBlock): boolean => {
        const is = isSettled(block)
        isPassedOver ||= is
        return is
      }
      const rows = aheadOfParser(file, { form: raw, text, encoding: form.encoding, isSettled: noting })
      for await (const some of rows) yield await maker.items(some.filter(isRecord))
    },
  }
}

async function openReader(
  file: InputFile,
  read: (from: InputFile) => Rows,
  shape: Shape,
): Promise<CsvReader> {
  const rows = read(file)
  const filled = filledRows(rows)
  const first = await filled.next()
  if (first.done === true) throw new SyncError('INPUT_EMPTY', `${file.name} has no header and no record`)
  const { dialect, form } = shape
  const headerRow = dialect.header === undefined ? first.value.shift() : undefined
  const header = dialect.header ?? headerNames(headerRow)
  const raw = rawFormOf(shape, headerRow?.line ?? 0)
  const ways = createWays({ file, read, shape, header })
  const batches: InputReader['batches'] = (blocks) => {
    if (raw === undefined || blocks === undefined) return ways.items(joined(first.value, filled))
    return blocks === 'beside' ? ways.beside(raw) : ways.ahead(raw, blocks)
  }
  return {
    header,
    ...(form.twiceEncoded === undefined ? {} : { twiceEncoded: form.twiceEncoded }),
    ...(form.contradicted === undefined ? {} : { contradicted: form.contradicted }),
    delimiter: dialect.delimiter,
    encoding: form.encoding,
    bytesRead: () => file.bytesRead(),
    rawForm: raw && rawFormText(raw, form.encoding),
    batches: (blocks) => checkedWhole(file, batches(blocks)),
    sha256: () => file.sha256(),
    endsWithLineBreak: ways.endsWithLineBreak,
    isSupplement: () => isSupplement(file.name, header),
    close: async () => {
      await rows.return(undefined)
      await file.close()
    },
  }
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

/** The beginning of a file's text. */
export async function textHead(file: InputFile, form: TextForm): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of utf8Text(file, form)) {
    text += decoder.decode(part, { stream: true })
    if (text.length >= SAMPLE_BYTES) break
  }
  return text
}
