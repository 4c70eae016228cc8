// A request that was lost may still be carried out, until `service.doubt.quiesce` has passed. One that names its contact by
// the mail alone does no harm as long as that contact is there under that mail: it is merged into it, and changes nothing.
// So until then the mail stays, and so does the contact; otherwise a second one would be made.
import type { LinkedOperation, Settled } from '../../core/change/operation.ts'
import type { RunContext } from '../context.ts'

/** For what is settled by now, while an earlier request of it may still come. */
export const openUntil = ({ clock, service }: RunContext): number => clock.now() + service.doubt.quiesce

const WHY =
  'a lost request may still be processed, and must find the contact by its e-mail address; this is tried again once service.doubt.quiesce has passed'

/**
 * What changes the mail of a contact, or deletes it, while that could make a second one; undefined where it may go. A moment
 * farther away than any wait was noted before the clock went back: it is waited for once more, and not until it comes.
 */
export async function tooEarly(
  operation: LinkedOperation,
  context: RunContext,
): Promise<Settled | undefined> {
  const until = await context.state.openUntil(operation.contactId)
  if (until <= context.clock.now()) return undefined
  const latest = openUntil(context)
  const settlement = { kind: 'failed', reason: WHY } as const
  return { operation, request: undefined, settlement, ...(until > latest ? { openUntil: latest } : {}) }
}

/** The same, once that has been waited for: a contact that must not stay is not left until the next run. */
export async function tooEarlyAfterWaiting(
  operation: LinkedOperation,
  context: RunContext,
): Promise<Settled | undefined> {
  const { contactId } = operation
  const left = (await context.state.openUntil(contactId)) - context.clock.now()
  const wait = Math.min(left, context.service.doubt.quiesce)
  if (wait > 0) {
    context.log.info('waiting before a create is taken back', { contact_id: contactId, wait_ms: wait })
    await context.clock.sleep(wait, context.signal)
  }
  return tooEarly(operation, context)
}
