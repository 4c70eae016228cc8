// Whether a contact that the service shows is the one that we sent. Used where an answer was lost:
// so it must be strict, and still forgive what services do to values (numbers as text, other offsets, case of a mail).
import { type Contact, type FieldValue, mailKey } from '../../mapping/contact.ts'
import type { ServiceContact } from '../../ports.ts'

const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).normalize('NFC').trim()
    : ''

/** The day in the value's own offset: no answer in another zone may look like another birthday at noon UTC. */
function day(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString().slice(0, 10)
}

const sameItems = (left: readonly string[], right: readonly string[]): boolean =>
  left.toSorted().join('\n') === right.toSorted().join('\n')

const isBlank = (value: unknown): boolean =>
  asText(value) === '' && !(Array.isArray(value) && value.length > 0)

function sameAsSent(field: string, sent: FieldValue, shown: unknown): boolean {
  if (sent === '') return isBlank(shown)
  if (typeof sent === 'object') return Array.isArray(shown) && sameItems(sent, shown.map(asText))
  const text = asText(shown)
  if (field === 'mail' || field === 'mail2') return mailKey(text) === mailKey(String(sent))
  if (field === 'date_of_birth') return day(text) === day(String(sent))
  return text === asText(sent)
}

/** The fields that the contact shows with just this value; a blank is a blank, whether it was cleared or never there. */
export function shownAs(contact: Contact, shown: ServiceContact): readonly string[] {
  return Object.entries(contact)
    .filter(([field, value]) => {
      const is = shown.fields[field]
      return isBlank(value) ? isBlank(is) : sameAsSent(field, value, is)
    })
    .map(([field]) => field)
}

/** A value as it is shown, in the form in which the state knows values. */
function shownValue(shown: unknown): FieldValue {
  return Array.isArray(shown) ? shown.map(asText) : asText(shown)
}

/**
 * What the service shows for the fields of a contact: in our own form where it is the same value, so that only what
 * really differs is ever sent. A field that it does not show is blank, or unknown.
 */
export function shownContact(desired: Contact, shown: ServiceContact): Contact {
  return Object.fromEntries(
    Object.entries(desired)
      .filter(([field, value]) => value === '' || Object.hasOwn(shown.fields, field))
      .map(([field, value]) => {
        const is = shown.fields[field]
        return [field, sameAsSent(field, value, is) ? value : shownValue(is)]
      }),
  )
}

/** Whether every field that was sent is shown with its value. `mail_status` may be ignored by the service (interface, 2.3). */
export function looksLike(sent: Contact, shown: ServiceContact): boolean {
  return Object.entries(sent).every(
    ([field, value]) => field === 'mail_status' || sameAsSent(field, value, shown.fields[field]),
  )
}

const NAMES = ['first_name', 'family_name']

/** What of it was sent beside the mail, and is shown with its value. */
const shownOf = (sent: Contact, shown: ServiceContact): readonly string[] =>
  Object.entries(sent)
    .filter(([field, value]) => value !== '' && sameAsSent(field, value, shown.fields[field]))
    .map(([field]) => field)
    .filter((field) => field !== 'mail' && field !== 'mail_status')

/** Whether it shows anything of what was sent beside the mail. */
export const showsPart = (sent: Contact, shown: ServiceContact): boolean => shownOf(sent, shown).length > 0

/**
 * Whether a contact of the mail may be ours, changed by others since: it shows something of what was sent beside the mail,
 * whatever its name by now. Where only names were sent, a renamed contact cannot be recognised, so any contact may be ours.
 * `pushed`: what another pipeline, which has this contact, sent to it; what it shows beyond that has come from elsewhere.
 */
export function resembles(sent: Contact, shown: ServiceContact, pushed: Contact | undefined): boolean {
  const same = shownOf(sent, shown)
  if (pushed !== undefined) {
    const explained = shownOf(pushed, shown)
    return same.some((field) => !explained.includes(field))
  }
  const isNameAlone = Object.entries(sent).every(
    ([field, value]) => value === '' || ['mail', 'mail_status', ...NAMES].includes(field),
  )
  return same.length > 0 || isNameAlone
}
