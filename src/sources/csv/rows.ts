// The rows of one file, and in words of ours what the parser stumbles over.
import { SyncError } from '../../core/errors.ts'
import { isCsvError, type ParseRules, parsedRows, type Row } from './parse.ts'
import { findQuoteMistake } from './quotes.ts'

export interface RowSource {
  /** The text from its start; may be asked for again. */
  text(): AsyncIterable<string>
  readonly rules: Omit<ParseRules, 'relaxed'>
  /** Lines that were taken off before the text. */
  readonly skipLines: number
}

/** The place where a quoted value goes wrong, as an error; undefined where none does. */
async function quoteError({ text, rules, skipLines }: RowSource): Promise<SyncError | undefined> {
  const { quote, delimiter } = rules
  const found = quote === undefined ? undefined : await findQuoteMistake(text(), { delimiter, quote })
  if (found === undefined) return undefined
  const what = found.kind === 'never closed' ? 'never closes' : 'closes in the middle of a value'
  return new SyncError(
    'INPUT_QUOTE',
    `line ${found.line + skipLines}, column ${found.column}: the quote that opens here ${what}`,
  )
}

async function inputError(error: unknown, source: RowSource): Promise<unknown> {
  if (!isCsvError(error)) return error
  const quote = await quoteError(source)
  if (quote !== undefined) return quote
  const line = Number((error as { lines?: unknown }).lines ?? 1) + source.skipLines
  if (error.code !== 'CSV_MAX_RECORD_SIZE')
    return new SyncError('INPUT_QUOTE', `line ${line}: the file cannot be read as CSV (${error.code})`)
  return new SyncError(
    'INPUT_RECORD_TOO_LARGE',
    `line ${line}: a record is larger than ${source.rules.maxRecordBytes} bytes`,
  )
}

const numbered = (rows: readonly Row[], skipLines: number): Row[] =>
  skipLines === 0 ? [...rows] : rows.map(({ values, line }) => ({ values, line: line + skipLines }))

async function* strictRows(
  source: RowSource,
  handedOut: { rows: number },
): AsyncGenerator<Row[], 'done' | 'stray quote'> {
  try {
    for await (const rows of parsedRows(source.text(), { ...source.rules, relaxed: false })) {
      handedOut.rows += rows.length
      yield numbered(rows, source.skipLines)
    }
    return 'done'
  } catch (error) {
    if (isCsvError(error) && error.code === 'INVALID_OPENING_QUOTE') return 'stray quote'
    throw await inputError(error, source)
  }
}

/**
 * Rows as they come, with their lines in the file. Quotes inside unquoted values are text; a quoted value that never
 * closes, or closes in its middle, throws INPUT_QUOTE with the place where it opened.
 */
export async function* fileRows(source: RowSource): AsyncGenerator<Row[]> {
  const handedOut = { rows: 0 }
  if ((yield* strictRows(source, handedOut)) === 'done') return
  // Once more, with such quotes as text. Real mistakes would pass in silence that way, so they are looked for first.
  const mistake = await quoteError(source)
  if (mistake !== undefined) throw mistake
  let toSkip = handedOut.rows
  try {
    for await (const rows of parsedRows(source.text(), { ...source.rules, relaxed: true })) {
      const fresh = rows.slice(toSkip)
      toSkip = Math.max(0, toSkip - rows.length)
      if (fresh.length > 0) yield numbered(fresh, source.skipLines)
    }
  } catch (error) {
    throw await inputError(error, source)
  }
}
