// Deletes the contact of a record that has gone from a full source (interface, 4.2, DELETE). The last thing of a run,
// and looked at once more before it is sent: deleted is deleted.
import type { LinkedOperation, Operation, Settlement } from '../../core/change/operation.ts'
import type { RequestTrace } from '../../core/ports.ts'
import type { RunContext } from '../context.ts'
import { rulesFor, whyKeptAtDelete } from '../hand-edits.ts'
import { lookForStatus, noteBeforeDelete } from './former-status.ts'
import { tooEarly, tooEarlyAfterWaiting } from './late.ts'
import { strangeParts, whyUndeletable } from './send-undo.ts'
import { settle } from './settle.ts'

const KEPT =
  'another pipeline, or a record that the service merged into it, is linked to this contact, so it is kept'

/** In doubt, and by now linked by another record: it is not sent again, but it may have been applied. */
async function lookAtKept(operation: Operation, contactId: number, context: RunContext): Promise<void> {
  const seen = await context.session.contactById(contactId, ['id'])
  const { request } = seen
  if (seen.kind === 'absent')
    return settle([{ operation, request, settlement: { kind: 'done', contactId } }], context)
  const notBefore = context.clock.now()
  const settlement =
    seen.kind === 'ok'
      ? ({ kind: 'settled', reason: KEPT } as const)
      : ({ kind: 'in_doubt', reason: seen.reason, notBefore } as const)
  return settle([{ operation, request, settlement }], context)
}

/**
 * Reverts a create whose mail_status of 1 or 2 was not applied: no contact whose source says so is to stay at the service
 * without it. Only a contact that shows nothing but what was sent; its record counts as failed either way.
 */
async function takeBack(operation: LinkedOperation<'delete'>, context: RunContext): Promise<void> {
  const { contactId, reason = '' } = operation
  const keep = (why: string): Settlement => ({
    kind: 'failed',
    reason: `${reason}; its contact stays: ${why}`,
  })
  const end = (settlement: Settlement, request?: RequestTrace): Promise<void> =>
    settle([{ operation, request, settlement }], context)
  const early = operation.sent === 0 ? await tooEarlyAfterWaiting(operation, context) : undefined
  if (early !== undefined) return settle([early], context)
  if (await context.state.isNamedElsewhere(operation)) return end(keep(KEPT))
  const strange = await strangeParts(operation, contactId, context)
  const back = { kind: 'done', contactId, reason } as const
  if (strange.kind === 'absent') return end(back, strange.request)
  if (strange.kind !== 'ok') return end(keep(strange.reason), strange.request)
  if (strange.value.length > 0)
    return end(keep(`it has values that were not sent: ${strange.value.join(', ')}`), strange.request)
  await context.state.markSending([operation])
  const result = await context.session.deleteContact(contactId)
  if (result.kind === 'ok') return end(back, result.request)
  if (result.kind !== 'unknown') return end(keep(result.reason), result.request)
  const { request } = result
  return end({ kind: 'in_doubt', reason: result.reason, notBefore: context.clock.now() }, request)
}

/** Sending it again is safe: a contact that is not there is what was wanted. */
export async function sendDelete(operation: LinkedOperation<'delete'>, context: RunContext): Promise<void> {
  const { cause, contactId, undoes } = operation
  if (cause === 'record' && undoes === undefined) return takeBack(operation, context)
  if (await context.state.isNamedElsewhere(operation)) {
    if (operation.sent > 0) return lookAtKept(operation, contactId, context)
    // Nothing is left to be retried: the next full export decides again whether any record still names it.
    const settlement = { kind: 'settled', reason: KEPT } as const
    return settle([{ operation, request: undefined, settlement }], context)
  }
  if (rulesFor(operation, context) === undefined) return deleteContact(operation, context)
  return context.turns.take(contactId, () => deleteContact(operation, context))
}

async function deleteContact(operation: LinkedOperation<'delete'>, context: RunContext): Promise<void> {
  const { contactId } = operation
  const look = lookForStatus(context)
  const touched =
    (await whyUndeletable(operation, contactId, look.context)) ??
    (await whyKeptAtDelete(operation, look.context))
  if (touched !== undefined) return settle([touched], context)
  const early = operation.sent === 0 ? await tooEarly(operation, context) : undefined
  if (early !== undefined) return settle([early], context)
  const ended = await noteBeforeDelete(operation, look)
  if (ended !== undefined) return settle([ended], context)
  await context.state.markSending([operation])
  const result = await context.session.deleteContact(contactId)
  const { request } = result
  if (result.kind === 'ok')
    return settle([{ operation, request, settlement: { kind: 'done', contactId } }], context)
  const { reason } = result
  if (result.kind === 'unknown') {
    const notBefore = context.clock.now()
    return settle([{ operation, request, settlement: { kind: 'in_doubt', reason, notBefore } }], context)
  }
  return settle([{ operation, request, settlement: { kind: 'failed', reason } }], context)
}
