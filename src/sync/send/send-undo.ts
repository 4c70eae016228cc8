// What the contact itself has to say before a run's work on it is put back: only what is still as that run left it may
// be changed, and only a contact that was not changed by others may be deleted.
import { CONTACT_FIELD_NAMES, type Contact } from '../../core/mapping/contact.ts'
import { customFieldKeyOf } from '../../core/mapping/custom-fields.ts'
import { shownAs } from '../../core/change/lookup/likeness.ts'
import type { Operation, Settled } from '../../core/change/operation.ts'
import type { CallResult, CustomFieldDefinition, ServiceContact } from '../../core/ports.ts'
import { UNKNOWN_STATUS } from '../../core/change/permission.ts'
import { termsBeyond } from '../../core/mapping/terms.ts'
import type { RunContext } from '../context.ts'
import { wholeContact } from '../reads/whole-contact.ts'
import { markerOf } from './marker.ts'
import { gone, settledByFailure } from './settle.ts'

/** What may be sent of an update. */
export interface Sendable {
  readonly fields: Contact
  /** Why not all of it. */
  readonly reason?: string
  /** What the contact showed for these fields, where that and not what was last sent is replaced. */
  readonly replaced?: Contact
  /** What the update method keeps back. */
  readonly withheld?: readonly string[]
  /** See Settled. */
  readonly merged?: NonNullable<Settled['merged']>
}

const only = (contact: Contact, fields: readonly string[]): Contact =>
  Object.fromEntries(Object.entries(contact).filter(([field]) => fields.includes(field)))

/** The values to put back where what we pushed is still there. What is as before already is known to be so, and not sent. */
export async function undoableFields(
  operation: Operation,
  contactId: number,
  context: RunContext,
): Promise<Sendable | Settled> {
  const names = Object.keys(operation.fields)
  const actual = await context.session.contactById(contactId, names)
  if (actual.kind === 'absent') return gone(operation, actual.request)
  if (actual.kind !== 'ok') return settledByFailure(operation, actual, context)
  const pushed = Object.fromEntries(names.map((name) => [name, operation.known[name] ?? '']))
  const ours = shownAs(pushed, actual.value)
  const back = shownAs(operation.fields, actual.value)
  const others = names.filter((name) => !ours.includes(name) && !back.includes(name))
  const reason =
    others.length === 0
      ? {}
      : { reason: `unchanged, because changed at the service since: ${others.join(', ')}` }
  const fields = only(operation.fields, ours)
  if (Object.keys(fields).length > 0) return { fields, ...reason }
  return {
    operation,
    request: actual.request,
    sent: only(operation.fields, back),
    settlement: { kind: 'settled', ...reason },
  }
}

const TOUCHED = 'it was changed since contact-sync wrote it, so it is kept'
const STATUS = 'mail_status'
/** The fields that a contact may have, by the definitions of the service: also those that no mapping names. */
async function customFieldsOf(context: RunContext): Promise<CallResult<readonly CustomFieldDefinition[]>> {
  context.seen.definitions ??= context.session.customFields()
  const result = await context.seen.definitions
  // A service without such an address has no custom fields.
  return result.kind === 'absent' ? { kind: 'ok', value: [], request: result.request } : result
}

const UNTICKED: readonly unknown[] = [false, 0, '0', 'false']

/** An unchecked box is blank, whatever the service writes for it. */
const withoutUnticked = (contact: ServiceContact, boxes: readonly string[]): ServiceContact => ({
  ...contact,
  fields: Object.fromEntries(
    Object.entries(contact.fields).filter(
      ([field, value]) => value !== false && !(boxes.includes(field) && UNTICKED.includes(value)),
    ),
  ),
})

/** What of the contact is not as it was pushed, a value that was never pushed included. */
function strangeFields(
  { known }: Operation,
  fields: readonly string[],
  actual: ServiceContact,
): readonly string[] {
  const pushed = Object.fromEntries(fields.map((field) => [field, known[field] ?? '']))
  const asMade = shownAs(pushed, actual)
  const status = Number(actual.fields[STATUS] ?? UNKNOWN_STATUS)
  return fields.filter((field) =>
    field === STATUS ? status !== (known[STATUS] ?? UNKNOWN_STATUS) : !asMade.includes(field),
  )
}

/**
 * What speaks against deleting a contact that this program made: any field that the service shows, and any term, that is
 * not as it was pushed. Empty where nothing does.
 */
export async function strangeParts(
  operation: Operation,
  contactId: number,
  context: RunContext,
): Promise<CallResult<readonly string[]>> {
  const definitions = await customFieldsOf(context)
  if (definitions.kind !== 'ok') return definitions
  const keyOf = (field: CustomFieldDefinition): string => customFieldKeyOf(field, context.customFieldKey)
  const boxes = definitions.value.filter(({ type }) => type === 'checkbox_confirmation').map(keyOf)
  const marker = await markerOf(operation, context)
  const fields = [
    ...new Set([...CONTACT_FIELD_NAMES, ...definitions.value.map(keyOf), ...Object.keys(operation.known)]),
  ].filter((field) => field !== marker?.key)
  // The contact last: a wait for its terms must not leave time to edit it unseen before the delete.
  const terms = await context.session.contactTerms(contactId)
  if (terms.kind !== 'ok' && terms.kind !== 'absent') return terms
  const actual = await wholeContact(context.session, contactId, fields)
  if (actual.kind !== 'ok') return actual
  const names = terms.kind === 'ok' ? terms.value.map(({ name }) => name) : []
  const pushed = (operation.asserted ?? []).map(({ name }) => name)
  const seen = withoutUnticked(actual.value, boxes)
  return {
    kind: 'ok',
    request: actual.request,
    value: [
      ...strangeFields(operation, fields, seen),
      ...termsBeyond(names, pushed).map((name) => `term ${name}`),
      ...termsBeyond(pushed, names).map((name) => `term ${name} (removed)`),
    ],
  }
}

/** How the deletion of a contact ends that the undone run created and that is no longer as it was made; else undefined. */
export async function whyUndeletable(
  operation: Operation,
  contactId: number,
  context: RunContext,
): Promise<Settled | undefined> {
  if (operation.undoes === undefined) return undefined
  const strange = await strangeParts(operation, contactId, context)
  const { request } = strange
  if (strange.kind === 'absent')
    return {
      operation,
      request,
      settlement: { kind: 'done', contactId, reason: 'it did not exist any more' },
    }
  if (strange.kind !== 'ok') return settledByFailure(operation, strange, context)
  if (strange.value.length === 0) return undefined
  const reason = `${TOUCHED}: ${strange.value.join(', ')}`
  return { operation, request, settlement: { kind: 'settled', reason } }
}
