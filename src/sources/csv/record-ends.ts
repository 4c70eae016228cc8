// Finds where records end in the raw bytes of a CSV file, without parsing them. Wherever the quotes or the line breaks leave
// that open, it is not sure, and the parser has to read the file: malformed quotes are its business alone. Pure.
import { UnsureOfRecords } from '../../core/mapping/record.ts'

export interface RawQuoting {
  readonly delimiter: string
  /** Undefined: there is no quoting. */
  readonly quote: '"' | undefined
}

/** The bytes that delimit a record. */
interface Signs {
  readonly separator: number
  readonly quote: number
}

const [LF, CR, SPACE, TAB] = [0x0a, 0x0d, 0x20, 0x09]

/** Line breaks in bytes: CR LF is one. */
function breaksBetween(bytes: Buffer, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at += 1)
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) count += 1
  return count
}

/** Behind the line break at `at`; undefined: it is not there yet. */
function behindBreak(bytes: Buffer, at: number): number | undefined {
  if (bytes[at] === LF) return at + 1
  if (bytes[at] !== CR) throw new UnsureOfRecords()
  if (at + 1 >= bytes.length) return undefined
  // A lone CR ends a record for the parser, and may mean something else to the exporter.
  if (bytes[at + 1] !== LF) throw new UnsureOfRecords()
  return at + 2
}

/** Behind the closing quote of a value; undefined: it is not there yet. */
function behindQuoted(bytes: Buffer, opened: number, quote: number): number | undefined {
  for (let at = bytes.indexOf(quote, opened + 1); at >= 0; at = bytes.indexOf(quote, at + 2)) {
    if (at + 1 >= bytes.length) return undefined
    if (bytes[at + 1] !== quote) return at + 1
  }
  return undefined
}

/** Behind a value without quotes. */
function behindPlain(bytes: Buffer, start: number, { separator, quote }: Signs): number {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === separator || byte === LF || byte === CR) return at
    if (byte === quote) throw new UnsureOfRecords()
  }
  return bytes.length
}

/** A record with quotes in it, value by value; undefined: its end is not there yet. */
function walk(bytes: Buffer, start: number, signs: Signs): { end: number; breaks: number } | undefined {
  let breaks = 0
  for (let at = start; ; at += 1) {
    while (bytes[at] === SPACE || (bytes[at] === TAB && signs.separator !== TAB)) at += 1
    if (bytes[at] === signs.quote) {
      const behind = behindQuoted(bytes, at, signs.quote)
      if (behind === undefined) return undefined
      breaks += breaksBetween(bytes, at + 1, behind - 1)
      at = behind
    } else at = behindPlain(bytes, at, signs)
    if (at >= bytes.length) return undefined
    if (bytes[at] === signs.separator) continue
    const end = behindBreak(bytes, at)
    return end === undefined ? undefined : { end, breaks }
  }
}

/** Finds the ends within the bytes that it was given last. Throws UnsureOfRecords. */
export function createRecordEnds({ delimiter, quote }: RawQuoting) {
  const signs = { separator: delimiter.charCodeAt(0), quote: quote?.charCodeAt(0) ?? -1 }
  let bytes: Buffer = Buffer.alloc(0)
  // Where the next ones are is remembered: looking for them at each record would read the rest of the bytes each time.
  let nextQuote = -1
  let nextCr = -1
  let breaks = 0
  const indexOf = (byte: number, from: number): number => {
    const found = bytes.indexOf(byte, from)
    return found < 0 ? bytes.length : found
  }
  return {
    look(given: Buffer): void {
      bytes = given
      nextQuote = quote === undefined ? bytes.length : -1
      nextCr = -1
    },
    /** Behind the record that begins at `start`; undefined: its end is not there yet. */
    next(start: number): number | undefined {
      const lf = indexOf(LF, start)
      if (nextQuote < start) nextQuote = quote === undefined ? bytes.length : indexOf(signs.quote, start)
      breaks = 0
      if (nextQuote < lf) {
        const found = walk(bytes, start, signs)
        breaks = found?.breaks ?? 0
        return found?.end
      }
      if (lf >= bytes.length) return undefined
      if (nextCr < start) nextCr = indexOf(CR, start)
      if (nextCr < lf - 1) throw new UnsureOfRecords()
      return lf + 1
    },
    /** Line breaks within the record that was found last. */
    breaks: () => breaks,
  }
}
