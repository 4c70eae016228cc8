// mail_status: never raised from blocked or unsubscribed unless the pipeline allows it in words, so it is looked at
// before it is set; and a service that ignores it (the key lacks the permission) is named once a run.
import type { Contact } from '../core/contact.ts'
import { allowedFields } from '../core/merge-method.ts'
import type { Operation } from '../core/operation.ts'
import type { CallResult, ServiceContact } from '../core/ports.ts'
import { noted, type RunContext } from './context.ts'
import { gone, settle, settledByFailure } from './settle.ts'

const STATUS = 'mail_status'
/** blocked and unsubscribed (interface, 3): what a person, or the law, has asked for. */
const WITHDRAWN: readonly number[] = [1, 2]

const statusOf = (contact: ServiceContact): number => Number(contact.fields[STATUS] ?? 3)

const readStatus = async (contactId: number, context: RunContext): Promise<CallResult<ServiceContact>> =>
  noted(await context.session.contactById(contactId, [STATUS]), context)

/** After a push of mail_status: reads one contact back, once a run, and says so when nothing came of it. */
export async function sayIgnoredStatus(sent: Contact, contactId: number, context: RunContext): Promise<void> {
  const wanted = sent[STATUS]
  if (typeof wanted !== 'number' || context.seen.mailStatusTaken !== undefined) return
  context.seen.mailStatusTaken = true
  const actual = await readStatus(contactId, context)
  if (actual.kind !== 'ok' || statusOf(actual.value) === wanted) return
  context.seen.mailStatusTaken = false
  context.log.warn('the service ignores mail_status; its key seems to lack the permission to set it', {
    contact_id: contactId,
    wanted,
    found: statusOf(actual.value),
  })
}

function heldReason(actual: number, wanted: number): string {
  const state = actual === 1 ? 'blocked' : 'unsubscribed'
  return `mail_status: the contact is ${state} (${actual}) at the service, and a consent is not raised to ${wanted} unless the pipeline says allow_consent_raise: true`
}

/** The last step of a change: PUT of mail_status alone, after a look at what it is. */
export async function sendConsent(operation: Operation, context: RunContext): Promise<void> {
  const contactId = operation.contactId ?? 0
  const wanted = operation.consent ?? 0
  const actual = await readStatus(contactId, context)
  if (actual.kind === 'absent') return settle([gone(operation, actual.request)], context)
  if (actual.kind !== 'ok') return settle([settledByFailure(operation, actual, context)], context)
  const status = statusOf(actual.value)
  const allowed = allowedFields(
    { [STATUS]: wanted },
    { [STATUS]: status },
    context.pipeline.duplicateMergeMethod,
  )
  const { request } = actual
  if (status === wanted || Object.keys(allowed).length === 0)
    return settle([{ operation, request, sent: {}, settlement: { kind: 'settled' } }], context)
  if (WITHDRAWN.includes(status) && !context.pipeline.allowConsentRaise) {
    const settlement = { kind: 'held', reason: heldReason(status, wanted) } as const
    return settle([{ operation, request, settlement }], context)
  }
  await context.state.markSending([operation])
  const result = noted(await context.session.updateContact(contactId, { [STATUS]: wanted }), context)
  if (result.kind === 'absent') return settle([gone(operation, result.request)], context)
  if (result.kind !== 'ok') return settle([settledByFailure(operation, result, context)], context)
  await sayIgnoredStatus({ [STATUS]: wanted }, contactId, context)
  // From what it was at the service, not from what was pushed last.
  const seen = { ...operation, known: { ...operation.known, [STATUS]: status } }
  await settle(
    [{ operation: seen, request: result.request, settlement: { kind: 'done', contactId } }],
    context,
  )
}
