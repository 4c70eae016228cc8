// Deletes the contact of a record that has gone from a full source (interface, 4.2, DELETE). The last thing of a run,
// and looked at once more before it is sent: deleted is deleted.
import type { Operation } from '../core/operation.ts'
import { noted, type RunContext } from './context.ts'
import { tooEarly } from './late.ts'
import { whyUndeletable } from './send-undo.ts'
import { settle } from './settle.ts'

const KEPT =
  'another pipeline, or a record that the service merged into it, names this contact, so it is kept'

/** In doubt, and by now somebody else's: it is not sent again, but it may have been applied. */
async function lookAtKept(operation: Operation, contactId: number, context: RunContext): Promise<void> {
  const seen = noted(await context.session.contactById(contactId, ['id']), context)
  const { request } = seen
  if (seen.kind === 'absent')
    return settle([{ operation, request, settlement: { kind: 'done', contactId } }], context)
  const notBefore = context.clock.now()
  const settlement =
    seen.kind === 'ok'
      ? ({ kind: 'failed', reason: KEPT } as const)
      : ({ kind: 'in_doubt', reason: seen.reason, notBefore } as const)
  return settle([{ operation, request, settlement }], context)
}

/** Sending it again is safe: a contact that is not there is what was wanted. */
export async function sendDelete(operation: Operation, context: RunContext): Promise<void> {
  const { contactId = 0 } = operation
  if (await context.state.isNamedElsewhere(operation)) {
    if (operation.sent > 0) return lookAtKept(operation, contactId, context)
    // Nothing is left to be tried again: the next full export judges anew whether anybody still names it.
    return settle([{ operation, request: undefined, settlement: { kind: 'settled' } }], context)
  }
  const touched = await whyUndeletable(operation, contactId, context)
  if (touched !== undefined) return settle([touched], context)
  const early = operation.sent === 0 ? await tooEarly(operation, context) : undefined
  if (early !== undefined) return settle([early], context)
  await context.state.markSending([operation])
  const result = noted(await context.session.deleteContact(contactId), context)
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
