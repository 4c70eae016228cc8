// Finds the columns that a mapping names among those that an input has.
// Exactly first, then ignoring case and surrounding blanks; a name that fits several is never guessed.
import { SyncError } from '../words/errors.ts'
import { nearest } from '../words/nearest.ts'

/** Where a column is wanted, for messages: `map.first_name`, `key`, `where`. */
export interface ColumnWish {
  readonly column: string
  readonly wantedBy: string
}

export type ColumnIndex = ReadonlyMap<string, number>

type Found = { index: number } | { problem: 'missing' | 'ambiguous'; places: number[] }

/** What two names of one column have in common. */
export const foldedColumn = (name: string): string => name.trim().normalize('NFC').toLowerCase()

function findColumn(header: readonly string[], column: string): Found {
  for (const same of [
    (name: string) => name === column,
    (name: string) => foldedColumn(name) === foldedColumn(column),
  ]) {
    const places = header.flatMap((name, index) => (same(name) ? [index] : []))
    const [index] = places
    if (places.length === 1 && index !== undefined) return { index }
    if (places.length > 1) return { problem: 'ambiguous', places }
  }
  return { problem: 'missing', places: [] }
}

/** The index of a column, or undefined where the input lacks it or has it several times. */
export function columnIndex(header: readonly string[], column: string): number | undefined {
  const found = findColumn(header, column)
  return 'index' in found ? found.index : undefined
}

/** Whether the input has no such column; one that is there several times is there. */
export const lacksColumn = (header: readonly string[], column: string): boolean => {
  const found = findColumn(header, column)
  return 'problem' in found && found.problem === 'missing'
}

/** How many names of a header a message shows. */
const SHOWN = 20
/** With no more names than these, the first line of the file may be no header. */
const FEW = 2

/** The end of a sentence: the name that was probably meant, or nothing. */
export function nearestText(column: string, names: readonly string[]): string {
  const near = nearest(column, names)
  return near === undefined ? '' : `; the nearest is "${near}"`
}

function missingText(header: readonly string[], wish: ColumnWish): string {
  const names = header.filter((name) => name !== '')
  return `column "${wish.column}" (${wish.wantedBy}) is not in the header${nearestText(wish.column, names)}`
}

function headerText(header: readonly string[]): string {
  const more = header.length > SHOWN ? ` and ${header.length - SHOWN} more` : ''
  const shown = `the header is: ${header.slice(0, SHOWN).join(', ')}${more}`
  // Hardly any export has so few columns and lacks one: the line is the first of some text before the header.
  const named = header.filter((name) => name !== '').length
  return named > FEW
    ? shown
    : `${shown}; source.skip_lines skips lines before the header, auto finds the header`
}

/**
 * The index of each wished column. Throws INPUT_COLUMN_MISSING or INPUT_COLUMN_AMBIGUOUS, naming all of them.
 */
export function resolveColumns(header: readonly string[], wishes: readonly ColumnWish[]): ColumnIndex {
  const found = new Map<string, number>()
  const missing: string[] = []
  const ambiguous: string[] = []
  for (const wish of wishes) {
    const result = findColumn(header, wish.column)
    if ('index' in result) found.set(wish.column, result.index)
    else if (result.problem === 'missing') missing.push(missingText(header, wish))
    else {
      const places = result.places.map((place) => String(place + 1)).join(' and ')
      ambiguous.push(`column "${wish.column}" (${wish.wantedBy}) occurs several times, as columns ${places}`)
    }
  }
  const problems = [...new Set([...missing, ...ambiguous])].join('; ')
  if (missing.length > 0) throw new SyncError('INPUT_COLUMN_MISSING', `${problems}; ${headerText(header)}`)
  if (ambiguous.length > 0) throw new SyncError('INPUT_COLUMN_AMBIGUOUS', problems)
  return found
}
