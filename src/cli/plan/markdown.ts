// Markdown for a comment on a pull request: names as they are, and tables that have room there.
import { number, plural } from '../../core/words/format.ts'
import { oneLine } from '../../core/words/harmless.ts'

/** A name verbatim, whatever Markdown would make of its characters. */
export const markdownName = (text: string): string =>
  oneLine(text).replaceAll(/[\\`*_{}[\]()#+!|<>&~@:.-]/g, (sign) => `&#${sign.codePointAt(0)};`)

export type MarkdownRow = readonly (string | number)[]

export function markdownTable(head: MarkdownRow, rows: readonly MarkdownRow[]): readonly string[] {
  if (rows.length === 0) return []
  const line = (cells: MarkdownRow): string =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? number(cell) : cell)).join(' | ')} |`
  return ['', line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)]
}

/** Rows that a comment on a pull request has room for. */
const MOST_ROWS = 50

const weight = (row: MarkdownRow): number =>
  row.reduce((sum: number, cell) => sum + (typeof cell === 'number' ? cell : 0), 0)

/** The largest first. */
export function largestRows(rows: readonly MarkdownRow[]): readonly MarkdownRow[] {
  const sorted = rows.toSorted((one, other) => weight(other) - weight(one))
  if (sorted.length <= MOST_ROWS) return sorted
  return [...sorted.slice(0, MOST_ROWS), [`and ${number(sorted.length - MOST_ROWS)} more`]]
}

interface TermCounts {
  readonly byTerm: Readonly<Record<string, { readonly add: number; readonly remove: number }>>
  readonly sharedTerms: ReadonlySet<string>
}

/**
 * A term's name may be somebody's, where a mapping makes terms of the wrong column: it is named only where the configuration
 * gives it (`own`), or many different records have it and it is no address.
 */
export function termRows(
  { byTerm, sharedTerms }: TermCounts,
  own: readonly string[],
): readonly MarkdownRow[] {
  const terms = Object.entries(byTerm)
  const isNamed = ([name]: (typeof terms)[number]): boolean =>
    own.includes(name) || (sharedTerms.has(name) && !name.includes('@'))
  const others = terms.filter((term) => !isNamed(term))
  const named = terms
    .filter(isNamed)
    .map(([name, { add, remove }]): MarkdownRow => [markdownName(name), add, remove])
  if (others.length === 0) return largestRows(named)
  const sum = (of: 'add' | 'remove'): number => others.reduce((total, [, counts]) => total + counts[of], 0)
  return [...largestRows(named), [`${plural(others.length, 'term')}, not named`, sum('add'), sum('remove')]]
}
