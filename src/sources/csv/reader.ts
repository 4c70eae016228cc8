// Reads one CSV file: decides how it is laid out, finds the header, hands on records and rows that are none.
import { SyncError } from '../../core/errors.ts'
import type { InputReader } from '../../core/ports.ts'
import type { SourceItem } from '../../core/record.ts'
import { surveyBytes } from '../bytes.ts'
import type { ClaimedFile } from '../drop-folder.ts'
import { decodedText } from '../encoding.ts'
import { layoutOf, skippedLines } from './layout.ts'
import type { CsvOptions } from './options.ts'
import type { Row } from './parse.ts'
import { fileRows } from './rows.ts'

const BATCH = 500

const cleanName = (name: string): string => name.replace(/[\u00a0\ufeff]/g, ' ').trim()
const isFilled = ({ values }: Row): boolean => values.some((value) => value !== '' && value.trim() !== '')

function recordItem({ values, line }: Row, width: number, ragged: CsvOptions['ragged']): SourceItem {
  const found = values.length
  if (found === width) return { kind: 'record', values, line }
  const surplus = values.slice(width)
  if (found > width && surplus.every((value) => value.trim() === ''))
    return { kind: 'record', values: values.slice(0, width), line }
  if (found < width && ragged === 'pad')
    return { kind: 'record', values: [...values, ...Array<string>(width - found).fill('')], line }
  const message = `the row has ${found} ${found === 1 ? 'value' : 'values'}, the header has ${width}`
  return { kind: 'defect', code: 'RECORD_RAGGED', message, values, line }
}

/** Rows that hold anything, in batches; the last `footer` of them are left out. */
async function* batchedRows(pieces: AsyncIterable<readonly Row[]>, footer: number): AsyncGenerator<Row[]> {
  let rows: Row[] = []
  for await (const piece of pieces) {
    for (const row of piece) if (isFilled(row)) rows.push(row)
    while (rows.length >= BATCH + footer) {
      yield rows.slice(0, BATCH)
      rows = rows.slice(BATCH)
    }
  }
  const rest = rows.slice(0, Math.max(0, rows.length - footer))
  if (rest.length > 0) yield rest
}

/** Takes the first filled row off a stream of rows. */
async function withFirst(
  pieces: AsyncGenerator<Row[]>,
): Promise<{ first: Row | undefined; rest: AsyncGenerator<Row[]> }> {
  let first: Row | undefined
  let left: Row[] = []
  while (first === undefined) {
    const next = await pieces.next()
    if (next.done === true) break
    const { value } = next
    const at = value.findIndex(isFilled)
    first = value[at]
    left = at < 0 ? [] : value.slice(at + 1)
  }
  const rest = async function* () {
    yield left
    yield* pieces
  }
  return { first, rest: rest() }
}

export interface CsvReader extends InputReader {
  readonly delimiter: string
}

/** Opens a claimed file. Throws a SyncError of class `input` for what makes it unusable. */
export async function openCsv(file: ClaimedFile, options: CsvOptions): Promise<CsvReader> {
  const survey = await surveyBytes(file.handle)
  const { encoding, delimiter, quote, skipLines, skipFooter } = await layoutOf(file, survey, options)
  let bytes = 0
  const text = () =>
    skippedLines(
      decodedText(file.handle, encoding, (read) => (bytes = read)),
      skipLines,
    )
  const rules = { delimiter, quote, maxRecordBytes: options.maxRecordBytes }
  const pieces = fileRows({ text, rules, skipLines })
  const { first, rest } =
    options.header === undefined
      ? await withFirst(pieces)
      : { first: { values: options.header }, rest: pieces }
  if (first === undefined) throw new SyncError('INPUT_EMPTY', 'the file holds no header')
  const header = first.values.map(cleanName)
  return {
    header,
    delimiter,
    bytesRead: () => bytes,
    sha256: () => survey.sha256,
    close: () => file.handle.close(),
    async *batches() {
      for await (const rows of batchedRows(rest, skipFooter))
        yield rows.map((row) => recordItem(row, header.length, options.ragged))
      await file.assertUnchanged()
    },
  }
}
