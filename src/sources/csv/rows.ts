// The small quote-aware reading of CSV text that needs no parser: rows of a sample, to find out the dialect,
// and where a quote went wrong, to say it. Pure. Records for the service never come from here.

export interface Quoting {
  readonly delimiter: string
  /** Undefined: there is no quoting. */
  readonly quote: string | undefined
}

export interface QuoteFault {
  /** Where the quote opened: offset in the text. */
  readonly offset: number
  /** Where the value ended in mid-value; undefined: it never ends. */
  readonly closed: number | undefined
}

/** One value as it stands in the text. */
interface Cell {
  readonly start: number
  /** Behind the value and its quotes. */
  readonly end: number
  readonly fault?: QuoteFault
}

/**
 * How many values each row of a sample has, and how many delimiters no blank follows. Blank lines are none.
 * @param text whole, or cut off anywhere: then the last row may be short
 */
export function* sampleRows(
  text: string,
  quoting: Quoting,
): Generator<{ text: string; width: number; tight: number }> {
  let row = { start: 0, width: 0, tight: 0 }
  for (const cell of cells(text, quoting)) {
    row.width += 1
    if (text[cell.end] === quoting.delimiter) {
      if (text[cell.end + 1] !== ' ') row.tight += 1
      continue
    }
    const line = text.slice(row.start, cell.end)
    if (line.trim() !== '') yield { text: line, width: row.width, tight: row.tight }
    row = { start: behindBreak(text, cell.end), width: 0, tight: 0 }
  }
}

/** The values of the row with which a text begins, as they stand there. */
export function cellsOfRow(text: string, quoting: Quoting): { raw: string; isQuoted: boolean }[] {
  const { quote = '' } = quoting
  const found: { raw: string; isQuoted: boolean }[] = []
  for (const { start, end, fault } of cells(text, quoting)) {
    const raw = text.slice(start, end)
    found.push({ raw, isQuoted: quote !== '' && raw.startsWith(quote) && fault === undefined })
    if (text[end] !== quoting.delimiter) break
  }
  return found
}

/** The values of the row with which a text begins. */
export function firstRow(text: string, quoting: Quoting): string[] {
  const { quote = '' } = quoting
  return cellsOfRow(text, quoting).map(({ raw, isQuoted }) =>
    isQuoted ? raw.slice(1, -1).replaceAll(quote + quote, quote) : raw,
  )
}

/** The first quoted value of a text that ends in mid-value or never; the text begins with a record. */
export function findQuoteFault(text: string, quoting: Quoting): QuoteFault | undefined {
  for (const { fault } of cells(text, quoting)) if (fault !== undefined) return fault
  return undefined
}

const [LF, CR] = [0x0a, 0x0d]

/** Nothing but line breaks. */
export const areBlankLines = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === LF || byte === CR)

/** How the row with which a text begins ends: with a line break, or with the text, its last value closed by a quote or not. */
export function endOfRow(text: string, quoting: Quoting): 'break' | 'quoted' | 'plain' {
  for (const { start, end, fault } of cells(text, quoting)) {
    if (text[end] === quoting.delimiter) continue
    if (end < text.length) return 'break'
    return text[start] === quoting.quote && fault === undefined && end > start ? 'quoted' : 'plain'
  }
  return 'plain'
}

/** A text from its first row on: lines of blanks alone are none. */
export function fromFirstRow(text: string, { delimiter }: Quoting): string {
  for (let from = 0; ;) {
    const end = behindBlanks(text, from, delimiter)
    if (!isBreak(text[end])) return text.slice(from)
    from = behindBreak(text, end)
  }
}

function* cells(text: string, quoting: Quoting): Generator<Cell> {
  for (let at = 0; at < text.length;) {
    const start = behindBlanks(text, at, quoting.delimiter)
    const cell =
      text[start] === quoting.quote ? quotedCell(text, start, quoting) : plainCell(text, start, quoting)
    yield cell
    at = text[cell.end] === quoting.delimiter ? cell.end + 1 : behindBreak(text, cell.end)
    // A delimiter at the very end is followed by one more, empty value.
    if (at === text.length && text[cell.end] === quoting.delimiter) yield { start: at, end: at }
  }
}

/** Blanks before a value do not belong to it; a quote behind them opens it. */
function behindBlanks(text: string, at: number, delimiter: string): number {
  let start = at
  while (text[start] !== delimiter && /^[^\S\r\n]/.test(text.charAt(start))) start += 1
  return start
}

function plainCell(text: string, start: number, { delimiter }: Quoting): Cell {
  let end = start
  while (end < text.length && text[end] !== delimiter && !isBreak(text[end])) end += 1
  return { start, end }
}

function quotedCell(text: string, start: number, quoting: Quoting): Cell {
  const quote = quoting.quote ?? ''
  for (let at = text.indexOf(quote, start + 1); at >= 0; at = text.indexOf(quote, at + 2)) {
    if (text[at + 1] === quote) continue
    const next = text[at + 1]
    if (next === undefined || next === quoting.delimiter || isBreak(next)) return { start, end: at + 1 }
    const { end } = plainCell(text, at + 1, quoting)
    return { start, end, fault: { offset: start, closed: at } }
  }
  return { start, end: text.length, fault: { offset: start, closed: undefined } }
}

function isBreak(char: string | undefined): boolean {
  return char === '\n' || char === '\r'
}

function behindBreak(text: string, at: number): number {
  return at + (text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1)
}

/** Line breaks in a text: CR LF is one. */
export function breaksIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')) count += 1
  }
  return count
}
