// What must happen for one contact: desired against known. One decision, situation by situation;
// it yields a difference and does nothing.
import { type Contact, type FieldValue, FULL_ADDRESS_FIELDS } from './contact.ts'
import type { ErrorCode } from './errors.ts'

/** What the state knows of a key. */
export interface Known {
  readonly link: KnownLink | undefined
  /** An operation of this key has an open outcome; nobody may overtake it. */
  readonly inDoubt: boolean
}

export interface KnownLink {
  readonly id: number
  readonly contactId: number
  /** What was last pushed, all fields. */
  readonly fields: Contact
  /** The service no longer has the contact. */
  readonly gone: boolean
}

export interface FieldChange {
  readonly from: FieldValue | null
  readonly to: FieldValue
}

export type Difference =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'create'; readonly fields: Contact }
  | { readonly kind: 'update'; readonly contactId: number; readonly fields: Contact }
  /** The record waits behind an operation in doubt, and is taken up again once that is settled. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'held'; readonly reason: string }
  | { readonly kind: 'rejected'; readonly code: ErrorCode; readonly reason: string }

export const GONE_REASON = 'the contact is gone at the service; it is not created again by itself'

function sameValue(left: FieldValue | undefined, right: FieldValue | undefined): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => item === right[index])
  return left === right
}

const filled = (contact: Contact, field: string): boolean =>
  contact[field] !== undefined && contact[field] !== ''

/** Whether the service accepts it as a new contact: a mail, or the full address (interface, 4.2). */
function isComplete(contact: Contact): boolean {
  return filled(contact, 'mail') || FULL_ADDRESS_FIELDS.every((field) => filled(contact, field))
}

/** Fields of `desired` that differ from what was last pushed. A blank that was never filled is no change. */
export function changedFields(desired: Contact, known: Contact): Contact {
  return Object.fromEntries(
    Object.entries(desired).filter(([field, value]) => !sameValue(value, known[field])),
  )
}

/** What was pushed before, overlaid with what is desired now: the next known state. */
export const nextKnown = (known: Contact, desired: Contact): Contact => ({ ...known, ...desired })

/** From and to of each field, as plan and audit show them. */
export function fieldChanges(fields: Contact, known: Contact): Readonly<Record<string, FieldChange>> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, to]) => [field, { from: known[field] ?? null, to }]),
  )
}

function missingText(contact: Contact): string {
  const missing = FULL_ADDRESS_FIELDS.filter((field) => !filled(contact, field))
  return `the record has no mail, and for a contact without one it lacks ${missing.join(', ')}`
}

/** Compares one desired contact with what is known of its key. */
export function difference(desired: Contact, known: Known): Difference {
  // An earlier change of this person is still open: two at once could land in the wrong order.
  if (known.inDoubt) return { kind: 'waiting' }
  if (known.link === undefined) {
    // Never seen: blanks are left out, a new contact has nothing to clear.
    const fields = Object.fromEntries(Object.entries(desired).filter(([, value]) => value !== ''))
    if (isComplete(fields)) return { kind: 'create', fields }
    return { kind: 'rejected', code: 'CONTACT_INCOMPLETE', reason: missingText(fields) }
  }
  const fields = changedFields(desired, known.link.fields)
  // The source says what was already pushed.
  if (Object.keys(fields).length === 0) return { kind: 'unchanged' }
  // Somebody deleted the contact at the service: that may have been an erasure, so it is not made again.
  if (known.link.gone) return { kind: 'held', reason: GONE_REASON }
  return { kind: 'update', contactId: known.link.contactId, fields }
}
