// A cell that holds several terms: split as the mapping says, and as the exports of vendors write such lists.
// Mailchimp puts each tag in quotes; Google marks its system groups with an asterisk, and every contact is in one of them.
import { cleanText } from './fields/field-check.ts'

/** A quoted part that begins at `at`: its text without the quotes, and where the next part begins. */
function quotedPart(
  text: string,
  at: number,
  separator: string,
): { value: string; next: number } | undefined {
  const opening = /\s*"((?:[^"]|"")*)"/y
  opening.lastIndex = at
  const found = opening.exec(text)
  if (found === null) return undefined
  let end = opening.lastIndex
  while (!text.startsWith(separator, end) && /\s/.test(text.charAt(end))) end += 1
  // A quote in the middle of a name is part of it.
  if (end < text.length && !text.startsWith(separator, end)) return undefined
  return { value: (found[1] ?? '').replaceAll('""', '"'), next: end + separator.length }
}

/** The parts of a list; a separator within quotes does not part, and quotes around a whole part are not of it. */
export function listParts(text: string, separator: string): string[] {
  const parts: string[] = []
  for (let at = 0; at <= text.length;) {
    const quoted = quotedPart(text, at, separator)
    const end = quoted === undefined ? text.indexOf(separator, at) : -1
    parts.push(quoted?.value ?? text.slice(at, end < 0 ? undefined : end))
    at = quoted?.next ?? (end < 0 ? text.length + 1 : end + separator.length)
  }
  return parts
}

const GOOGLE_SEPARATOR = ':::'
const GOOGLE_COLUMNS: readonly string[] = ['labels', 'group membership']
/** Google's system groups: not labels that a user assigned. */
const GOOGLE_OWN = /^(my ?contacts|starred)$/i
const QUOTED_LIST = /^"[^"]*"(,"[^"]*")*$/

/** `* Friends` is the label Friends; `* myContacts` is no label. */
function googleLabel(part: string): string {
  const [, system] = /^\*\s+(.*)$/s.exec(cleanText(part)) ?? []
  if (system === undefined) return part
  return GOOGLE_OWN.test(system) ? '' : system
}

/** The names in one cell of a column of terms, not yet cleaned. */
export function termNames(cell: string, { column, split }: { column: string; split?: string }): string[] {
  if (cell === '') return []
  const name = cleanText(column).toLowerCase()
  const isGoogle = GOOGLE_COLUMNS.includes(name) || split?.trim() === GOOGLE_SEPARATOR
  if (isGoogle) return listParts(cell, split?.trim() ?? GOOGLE_SEPARATOR).map(googleLabel)
  if (split !== undefined) return listParts(cell, split)
  // Mailchimp's column, taken whole.
  return name === 'tags' && QUOTED_LIST.test(cell) ? listParts(cell, ',') : [cell]
}
