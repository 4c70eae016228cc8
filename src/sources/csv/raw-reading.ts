// Reads a CSV file by the blocks of its raw bytes. Either beside the parser, to say of which block each row is; or ahead
// of it: then the blocks that are settled are passed over, and the parser is handed the others alone.
import iconv from 'iconv-lite'
import { type RawBlock, UnsureOfRecords } from '../../core/mapping/record.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { InputFile } from '../input-file.ts'
import { BATCH_ROWS, type CsvRow, type CsvText, startParsing } from './parse.ts'
import { createBlockFinder, type RawForm, type RawPart } from './raw-blocks.ts'

/** Encodings in which the bytes of ASCII stand for ASCII alone. */
const LIKE_ASCII = /^(utf-8|windows-?125\d|cp-?125\d|win-?125\d|iso-?8859-?\d+|latin-?\d+|us-ascii|ascii)$/i

export const isLikeAscii = (encoding: string): boolean => LIKE_ASCII.test(encoding)

const CHUNK_BYTES = 256 * 1024
/** As much as the parser is handed at once. */
const PARSED_BYTES = 32 * 1024

/** Parts of the file that are parsed, by the lines that the parser counts: of which block a row is, and on which line. */
function createPlaces() {
  let places: { readonly from: number; readonly shift: number; readonly block: RawBlock | undefined }[] = []
  let first = 0
  return {
    /** @param from the line on which the part begins, as the parser counts */
    add({ line, block }: RawPart, from: number): void {
      const last = places.at(-1)
      // Blank lines, of which there may be millions, that follow each other.
      if (block === undefined && last?.block === undefined && last?.shift === line - from) return
      places.push({ from, shift: line - from, block })
    },
    /** Rows are handed in once, in order. */
    placed(row: CsvRow): CsvRow {
      while ((places[first + 1]?.from ?? Number.POSITIVE_INFINITY) <= row.line) first += 1
      if (first > 1000) {
        places = places.slice(first)
        first = 0
      }
      const place = places[first]
      if (place === undefined || place.from > row.line) return row
      const line = row.line + place.shift
      return place.block?.lines.includes(line) === true
        ? { ...row, line, block: place.block }
        : { ...row, line }
    },
  }
}

/**
 * The file, with a finder of blocks that reads along; and rows of it with their blocks, as far as it is sure of them. Rows
 * wait until the finder has come to the end of their block.
 */
export function besideParser(file: InputFile, form: RawForm) {
  const places = createPlaces()
  let finder = createBlockFinder(form)
  let found = 0
  let passes = 0
  const giveUp = (): void => {
    finder = { feed: noParts, end: noParts }
    found = Number.POSITIVE_INFINITY
  }
  const look = (parts: () => Iterable<RawPart>): void => {
    try {
      for (const part of parts()) {
        places.add(part, part.line)
        found = Math.max(found, part.nextLine)
      }
    } catch (error) {
      if (!(error instanceof UnsureOfRecords)) throw error
      giveUp()
    }
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    passes += 1
    // It is read once more because of a stray quote: then nothing tells for sure where records end.
    if (passes > 1) giveUp()
    for await (const chunk of file.chunks()) {
      look(() => finder.feed(chunk))
      yield chunk
    }
    look(() => finder.end())
    found = Number.POSITIVE_INFINITY
  }
  async function* placed(batches: AsyncIterable<CsvRow[]>): AsyncGenerator<CsvRow[]> {
    let waiting: CsvRow[] = []
    for await (const rows of batches) {
      waiting.push(...rows)
      const open = waiting.findIndex(({ line }) => line >= found)
      const ready = open < 0 ? waiting : waiting.slice(0, open)
      waiting = open < 0 ? [] : waiting.slice(open)
      if (ready.length > 0) yield ready.map(places.placed)
    }
    if (waiting.length > 0) yield waiting.map(places.placed)
  }
  return { file: { ...file, chunks }, placed }
}

function* noParts(): Generator<RawPart> {
  // It is not sure any more.
}

function decoded(bytes: Buffer, encoding: string): Buffer {
  // The finder's bytes are good for a moment only.
  if (encoding === 'utf-8') return Buffer.from(bytes)
  const text = iconv.decode(bytes, encoding, { stripBOM: false })
  if (text.includes('\ufffd')) throw new UnsureOfRecords()
  return Buffer.from(text)
}

interface Ahead {
  readonly form: RawForm
  readonly text: Omit<CsvText, 'read'>
  readonly encoding: string
  isSettled(block: RawBlock): boolean
}

/** What the parser has against these parts alone, it has to say about the whole file. */
async function unlessUnsure(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    throw error instanceof SyncError && error.class === 'later' ? error : new UnsureOfRecords()
  })
}

/**
 * The rows of all blocks that are not settled, some hundreds at a time; none at all for a stretch without such rows.
 * Throws UnsureOfRecords where the file must be read without it.
 */
export async function* aheadOfParser(file: InputFile, ahead: Ahead): AsyncGenerator<CsvRow[]> {
  const { form, text, encoding, isSettled } = ahead
  const finder = createBlockFinder(form)
  const places = createPlaces()
  const { rows, write, end } = startParsing(
    { ...text, dialect: { ...text.dialect, skipLines: 0 } },
    { relaxed: false, skip: 0 },
  )
  let nextLine = 1
  let waiting: Buffer[] = []
  let bytes = 0
  const take = (parts: Iterable<RawPart>): void => {
    for (const part of parts) {
      if (part.block !== undefined && isSettled(part.block)) continue
      places.add(part, nextLine)
      nextLine += part.nextLine - part.line
      waiting.push(decoded(part.bytes, encoding))
      bytes += part.bytes.length
    }
  }
  const parse = async (): Promise<void> => {
    const part = Buffer.concat(waiting)
    ;[waiting, bytes] = [[], 0]
    await unlessUnsure(write(part))
  }
  for await (const chunk of file.chunks(CHUNK_BYTES)) {
    take(finder.feed(chunk))
    if (bytes >= PARSED_BYTES) await parse()
    while (rows.length > BATCH_ROWS) yield rows.splice(0, BATCH_ROWS).map(places.placed)
    yield rows.splice(0).map(places.placed)
  }
  take(finder.end())
  if (bytes > 0) await parse()
  await unlessUnsure(end())
  while (rows.length > 0) yield rows.splice(0, BATCH_ROWS).map(places.placed)
}
