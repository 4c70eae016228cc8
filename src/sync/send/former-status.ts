// What a delete must not lose, and a create must not raise: the mail_status 1 or 2 of an address whose contact was deleted. It is
// read before each delete, unless the service remembers it (`service.status_after_delete`), and goes with the next create.
import { statusOfNew } from '../../core/change/consents/former-status.ts'
import type { LinkedOperation, Operation, Settled } from '../../core/change/operation.ts'
import type { RequestTrace, ServiceContact } from '../../core/ports.ts'
import type { RunContext } from '../context.ts'
import { notedReads, withCalls } from '../reads/noted-reads.ts'
import { shownStatus } from './consent.ts'
import { settle } from './settle.ts'

const ASKED = ['mail', 'mail_status']

interface StatusLook {
  /** For other looks at the contact before it is deleted: they show the status, too, so that it needs no read of its own. */
  readonly context: RunContext
  shown(): ServiceContact | undefined
}

export function lookForStatus(context: RunContext): StatusLook {
  let shown: ServiceContact | undefined
  const reads = notedReads(context.session, {
    fields: () => ASKED,
    note(contact) {
      shown = contact
    },
  })
  return { context: { ...context, session: withCalls(context.session, reads) }, shown: () => shown }
}

/** Notes what the contact has now; gives the end of the delete where that could not be read, or it is gone. */
export async function noteBeforeDelete(
  operation: LinkedOperation<'delete'>,
  look: StatusLook,
): Promise<Settled | undefined> {
  const { session, state, service, clock } = look.context
  // Of one that is sent again it was noted before the first request.
  if (service.status_after_delete === 'remembered' || operation.sent > 0) return undefined
  const { contactId, known } = operation
  if (look.shown() === undefined) {
    const seen = await session.contactById(contactId, ASKED)
    if (seen.kind === 'absent')
      return { operation, request: seen.request, settlement: { kind: 'done', contactId } }
    if (seen.kind !== 'ok')
      return { operation, request: seen.request, settlement: { kind: 'failed', reason: seen.reason } }
  }
  const contact = look.shown()
  if (contact === undefined) return undefined
  const mails = [contact.fields['mail'], known['mail']]
  for (const mail of new Set(mails))
    if (typeof mail === 'string' && mail !== '')
      await state.noteFormerStatus({ mail, status: shownStatus(contact), at: clock.now() })
  return undefined
}

const mailOf = ({ fields: { mail } }: Operation): string => (typeof mail === 'string' ? mail : '')

type Looked =
  | { readonly kind: 'ended'; readonly settled: Settled }
  | { readonly kind: 'free'; readonly operation: Operation; readonly isFormer: boolean }

/** A contact that is there has a status of its own, which may be a later one: then the former does not count any more. */
async function withFormer(operation: Operation, former: number, context: RunContext): Promise<Looked> {
  const mayRaise = context.pipeline.allow_consent_raise
  const consent = statusOfNew(operation.consent, former, { mayRaise })
  if (consent === operation.consent) return { kind: 'free', operation, isFormer: false }
  const found = await context.session.contactsByMail(mailOf(operation), ['mail'])
  if (found.kind !== 'ok' && found.kind !== 'absent')
    return { kind: 'ended', settled: unread(operation, found, context) }
  const isThere = found.kind === 'ok' && found.value.contacts.length > 0
  return {
    kind: 'free',
    operation: isThere ? operation : { ...operation, consent },
    isFormer: !isThere,
  }
}

/** One that may have arrived stays in doubt. */
function unread(
  operation: Operation,
  { reason, request }: { readonly reason: string; readonly request: RequestTrace },
  { clock, service }: RunContext,
): Settled {
  const notBefore = clock.now() + service.doubt.quiesce
  const { absentReads } = operation
  return operation.sent > 0 || operation.state === 'in_doubt'
    ? { operation, request, settlement: { kind: 'in_doubt', reason, notBefore, absentReads } }
    : { operation, request, settlement: { kind: 'failed', reason } }
}

/** The creates with the mail_status that their addresses had last; those whose address could not be looked up have ended. */
export async function withFormerStatus(
  operations: readonly Operation[],
  context: RunContext,
): Promise<readonly Operation[]> {
  if (context.service.status_after_delete === 'remembered') return operations
  const former = await context.state.formerStatuses(operations.map(mailOf))
  if (former.every((status) => status === undefined)) return operations
  const looked = await Promise.all(
    operations.map(async (operation, index): Promise<Looked> => {
      const status = former[index]
      return status === undefined
        ? { kind: 'free', operation, isFormer: false }
        : withFormer(operation, status, context)
    }),
  )
  const standing = looked.flatMap((one) => (one.kind === 'free' && one.isFormer ? [one.operation] : []))
  for (const { key, source, consent: status = 0 } of standing)
    context.tally.leftOut.note({ key, file: source.file, line: source.line, kind: 'former', status })
  const records = standing.length
  if (records > 0) context.log.warn('mail_status 1 or 2 of a deleted contact stands again', { records })
  await settle(
    looked.flatMap((one) => (one.kind === 'ended' ? [one.settled] : [])),
    context,
  )
  return looked.flatMap((one) => (one.kind === 'free' ? [one.operation] : []))
}
