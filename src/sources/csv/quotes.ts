// Malformed quotes: which values give reason to check them, and the messages about them. Messages name the
// place where a quote opened, which csv-parse does not know, and never what the record holds.
import { SyncError, type ErrorCode } from '../../core/words/errors.ts'
import { breaksIn, findQuoteFault, type QuoteFault, type Quoting } from './rows.ts'

interface Place {
  /** The file, for messages. */
  readonly name: string
  /** The line on which the text begins. */
  readonly line: number
  readonly quoting: Quoting
}

/** The error for the first malformed quote of a text that begins with a record; undefined if there is none. */
export function quoteRefusal(code: ErrorCode, raw: string, place: Place): SyncError | undefined {
  const fault = findQuoteFault(raw, place.quoting)
  if (fault === undefined) return undefined
  const before = raw.slice(0, fault.offset)
  const line = place.line + breaksIn(before)
  const column = fault.offset - Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'))
  const what = whatIsWrong(fault, raw)
  return new SyncError(code, `${place.name}: the quote that opens at line ${line}, column ${column} ${what}`)
}

function whatIsWrong({ closed }: QuoteFault, raw: string): string {
  if (closed === undefined) return 'is never closed'
  return raw[closed - 1] === '\\'
    ? 'contains quotes with a backslash before them; they must be doubled instead'
    : 'ends in the middle of its value'
}

/**
 * Whether a record read with csv-parse's `relax_quotes` must be looked at: it puts the opening quote back
 * before a value whose quotes are malformed, and a value may also begin with a quote by right.
 */
export function hasSuspiciousQuote(values: readonly string[], quote: string | undefined): boolean {
  return quote !== undefined && (values.some((value) => value.startsWith(quote)) || fallsApart(values, quote))
}

/** Whether a record fell apart because its quotes are escaped with a backslash. */
export function hasBackslashQuote(
  values: readonly string[],
  raw: string,
  quote: string | undefined,
): boolean {
  return quote !== undefined && fallsApart(values, quote) && raw.includes(`\\${quote}`)
}

/** `"a \", b"` becomes a value that ends with a backslash and one that ends with a quote. */
function fallsApart(values: readonly string[], quote: string): boolean {
  return values.some((value, index) => value.endsWith('\\') && values[index + 1]?.endsWith(quote) === true)
}

export function backslashRefusal(name: string, line: number): SyncError {
  return new SyncError(
    'INPUT_QUOTE',
    `${name}: the record on line ${line} contains quotes with a backslash before them; they must be doubled instead`,
  )
}
