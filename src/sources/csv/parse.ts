// Text to rows with csv-parse: fed part by part, each part's rows taken before the next is read, so that
// memory stays flat. Malformed quotes end the reading with the place where they opened; nothing is repaired.
import { parse, type Parser } from 'csv-parse'
import { SyncError, type ErrorCode } from '../../core/words/errors.ts'
import type { RawBlock } from '../../core/mapping/record.ts'
import type { Dialect } from './dialect.ts'
import { createLineCount } from './line-count.ts'
import { breaksIn, endOfRow, fromFirstRow, areBlankLines } from './rows.ts'
import { hasBackslashQuote, hasSuspiciousQuote, backslashRefusal, quoteRefusal } from './quotes.ts'

export interface CsvRow {
  readonly values: string[]
  /** The line on which it begins. */
  readonly line: number
  /** The text ends with it and not with a line break: whether its last value is closed by a quote. */
  unended?: 'quoted' | 'plain'
  /** Of whose bytes it was parsed, where they are known. */
  readonly block?: RawBlock
}

export interface CsvText {
  /** For messages. */
  readonly name: string
  readonly dialect: Dialect
  readonly maxRecordBytes: number
  /** The text as UTF-8, from the beginning. May be asked for twice. */
  read(): AsyncIterable<Buffer>
}

export const BATCH_ROWS = 200
const MID_VALUE_QUOTE = ['INVALID_OPENING_QUOTE', 'CSV_INVALID_OPENING_QUOTE']

/** The rows in order, some hundreds at a time. Throws INPUT_QUOTE or INPUT_RECORD_TOO_LARGE. */
export async function* csvRows(text: CsvText): AsyncGenerator<CsvRow[]> {
  let handedOut = 0
  try {
    for await (const rows of pass(text, { relaxed: false, skip: 0 })) {
      handedOut += rows.length
      yield rows
    }
  } catch (error) {
    // A quote inside an unquoted value is text, but csv-parse takes that only with all other malformed
    // quotes. So a file that has one is read again from its start, and its quotes are looked at here.
    if (!(error instanceof StrayQuote)) throw error
    yield* pass(text, { relaxed: true, skip: handedOut })
  }
}

class StrayQuote extends Error {}

interface Mode {
  readonly relaxed: boolean
  /** Rows that were handed out before. */
  readonly skip: number
}

/** A parser that is fed part by part. */
export interface CsvParsing {
  /** Rows that are complete and have not been taken yet. */
  readonly rows: CsvRow[]
  write(part: Buffer): Promise<void>
  end(): Promise<void>
}

export function startParsing(text: Omit<CsvText, 'read'>, mode: Mode): CsvParsing {
  const collector = createCollector(text, mode)
  const parser = parse({
    delimiter: text.dialect.delimiter,
    quote: text.dialect.quote ?? false,
    escape: text.dialect.quote ?? false,
    record_delimiter: ['\r\n', '\n', '\r'],
    bom: false,
    // `"a", "b"`: without this the second value would keep its blank and its quotes.
    ltrim: true,
    relax_column_count: true,
    relax_quotes: mode.relaxed,
    skip_empty_lines: true,
    max_record_size: text.maxRecordBytes,
    on_record: (values: string[], info) => {
      collector.take(values, info)
      return null
    },
  })
  // Failures reach us through the callbacks; without a listener the same event would end the process.
  parser.on('error', () => undefined)
  return {
    rows: collector.rows,
    async write(part) {
      collector.expect(part)
      await step(collector, (done) => parser.write(part, done))
    },
    async end() {
      collector.expectEnd()
      await step(collector, (done) => end(parser, done))
      collector.markEnd()
    },
  }
}

async function* pass(text: CsvText, mode: Mode): AsyncGenerator<CsvRow[]> {
  const { rows, write, end } = startParsing(text, mode)
  for await (const part of text.read()) {
    await write(part)
    while (rows.length >= BATCH_ROWS) yield rows.splice(0, BATCH_ROWS)
  }
  await end()
  if (rows.length > 0) yield rows
}

type Done = (error?: Error | null) => void

async function step(collector: Collector, work: (done: Done) => void): Promise<void> {
  const error = await new Promise<Error | null | undefined>(work)
  if (error instanceof SyncError) throw error
  if (error) throw collector.explain(error)
}

function end(parser: Parser, done: Done): void {
  parser.once('error', done)
  parser.once('finish', () => done())
  parser.end()
}

interface Collector {
  readonly rows: CsvRow[]
  /** The part that is parsed next. */
  expect(part: Buffer): void
  /** No part follows: what is taken from now on stands at the end of the text. */
  expectEnd(): void
  /** Says of the last row whether a line break ended it. */
  markEnd(): void
  take(values: string[], info: { readonly lines: number; readonly bytes: number }): void
  /** The parser's error in our words: its own message holds values. */
  explain(error: Error): Error
}

/** The text since the end of the last record, by offsets in the whole text. */
interface Window {
  /** `from`: nothing before it is looked at any more. */
  add(part: Buffer, from: number): void
  /** How much of the text waits. */
  bytes(): number
  /**
   * Where nothing but line breaks follows `from`, they are blank lines, and are dropped. Gives where the text continues and
   * how many lines that were; undefined where more than that follows.
   */
  passBlank(from: number): { readonly to: number; readonly lines: number } | undefined
  textFrom(start: number, stop?: number): string
}

const CR = 0x0d
/** As much may wait for its record; beyond that it is looked at whether it is blank. */
const WAITING_BYTES = 256 * 1024

/** Its parts are joined when they are looked at: blank lines are no records, and joining each would cost their square. */
function createWindow(): Window {
  let parts: Buffer[] = []
  let windowStart = 0
  const joined = (): Buffer => {
    const [only] = parts
    const whole = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
    parts = [whole]
    return whole
  }
  return {
    bytes: () => parts.reduce((sum, { length }) => sum + length, 0),
    passBlank(from) {
      // In one pass over the parts: a long record is not joined again with each of them.
      const isAllBlank = parts.every((part, index) =>
        areBlankLines(index === 0 ? part.subarray(from - windowStart) : part),
      )
      if (!isAllBlank) return undefined
      const rest = joined().subarray(from - windowStart)
      // A line feed that follows would end the same line.
      const end = rest.at(-1) === CR ? rest.length - 1 : rest.length
      parts = [rest.subarray(end)]
      windowStart = from + end
      return { to: windowStart, lines: breaksIn(rest.toString('latin1', 0, end)) }
    },
    add(part, from) {
      for (
        let first = parts[0];
        first !== undefined && windowStart + first.length <= from;
        first = parts[0]
      ) {
        parts.shift()
        windowStart += first.length
      }
      parts.push(part)
    },
    textFrom(start, stop) {
      return joined().toString(
        'utf8',
        start - windowStart,
        stop === undefined ? undefined : stop - windowStart,
      )
    },
  }
}

function createCollector(text: Omit<CsvText, 'read'>, mode: Mode): Collector {
  const { dialect } = text
  const rows: CsvRow[] = []
  const lines = createLineCount(dialect.skipLines)
  let skip = mode.skip
  const window = createWindow()
  let recordStart = 0
  // Lines that were dropped since the last record.
  let blankLines = 0
  const lineBehind = (): number => lines.next() + blankLines
  // Where the last row of the text begins, once no more text follows.
  let lastStart: number | undefined
  let isAtEnd = false

  const refusal = (code: ErrorCode, raw: string, line: number): SyncError | undefined =>
    quoteRefusal(code, raw, { name: text.name, line, quoting: dialect })

  return {
    rows,
    expect(part) {
      const blank = window.bytes() > WAITING_BYTES ? window.passBlank(recordStart) : undefined
      if (blank !== undefined) {
        recordStart = blank.to
        blankLines += blank.lines
      }
      window.add(part, recordStart)
    },
    expectEnd() {
      isAtEnd = true
    },
    markEnd() {
      const last = rows.at(-1)
      if (last === undefined || lastStart === undefined) return
      const raw = fromFirstRow(window.textFrom(lastStart), dialect)
      const ending = endOfRow(raw, dialect)
      if (ending !== 'break') last.unended = ending
    },
    take(values, info) {
      if (isAtEnd) lastStart = recordStart
      const behind = lineBehind()
      blankLines = 0
      const line = lines.begins(values, info.lines)
      if (mode.relaxed && hasSuspiciousQuote(values, dialect.quote)) {
        const raw = window.textFrom(recordStart, info.bytes)
        const error = refusal('INPUT_QUOTE', raw, behind)
        if (error !== undefined) throw error
        if (hasBackslashQuote(values, raw, dialect.quote)) throw backslashRefusal(text.name, line)
      }
      recordStart = info.bytes
      if (skip > 0) skip -= 1
      else rows.push({ values, line })
    },
    explain(error) {
      const code = 'code' in error ? String(error.code) : ''
      if (MID_VALUE_QUOTE.includes(code)) return new StrayQuote()
      const raw = window.textFrom(recordStart)
      if (code !== 'CSV_MAX_RECORD_SIZE') {
        const malformed = `${text.name}: the record on line ${lineBehind()} has a malformed quote`
        return refusal('INPUT_QUOTE', raw, lineBehind()) ?? new SyncError('INPUT_QUOTE', malformed)
      }
      const tooLarge = `${text.name}: the record on line ${lineBehind()} has more than ${text.maxRecordBytes} bytes`
      return (
        refusal('INPUT_RECORD_TOO_LARGE', raw, lineBehind()) ??
        new SyncError('INPUT_RECORD_TOO_LARGE', tooLarge)
      )
    },
  }
}
