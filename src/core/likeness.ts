// Whether a contact that the service shows is the one that we sent. Used where an answer was lost:
// so it must be strict, and still forgive what services do to values (numbers as text, other offsets, case of a mail).
import { type Contact, type FieldValue, mailKey } from './contact.ts'
import type { ServiceContact } from './ports.ts'

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

function sameAsSent(field: string, sent: FieldValue, shown: unknown): boolean {
  if (typeof sent === 'object') return Array.isArray(shown) && sameItems(sent, shown.map(asText))
  const text = asText(shown)
  if (field === 'mail' || field === 'mail2') return mailKey(text) === mailKey(String(sent))
  if (field === 'date_of_birth') return day(text) === day(String(sent))
  return text === asText(sent)
}

/** Whether every field that was sent is shown with its value. `mail_status` may be ignored by the service (interface, 2.3). */
export function looksLike(sent: Contact, shown: ServiceContact): boolean {
  return Object.entries(sent).every(
    ([field, value]) => field === 'mail_status' || sameAsSent(field, value, shown.fields[field]),
  )
}
