// A create whose mail_status is 1 or 2, while it is unknown in this run whether the key may set it: no contact whose source
// says so is to be created without it. An existing contact gets the status first; a new one is created alone and read back.
import type { CheckMethod } from '../../core/change/lookup/doubt.ts'
import type { Operation, Settled, Settlement } from '../../core/change/operation.ts'
import { isTaken, notTakenText } from './consent.ts'
import type { RunContext } from '../context.ts'
import { takenMail } from './free-mails.ts'
import { settle } from './settle.ts'

/** The end of a create that is not sent, because its status would not be taken. */
export const notSent = (operation: Operation): Settled => ({
  operation,
  request: undefined,
  settlement: { kind: 'failed', reason: notTakenText(operation.consent ?? 0) },
})

const NOT_FINDABLE =
  'its mail_status must be set with the create, this run does not know whether the API key has the permission, and without an e-mail address to look up the new contact could not be identified; the next run tries again'

const MAYBE_OURS =
  'the service has a contact with its e-mail address by now, which an earlier request of it may have created; it is looked up again'

const several = (wanted: number, found: number): Settlement => ({
  kind: 'held',
  reason: `mail_status ${wanted} is to be set, and the service has ${found} contacts with this e-mail address, and none can be identified; set it there by hand, or merge them`,
})

/** Under `none`, and under `email` without a mail, the service makes a new contact in any case. */
export function isSurelyNew(
  { fields }: Pick<Operation, 'fields'>,
  { pipeline }: { readonly pipeline: Pick<RunContext['pipeline'], 'duplicate_check_method'> },
): boolean {
  const { duplicate_check_method: check } = pipeline
  return check === 'none' || (check === 'email' && typeof fields['mail'] !== 'string')
}

/** POST of one contact. `isFresh`: there was no contact to merge it into. `check`: the check method, where not the pipeline's. */
export type PostCreate = (
  operation: Operation,
  context: RunContext,
  how?: { readonly isFresh?: boolean; readonly check?: CheckMethod },
) => Promise<void>

/** It may have arrived already, or may still: then it is in doubt as before. */
function unsent(operation: Operation, reason: string, { clock, service }: RunContext): Settlement {
  const notBefore = clock.now() + service.doubt.quiesce
  const { sent, absentReads } = operation
  return sent > 0 ? { kind: 'in_doubt', reason, notBefore, absentReads } : { kind: 'failed', reason }
}

/** Under `auto` it could be merged into a contact of another mail, which could not be distinguished from a new one. */
async function createByMail(
  operation: Operation,
  context: RunContext,
  postCreate: PostCreate,
): Promise<void> {
  // A look-up may not show yet who has the mail.
  const taken = await takenMail(operation, context)
  if (taken === undefined) return postCreate(operation, context, { isFresh: true, check: 'email' })
  await settle([{ operation, request: undefined, settlement: taken }], context)
}

export async function sendUnsubscribed(
  operation: Operation,
  context: RunContext,
  postCreate: PostCreate,
): Promise<void> {
  const { consent: wanted = 0, fields } = operation
  const taken = isTaken(wanted, context)
  if (taken === false) return settle([notSent(operation)], context)
  if (isSurelyNew(operation, context)) return postCreate(operation, context, { isFresh: true })
  if (taken === true) return postCreate(operation, context)
  const mail = fields['mail']
  const found = typeof mail === 'string' ? await context.session.contactsByMail(mail, ['mail']) : undefined
  if (found?.kind !== 'ok') {
    const settlement = unsent(operation, found?.reason ?? NOT_FINDABLE, context)
    return settle([{ operation, request: found?.request, settlement }], context)
  }
  const { request } = found
  const { contacts } = found.value
  const [only] = contacts
  if (only === undefined) return createByMail(operation, context, postCreate)
  // One that no look-up of the doubt has shown may be what an earlier request has made, and no contact that was there before.
  if (operation.sent > 0 && operation.absentReads > 0) {
    const settlement = unsent({ ...operation, absentReads: 0 }, MAYBE_OURS, context)
    return settle([{ operation, request, settlement }], context)
  }
  const reason =
    'the service had a contact with this e-mail address; its mail_status is sent before anything else'
  const settlement: Settlement =
    contacts.length > 1 ? several(wanted, contacts.length) : { kind: 'settled', contactId: only.id, reason }
  await settle([{ operation, request, sent: {}, settlement }], context)
}
