// Suggestions for names that were mistyped, or that other systems use for the same thing.
// A suggestion is text for the reader; nothing is ever corrected automatically.
import { distance } from 'fastest-levenshtein'

/** Other common names of fields, options and transforms, where the letters alone would suggest the wrong one. */
const MEANT = new Map(
  Object.entries({
    family_name: ['last_name', 'lastname', 'surname', 'nachname', 'name'],
    first_name: ['given_name', 'vorname'],
    mail: ['email', 'e_mail', 'email_address'],
    title: ['salutation', 'anrede', 'gender'],
    company: ['organization', 'organisation', 'account', 'firma'],
    job_title: ['position', 'role'],
    phone2: ['mobile', 'cell', 'mobile_phone'],
    ba_street: ['street', 'address', 'strasse'],
    ba_city: ['city', 'town', 'ort'],
    ba_postal_code: ['zip', 'zipcode', 'zip_code', 'postal_code', 'postcode', 'plz'],
    ba_state: ['state', 'region', 'province'],
    ba_country: ['country', 'land'],
    date_of_birth: ['birthday', 'birthdate', 'dob', 'geburtstag'],
    twitter: ['x'],
    fb: ['facebook'],
    upper: ['uppercase', 'upper_case', 'to_upper'],
    lower: ['lowercase', 'lower_case', 'to_lower'],
    title_case: ['titlecase', 'capitalize', 'capitalise', 'ucwords'],
    delimiter: ['separator', 'sep', 'trenner', 'trennzeichen'],
    folder: ['path', 'dir', 'directory', 'ordner'],
    encoding: ['charset', 'codepage'],
    date: ['format', 'date_format'],
  }).flatMap(([meant, names]) => names.map((name) => [name, meant] as const)),
)

/** "did you mean ...?" for a near name, else the nearest of all with the others, as far as they are few. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearName(name, known)
  if (near !== undefined) return `did you mean ${near}?`
  const closest = best(name, known)
  if (closest === undefined) return ''
  return known.length > 12 ? `the nearest known is ${closest}` : `known here: ${known.join(', ')}`
}

/** The known name that other systems call so. */
export function meantName(name: string, known: readonly string[]): string | undefined {
  const meant = MEANT.get(name.toLowerCase())
  return meant !== undefined && known.includes(meant) ? meant : undefined
}

/** The known name that was probably meant, by common names or by the letters. */
export const nearName = (name: string, known: readonly string[]): string | undefined =>
  meantName(name, known) ?? nearest(name, known)

/** How many letters may differ from a name of this length. */
const farthest = (length: number): number => Math.max(2, length / 2)

/** The known name with nearly the same letters; undefined where none is near. */
export function nearest(name: string, known: readonly string[], most = farthest): string | undefined {
  // One sign is as near to every other.
  if (name.trim().length < 2) return undefined
  const isNear = (away: number, length: number): boolean => away <= most(length) && away < length
  return best(name, known, isNear)
}

/** Of those that are near, the shortest that begins with the name, else the one that differs in the smallest part of it. */
function best(
  name: string,
  known: readonly string[],
  isNear: (away: number, length: number) => boolean = () => true,
): string | undefined {
  const written = start(name)
  let found: { readonly name: string; readonly part: number } | undefined
  for (const one of known) {
    const folded = start(one)
    const away = distance(written, folded)
    // Below 0 is before every other; of two that begin with it, the shorter one comes first.
    const part = away / Math.max(written.length, folded.length) - (folded.startsWith(written) ? 1 : 0)
    if (isNear(away, folded.length) && (found === undefined || part < found.part)) found = { name: one, part }
  }
  return found?.name
}

/** Comparing is quadratic, and a name far longer than all known ones is near to none of them. */
const start = (name: string): string => name.trim().slice(0, 100).normalize('NFC').toLowerCase()
