// What the contact itself has to say before a run's work on it is put back: only what is still as that run left it may
// be changed, and only a contact that nobody touched may be deleted.
import { CONTACT_FIELD_NAMES, type Contact } from '../core/contact.ts'
import { shownAs } from '../core/likeness.ts'
import type { Operation, Settled } from '../core/operation.ts'
import { termsBeyond } from '../core/terms.ts'
import { noted, type RunContext } from './context.ts'
import { gone, settledByFailure } from './settle.ts'

/** What may be sent of an update. */
export interface Sendable {
  readonly fields: Contact
  /** Why not all of it. */
  readonly reason?: string
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
  const actual = noted(await context.session.contactById(contactId, names), context)
  if (actual.kind === 'absent') return gone(operation, actual.request)
  if (actual.kind !== 'ok') return settledByFailure(operation, actual, context)
  const pushed = Object.fromEntries(names.map((name) => [name, operation.known[name] ?? '']))
  const ours = shownAs(pushed, actual.value)
  const back = shownAs(operation.fields, actual.value)
  const others = names.filter((name) => !ours.includes(name) && !back.includes(name))
  const reason =
    others.length === 0 ? {} : { reason: `left as it is, changed at the service since: ${others.join(', ')}` }
  const fields = only(operation.fields, ours)
  if (Object.keys(fields).length > 0) return { fields, ...reason }
  return {
    operation,
    request: actual.request,
    sent: only(operation.fields, back),
    settlement: { kind: 'settled', ...reason },
  }
}

const TOUCHED = 'somebody changed it since, so it is kept'

/** How the deletion of a contact ends that the undone run created and that is no longer as it was made; else undefined. */
export async function whyUndeletable(
  operation: Operation,
  contactId: number,
  context: RunContext,
): Promise<Settled | undefined> {
  if (operation.undoes === undefined) return undefined
  const fields = [...new Set([...CONTACT_FIELD_NAMES, ...Object.keys(operation.known)])]
  const actual = noted(await context.session.contactById(contactId, fields), context)
  const { request } = actual
  if (actual.kind === 'absent')
    return { operation, request, settlement: { kind: 'done', contactId, reason: 'it was gone already' } }
  if (actual.kind !== 'ok') return settledByFailure(operation, actual, context)
  const pushed = Object.fromEntries(fields.map((field) => [field, operation.known[field] ?? '']))
  const asMade = shownAs(pushed, actual.value)
  // The service may set mail_status by itself.
  const strange = fields.filter((field) => field !== 'mail_status' && !asMade.includes(field))
  const terms = noted(await context.session.contactTerms(contactId), context)
  if (terms.kind !== 'ok' && terms.kind !== 'absent') return settledByFailure(operation, terms, context)
  const names = terms.kind === 'ok' ? terms.value.map(({ name }) => name) : []
  const foreign = termsBeyond(
    names,
    (operation.asserted ?? []).map(({ name }) => name),
  )
  if (strange.length + foreign.length === 0) return undefined
  const seen = [...strange, ...foreign.map((name) => `term ${name}`)].join(', ')
  return { operation, request, settlement: { kind: 'settled', reason: `${TOUCHED}: ${seen}` } }
}
