// From text to rows, by csv-parse, with the line on which each row begins.
// Rows are collected in a callback instead of leaving through the stream: that costs what a bare parse costs.
import { CsvError, type Info, parse, type Parser } from 'csv-parse'

export interface Row {
  readonly values: string[]
  readonly line: number
}

export interface ParseRules {
  readonly delimiter: string
  /** Undefined: quotes are text. */
  readonly quote: string | undefined
  /** Quotes inside unquoted values are text; without it they are an error. */
  readonly relaxed: boolean
  readonly maxRecordBytes: number
}

export const isCsvError = (error: unknown): error is CsvError => error instanceof CsvError

/** The parser counts a CRLF inside quotes as two lines. */
function pairsInside(values: readonly string[]): number {
  return values.reduce((pairs, value) => pairs + value.split('\r\n').length - 1, 0)
}

function rowCollector() {
  let rows: Row[] = []
  let lastLine = 0
  let emptyLines = 0
  let overcounted = 0
  return {
    onRecord(values: string[], info: Info): null {
      // `lines` is where the record ends: it begins after the one before it and the blank lines between.
      const line = lastLine + 1 + info.empty_lines - emptyLines
      if (info.lines - overcounted > line) overcounted += pairsInside(values)
      lastLine = info.lines - overcounted
      emptyLines = info.empty_lines
      rows.push({ values, line })
      return null
    },
    take(): Row[] {
      const taken = rows
      rows = []
      return taken
    },
  }
}

const written = (parser: Parser, text: string): Promise<void> =>
  new Promise((resolve, reject) =>
    parser.write(text, (error) => (error instanceof Error ? reject(error) : resolve())),
  )

const ended = (parser: Parser): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.once('error', reject)
    parser.once('end', resolve)
    parser.resume()
    parser.end()
  })

/** Rows of a text, as many at a time as a piece of it holds. Throws csv-parse's errors. */
export async function* parsedRows(text: AsyncIterable<string>, rules: ParseRules): AsyncGenerator<Row[]> {
  const collector = rowCollector()
  const parser = parse({
    delimiter: rules.delimiter,
    quote: rules.quote ?? false,
    escape: rules.quote ?? null,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: rules.relaxed,
    skip_empty_lines: true,
    max_record_size: rules.maxRecordBytes,
    on_record: (record: string[], info) => collector.onRecord(record, info),
  })
  // Errors come through the callbacks; without a listener they would end the process.
  parser.on('error', () => undefined)
  for await (const piece of text) {
    await written(parser, piece)
    const rows = collector.take()
    if (rows.length > 0) yield rows
  }
  await ended(parser)
  const rest = collector.take()
  if (rest.length > 0) yield rest
}
