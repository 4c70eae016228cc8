// Fields that a record gives up: another pipeline owns them after its own (`owns`), the record has no value for them any more, and
// `blank: keep` leaves the value that was sent. Nothing is sent for that. The link still says what was last pushed, and the name
// of the field is marked among what the link is unsure of: others may write it, and the record sends its next value, even the
// same one.
import type { Contact } from '../mapping/contact.ts'
import { isBlank } from '../words/blank.ts'

const MARK = 'given up '

/** How a field that was given up is listed among those that a link is unsure of. */
export const givenUpMark = (field: string): string => `${MARK}${field}`

/** The names of the fields that are marked. */
const markedIn = (unsure: readonly string[]): readonly string[] =>
  unsure.flatMap((name) => (name.startsWith(MARK) ? [name.slice(MARK.length)] : []))

/** The same as others see the record: absent where it has given up nothing. */
export function givenUpOf(unsure: readonly string[]): { readonly givenUp?: readonly string[] } {
  const givenUp = markedIn(unsure)
  return givenUp.length === 0 ? {} : { givenUp }
}

/** What the link is unsure of, without the marks. */
export const withoutMarks = (unsure: readonly string[]): readonly string[] =>
  unsure.filter((name) => !name.startsWith(MARK))

interface Pushed {
  readonly fields: Contact
  readonly unsure: readonly string[]
}

/** Of fields that a record has no value for: those that were sent, and are not given up yet. */
export const newlyGivenUp = (blank: readonly string[], { fields, unsure }: Pushed): readonly string[] =>
  blank.filter((field) => !isBlank(fields[field]) && !unsure.includes(givenUpMark(field)))

/** Fields that were given up, and have a value again. */
export const takenBack = (said: Contact, { unsure }: Pick<Pushed, 'unsure'>): readonly string[] =>
  markedIn(unsure).filter((field) => !isBlank(said[field]))

/** Why the sync log has an entry about a record without a request. */
export const givenUpText = (fields: readonly string[]): string | undefined =>
  fields.length === 0
    ? undefined
    : `blank in the record, so left to the next pipeline that owns it: ${fields.join(', ')}`
