// The form of one CSV file: from settings where given, else detected from its beginning. Pure.
// Rejects that we wrote ourselves are known by their header and read as we wrote them, whatever is set.
import { REJECT_COLUMNS } from '../supplement.ts'
import { DELIMITER_LINE } from './header-line.ts'
import type { CsvOptions } from './options.ts'
import { sampleRows, type Quoting } from './rows.ts'

export interface Dialect extends Quoting {
  /** Lines before the header. */
  readonly skipLines: number
  /** Records dropped at the end. */
  readonly skipFooter: number
  /** Undefined: the first record is the header. */
  readonly header: readonly string[] | undefined
}

/** In the order that decides between equals. */
export const DELIMITERS = [',', ';', '\t', '|'] as const
const SAMPLE_ROWS = 200

/** The delimiter of a file of rejects that we wrote, or undefined for any other file. */
export function ownRejectsDelimiter(head: string): string | undefined {
  return DELIMITERS.find((delimiter) => {
    const [first] = sampleRows(head, { delimiter, quote: '"' })
    return first?.text.trimEnd().endsWith(delimiter + REJECT_COLUMNS.join(delimiter)) === true
  })
}

export function ownRejectsDialect(delimiter: string): Dialect {
  return { delimiter, quote: '"', skipLines: 0, skipFooter: 0, header: undefined }
}

/** What is set about how a file is written, the number of lines before the header being known. */
export interface DialectOptions extends Pick<CsvOptions, 'quote' | 'skip_footer' | 'header'> {
  readonly delimiter: string
  readonly skip_lines: number
}

/**
 * The dialect of a file.
 * @param head the beginning of its text, some 64 KiB
 */
export function dialectOf(head: string, options: DialectOptions): Dialect {
  const rest = withoutLines(head, options.skip_lines)
  const named = DELIMITER_LINE.exec(rest)
  const { quote } = options
  const found = (): string => named?.[1] ?? likelyDelimiter(named ? rest.slice(named[0].length) : rest, quote)
  return {
    delimiter: options.delimiter === 'auto' ? found() : options.delimiter,
    quote,
    skipLines: options.skip_lines + (named === null ? 0 : 1),
    skipFooter: options.skip_footer,
    header: options.header,
  }
}

/**
 * The delimiter that splits a sample's rows into equally many values. It must split the first row, too:
 * decimal commas stand in every row but the header. A sample of one column has none: then it is the comma.
 */
export function likelyDelimiter(sample: string, quote: string | undefined): string {
  let best = { delimiter: ',', score: [0, 0] }
  for (const delimiter of DELIMITERS) {
    const score = delimiterScore(sample, { delimiter, quote })
    if (isHigher(score, best.score)) best = { delimiter, score }
  }
  return best.delimiter
}

/** How evenly and finely it splits the rows; between equals, delimiters that no blank follows. */
function delimiterScore(sample: string, quoting: Quoting): number[] {
  const widths = new Map<number, number>()
  const rows: { width: number; tight: number }[] = []
  for (const row of sampleRows(sample, quoting)) {
    rows.push(row)
    if (rows.length > SAMPLE_ROWS) break
  }
  // The sample may end in mid-row.
  if (rows.length > 2) rows.pop()
  for (const { width } of rows) widths.set(width, (widths.get(width) ?? 0) + 1)
  const [common, count] = [...widths].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0])
  if ((rows[0]?.width ?? 0) < 2 || common < 2) return [0, 0]
  const tight = rows.reduce((sum, row) => sum + row.tight, 0)
  return [(count / rows.length) * (1 - 1 / common), tight]
}

function isHigher(score: readonly number[], than: readonly number[]): boolean {
  const different = score.findIndex((part, index) => part !== than[index])
  return different >= 0 && (score[different] ?? 0) > (than[different] ?? 0)
}

function withoutLines(text: string, count: number): string {
  let rest = text
  for (let line = 0; line < count; line += 1) rest = rest.replace(/^[^\r\n]*(?:\r\n|\n|\r|$)/, '')
  return rest
}
