// For plans: creates that a run would send with the mail_status 1 or 2 that their address had when its contact was deleted.
import { statusOfNew } from '../../core/change/consents/former-status.ts'
import type { Operation } from '../../core/change/operation.ts'
import type { ServiceSettings } from '../../core/settings.ts'
import type { PlanContext } from '../context.ts'

const mailOf = ({ fields: { mail } }: Operation): string => (typeof mail === 'string' ? mail : '')

/** A contact that is there has a status of its own. Where the service is not asked, there is none. */
async function isThere(operation: Operation, { session, unasked }: PlanContext): Promise<boolean> {
  if (unasked !== undefined) {
    unasked.add('contacts')
    return false
  }
  const found = await session.contactsByMail(mailOf(operation), ['mail'])
  return found.kind === 'ok' && found.value.contacts.length > 0
}

async function withStatusOf(
  former: number | undefined,
  operation: Operation,
  context: PlanContext,
): Promise<Operation> {
  const { allow_consent_raise: mayRaise } = context.pipeline
  const consent = statusOfNew(operation.consent, former, { mayRaise })
  if (consent === undefined || consent === operation.consent || (await isThere(operation, context)))
    return operation
  const { key, source } = operation
  context.tally.leftOut.note({ key, file: source.file, line: source.line, kind: 'former', status: consent })
  return { ...operation, consent }
}

/** The same operations, creates among them as a run would send them. */
export async function withFormerStatuses(
  operations: readonly Operation[],
  service: Pick<ServiceSettings, 'status_after_delete'>,
  context: PlanContext,
): Promise<readonly Operation[]> {
  if (service.status_after_delete === 'remembered') return operations
  const isAsked = ({ kind, contactId }: Operation): boolean => kind === 'create' && contactId === undefined
  const former = await context.state.formerStatuses(
    operations.map((one) => (isAsked(one) ? mailOf(one) : '')),
  )
  const all: Operation[] = []
  for (const [index, one] of operations.entries())
    all.push(former[index] === undefined ? one : await withStatusOf(former[index], one, context))
  return all
}
