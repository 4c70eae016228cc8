// The mail_status that goes with a create: whether it does, and what became of it.
import type { Contact } from '../../core/mapping/contact.ts'
import type { Operation, Settled } from '../../core/change/operation.ts'
import { isConsent } from '../../core/mapping/values/consent.ts'
import { isWithdrawn, UNKNOWN_STATUS } from '../../core/change/permission.ts'
import { isTaken, noteStatus, readStatus, shownStatus } from './consent.ts'
import type { RunContext } from '../context.ts'

/**
 * 1 and 2 always go with the create. Any other goes by itself afterwards, after a look, unless the contact is surely new:
 * only then no consent could be raised (a create may be merged into a contact that was there).
 */
export function statusWithCreate({ consent }: Operation, context: RunContext): number | undefined {
  if (consent === undefined || isWithdrawn(consent)) return consent
  // Its evidence is looked at when it goes by itself.
  if (context.pipeline.map['mail_status']?.require_evidence === true && isConsent(consent)) return undefined
  const isNew = context.pipeline.duplicate_check_method === 'none'
  return isNew && (consent === UNKNOWN_STATUS || isTaken(consent, context) !== false) ? consent : undefined
}

/**
 * Reads the status back: each 1 and 2, and the first other one of a run. A new contact has 3 in any case, so that says nothing
 * about the key. Undefined where it is not seen, and left to be set.
 */
export async function statusOfCreate(
  operation: Operation,
  contactId: number,
  context: RunContext,
): Promise<'taken' | undefined> {
  const wanted = statusWithCreate(operation, context)
  if (wanted === undefined) return undefined
  if (wanted === UNKNOWN_STATUS || (!isWithdrawn(wanted) && isTaken(wanted, context) === true)) return 'taken'
  const actual = await readStatus(contactId, context)
  if (actual.kind !== 'ok' || shownStatus(actual.value) !== wanted) return undefined
  await noteStatus(wanted, { contactId, status: wanted }, context)
  return 'taken'
}

/** What a create that is done has brought: its status only where it was taken. */
export function withStatus(
  { consent, isFresh }: Operation,
  sent: Contact,
  status: 'taken' | undefined,
): Pick<Settled, 'sent' | 'status' | 'isFresh'> {
  const { mail_status: _, ...others } = sent
  if (status === undefined || consent === undefined)
    return { sent: others, ...(isFresh && isWithdrawn(consent) ? { isFresh } : {}) }
  return { sent: { ...others, mail_status: consent }, status }
}
