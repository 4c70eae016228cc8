// `skip_lines: auto`: which line of a file is its header. Of the first lines, it is the one that names most of the mapped
// columns; where two name as many, or none names any, the file is refused. Pure.
import { foldedColumn } from '../../core/mapping/columns.ts'
import { SyncError } from '../../core/words/errors.ts'
import { firstRow } from './rows.ts'

/** So many lines are looked at. */
const MOST_LINES = 50
/** How many columns a message names. */
const SHOWN = 10

/** The line that Excel writes before the header. */
export const DELIMITER_LINE = /^"?sep=([,;|\t])"?(?:\r\n|\n|\r)/i

export interface HeaderLine {
  /** Lines before it; the line that names the delimiter is none of them. */
  readonly skipLines: number
  /** Undefined: with several delimiters it names as many columns. */
  readonly delimiter: string | undefined
}

interface Wanted {
  readonly name: string
  readonly columns: readonly string[]
  /** Those that are possible, in the order that decides between equals. */
  readonly delimiters: readonly string[]
  readonly quote: string | undefined
}

/** Where each of the first lines begins. */
export function lineStarts(text: string): number[] {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
    if (starts.length === MOST_LINES) break
    if (index + end.length < text.length) starts.push(index + end.length)
  }
  return starts
}

/** How many different mapped columns the row at the beginning of a text names. */
function namedIn(text: string, wanted: ReadonlySet<string>, quoting: Omit<Wanted, 'name' | 'columns'>) {
  const { delimiters, quote } = quoting
  const found = delimiters.map((delimiter) => {
    const names = new Set(firstRow(text, { delimiter, quote }).map(foldedColumn))
    return { delimiter, count: [...names].filter((name) => wanted.has(name)).length }
  })
  const count = Math.max(...found.map((one) => one.count))
  const best = found.filter((one) => one.count === count)
  return { count, delimiter: best.length === 1 ? best[0]?.delimiter : undefined }
}

const shown = (columns: readonly string[]): string =>
  columns.slice(0, SHOWN).join(', ') + (columns.length > SHOWN ? ` and ${columns.length - SHOWN} more` : '')

/** How many different ones of the columns a row names. */
export function namedColumns(row: readonly string[], columns: readonly string[]): number {
  const wanted = new Set(columns.map(foldedColumn))
  return [...new Set(row.map(foldedColumn))].filter((name) => wanted.has(name)).length
}

/** How lines, or rows, are named in a message. */
interface Naming {
  readonly name: string
  readonly columns: readonly string[]
  readonly what: 'line' | 'row'
  placeOf(index: number): number
}

/**
 * Which of the first rows is the header, by how many mapped columns each names.
 * Throws INPUT_COLUMN_MISSING where none names a mapped column, and INPUT_COLUMN_AMBIGUOUS where two name as many.
 */
export function chosenHeader(counts: readonly number[], { name, columns, what, placeOf }: Naming): number {
  const most = Math.max(...counts)
  const [first = -1, second] = counts.flatMap((count, index) => (count === most ? [index] : []))
  if (most === 0)
    throw new SyncError(
      'INPUT_COLUMN_MISSING',
      `${name}: none of the first ${counts.length} ${what}s names a mapped column (${shown(columns)}), so the header is unknown`,
    )
  if (second !== undefined)
    throw new SyncError(
      'INPUT_COLUMN_AMBIGUOUS',
      `${name}: ${what} ${placeOf(first)} and ${what} ${placeOf(second)} name ${most} mapped columns each, so the header is unknown`,
      { hint: `Set source.skip_lines to the number of ${what}s before the header.` },
    )
  return first
}

/** Finds the header line in the beginning of a file. Throws what `chosenHeader` throws. */
export function headerLine(head: string, { name, columns, ...quoting }: Wanted): HeaderLine {
  const wanted = new Set(columns.map(foldedColumn))
  const starts = lineStarts(head)
  const lines = starts.map((start) => namedIn(head.slice(start), wanted, quoting))
  const counts = lines.map(({ count }) => count)
  const first = chosenHeader(counts, { name, columns, what: 'line', placeOf: (index) => index + 1 })
  const isNamed = first > 0 && DELIMITER_LINE.test(head.slice(starts[first - 1]))
  return { skipLines: isNamed ? first - 1 : first, delimiter: lines[first]?.delimiter }
}

const FEWEST_NAMES = 2

/** Most of the columns, none more often than the header, and some of them at another place. */
function isOtherHeader(values: readonly string[], header: readonly string[], names: ReadonlySet<string>) {
  const named = values.filter((value) => names.has(value))
  if (new Set(named).size * 2 <= names.size) return false
  const often = (all: readonly string[], name: string): number => all.filter((one) => one === name).length
  if (named.some((name) => often(named, name) > often(header, name))) return false
  return values.some((value, index) => value !== header[index] && names.has(value))
}

/**
 * Whether a row names the columns again, as where several exports were joined. Throws INPUT_COLUMN_AMBIGUOUS where it names
 * most of them, and some at another place: what follows belongs to other columns.
 */
export function repeatedHeader(
  header: readonly string[],
  { name, what }: Pick<Naming, 'name' | 'what'>,
): (values: readonly string[], place: number) => boolean {
  const names = new Set(header.filter((column) => column !== ''))
  const isName = (value: string | undefined): boolean => names.has(value?.trim() ?? '')
  return (values, place) => {
    // Nearly every row is told by its first values.
    if (names.size < FEWEST_NAMES || !(isName(values[0]) || isName(values[1]))) return false
    const found = values.map((value) => value.trim())
    if (found.length === header.length && found.every((value, index) => value === header[index])) return true
    if (!isOtherHeader(found, header, names)) return false
    throw new SyncError(
      'INPUT_COLUMN_AMBIGUOUS',
      `${name}: ${what} ${place} names the columns again, in another order`,
      { hint: 'Several exports were joined into one file. Drop each by itself.' },
    )
  }
}
