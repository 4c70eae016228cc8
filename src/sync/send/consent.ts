// mail_status. No merge method applies to it. A 1 or 2 goes before anything else of a contact that is there, and is read
// back each time: what the service did not take is never done. Any other status is the last step of a change; it never
// raises a contact from 1 or 2 unless the pipeline allows it in words.
// A key without the permission is ignored silently, so the first status of a run is an attempt that the others wait for.
import type { LinkedOperation, Operation, Settled, Settlement } from '../../core/change/operation.ts'
import { SUPPRESSED_REASON } from '../../core/change/consents/suppression.ts'
import { isWithdrawn, UNKNOWN_STATUS } from '../../core/change/permission.ts'
import { lowestWithdrawn } from '../../core/change/lookup/resolution.ts'
import type { CallResult, RequestTrace, ServiceContact } from '../../core/ports.ts'
import type { RunContext } from '../context.ts'
import { noteRaised, whyUnproven } from './evidence.ts'
import { gone, settle, settledByFailure } from './settle.ts'
import { isHeldBack } from './suppressed-send.ts'

const STATUS = 'mail_status'

export const shownStatus = (contact: ServiceContact): number =>
  Number(contact.fields[STATUS] ?? UNKNOWN_STATUS)

export const readStatus = async (
  contactId: number,
  context: RunContext,
): Promise<CallResult<ServiceContact>> => await context.session.contactById(contactId, [STATUS])

const classOf = (status: number): 'withdrawn' | 'other' => (isWithdrawn(status) ? 'withdrawn' : 'other')

/** Whether this run has seen such a status taken; undefined where it does not know yet. */
export const isTaken = (status: number, { seen }: RunContext): boolean | undefined =>
  seen.statusTaken?.[classOf(status)]

/** Runs the tasks one after the other as long as it is unknown whether such a status is applied. */
export function inTurn(status: number, task: () => Promise<void>, context: RunContext): Promise<void> {
  if (isTaken(status, context) !== undefined) return task()
  const mine = (context.seen.statusTry ?? Promise.resolve()).then(task)
  context.seen.statusTry = mine.catch(() => undefined)
  return mine
}

/** Takes note, for this run and the next ones, of what reading back has shown. */
export async function noteStatus(
  wanted: number,
  found: { contactId: number; status: number },
  context: RunContext,
): Promise<boolean> {
  const { seen, state } = context
  const taken = found.status === wanted
  const isNew = isTaken(wanted, context) !== taken
  const which = classOf(wanted)
  // Later in a run only a success changes anything: a single contact proves nothing about the key.
  if (isTaken(wanted, context) === undefined || taken)
    seen.statusTaken = { ...seen.statusTaken, [which]: taken }
  if (taken && isNew) await state.noteStatusPermission('known')
  else if (seen.statusTaken?.withdrawn !== true) await state.noteStatusPermission('refused')
  if (!taken && isNew && seen.statusTaken?.[which] === false)
    context.log.warn('mail_status ignored by the service: API key may lack the permission', {
      contact_id: found.contactId,
      wanted,
      found: found.status,
    })
  return taken
}

const LACKS = 'the API key may lack the permission to set it'
export const notTakenText = (wanted: number): string =>
  `mail_status ${wanted} was not accepted by the service: ${LACKS}. Nothing else of this record is sent until it is accepted; every run tries one record, and all of them once that succeeds`

function heldReason(actual: number, wanted: number): string {
  const state = actual === 1 ? 'blocked' : 'unsubscribed'
  return `mail_status: the contact is ${state} (${actual}) at the service, and a consent is not raised to ${wanted} without allow_consent_raise: true`
}

type Failure = Exclude<CallResult<unknown>, { kind: 'ok' }>

/** Whether the service refused the status itself, in words or by the code for a lack of permission. */
export const isStatusRefused = ({ kind, reason, request }: Failure): boolean =>
  (kind === 'denied' && request.status === 403) || (kind === 'refused' && reason.includes(STATUS))

/** From what it was at the service, not from what was pushed last. */
const fromActual = (operation: LinkedOperation<'consent'>, status: number): LinkedOperation<'consent'> => ({
  ...operation,
  known: { ...operation.known, [STATUS]: status },
})

type Sent =
  | { readonly kind: 'taken' | 'ignored'; readonly request: RequestTrace; readonly why?: string }
  | { readonly kind: 'ended'; readonly settled: Settled }

/** PUT of mail_status alone, read back where `verify` says so. */
async function putStatus(
  operation: LinkedOperation<'consent'>,
  verify: boolean,
  context: RunContext,
): Promise<Sent> {
  const { contactId, consent: wanted = 0, known } = operation
  await context.state.markSending([operation])
  const result = await context.session.updateContact(contactId, { [STATUS]: wanted })
  const { request } = result
  if (result.kind === 'absent') return { kind: 'ended', settled: gone(operation, request) }
  // Of a status alone there is nothing else that could be refused.
  if (result.kind === 'refused' || (result.kind !== 'ok' && isStatusRefused(result))) {
    await noteStatus(wanted, { contactId, status: 0 }, context)
    return { kind: 'ignored', request, why: result.reason }
  }
  if (result.kind !== 'ok') return { kind: 'ended', settled: settledByFailure(operation, result, context) }
  if (!verify) return { kind: 'taken', request }
  const actual = await readStatus(contactId, context)
  if (actual.kind === 'absent') return { kind: 'ended', settled: gone(operation, actual.request) }
  if (actual.kind !== 'ok') {
    const settlement = { kind: 'failed', reason: actual.reason, unknown: true } as const
    return { kind: 'ended', settled: { operation, request, settlement } }
  }
  const status = shownStatus(actual.value)
  // A contact that stays blocked or unsubscribed proves nothing about the key.
  if (status !== wanted && isWithdrawn(Number(known[STATUS]))) return { kind: 'ignored', request }
  const isSet = await noteStatus(wanted, { contactId, status }, context)
  return { kind: isSet ? 'taken' : 'ignored', request }
}

/** A contact that was created for this record must not stay without its status; any other is left unchanged. */
const notTaken = ({ consent = 0, isFresh }: Operation, why?: string): Settlement => ({
  kind: 'failed',
  reason: why === undefined ? notTakenText(consent) : `${notTakenText(consent)} (${why})`,
  ...(isFresh ? { next: 'delete' } : {}),
})

/** It had come with the create, and was not seen then. A user may have set it since: it says nothing about the key. */
const setByCreate = (contactId: number): Settlement => ({
  kind: 'done',
  contactId,
  reason: 'it was set by the create',
})

/** 1 or 2: taken and seen, or failed, before everything else that waits for the limit. The caller has the turn. */
export const withdraw = (operation: LinkedOperation<'consent'>, context: RunContext): Promise<void> =>
  context.ahead(() => restrict(operation, context))

async function restrict(operation: LinkedOperation<'consent'>, context: RunContext): Promise<void> {
  const { contactId, consent: wanted = 0, outcome } = operation
  const end = (settled: Omit<Settled, 'operation'>): Promise<void> =>
    settle([{ operation, ...settled }], context)
  if (isTaken(wanted, context) === false) return end({ request: undefined, settlement: notTaken(operation) })
  const actual = await readStatus(contactId, context)
  const { request } = actual
  if (actual.kind === 'absent') return settle([gone(operation, request)], context)
  if (actual.kind !== 'ok') return settle([settledByFailure(operation, actual, context)], context)
  const status = shownStatus(actual.value)
  if (status === wanted && outcome !== 'created')
    return end({ request, sent: {}, settlement: { kind: 'settled' } })
  if (status === wanted) return end({ request, settlement: setByCreate(contactId) })
  const seen = fromActual(operation, status)
  const sent = await putStatus(seen, true, context)
  if (sent.kind === 'ended') return settle([sent.settled], context)
  const settlement: Settlement =
    sent.kind === 'taken' ? { kind: 'done', contactId } : notTaken(operation, sent.why)
  await settle([{ operation: seen, request: sent.request, settlement }], context)
}

/** A 1 or 2 applies to the whole address of a household: no contact of it is raised above that, whatever the pipeline allows. */
async function heldByAddress(
  operation: LinkedOperation<'consent'>,
  { pipeline, session }: RunContext,
): Promise<Settled | undefined> {
  const { consent: wanted = 0, contactId, known, desired } = operation
  const mail = known['mail'] ?? desired['mail']
  if (pipeline.household === undefined || typeof mail !== 'string' || mail === '') return undefined
  const found = await session.contactsByMail(mail, ['mail', STATUS])
  if (found.kind === 'absent') return undefined
  if (found.kind !== 'ok') {
    const { request, reason } = found
    return { operation, request, settlement: { kind: 'failed', reason } }
  }
  const others = found.value.contacts.filter(({ id }) => id !== contactId)
  const lowest = lowestWithdrawn(others)
  if (lowest === undefined) return undefined
  const reason = `mail_status: another contact with the address has ${lowest}, and no contact with it is raised to ${wanted}`
  return { operation, request: found.request, settlement: { kind: 'held', reason } }
}

/** Any other status: one that is not applied fails no record, is not recorded as sent, and is retried once it can be set. */
async function setStatus(operation: LinkedOperation<'consent'>, context: RunContext): Promise<void> {
  const { contactId, consent: wanted = 0, carried } = operation
  const ignored = (of: Operation, request: RequestTrace | undefined): Settled => {
    const reason = `mail_status ${wanted} was not accepted by the service: ${LACKS}; it is tried again once that is allowed`
    return { operation: of, request, status: 'ignored', settlement: { kind: 'settled', reason } }
  }
  if (await isHeldBack(operation, context)) {
    const settlement = {
      kind: 'settled',
      reason: `mail_status ${wanted} was not set: ${SUPPRESSED_REASON}`,
    } as const
    return settle([{ operation, request: undefined, status: 'ignored', settlement }], context)
  }
  if (isTaken(wanted, context) === false) return settle([ignored(operation, undefined)], context)
  const actual = await readStatus(contactId, context)
  const { request } = actual
  if (actual.kind === 'absent') return settle([gone(operation, request)], context)
  if (actual.kind !== 'ok') return settle([settledByFailure(operation, actual, context)], context)
  const status = shownStatus(actual.value)
  if (status === wanted && carried === wanted)
    return settle([{ operation, request, settlement: setByCreate(contactId) }], context)
  if (status === wanted)
    return settle([{ operation, request, sent: {}, settlement: { kind: 'settled' } }], context)
  if (isWithdrawn(status) && !context.pipeline.allow_consent_raise) {
    const settlement = { kind: 'held', reason: heldReason(status, wanted) } as const
    return settle([{ operation, request, settlement }], context)
  }
  const unproven = await whyUnproven(operation, context)
  if (unproven !== undefined) {
    const settlement = { kind: 'settled', reason: unproven } as const
    return settle([{ operation, request, status: 'ignored', settlement }], context)
  }
  const ofAddress = await heldByAddress(operation, context)
  if (ofAddress !== undefined) return settle([ofAddress], context)
  const seen = fromActual(operation, status)
  const sent = await putStatus(seen, isTaken(wanted, context) !== true, context)
  if (sent.kind === 'ended') return settle([sent.settled], context)
  if (sent.kind === 'taken') await noteRaised(operation, context)
  const done = { operation: seen, request: sent.request, settlement: { kind: 'done', contactId } } as const
  await settle([sent.kind === 'taken' ? done : ignored(operation, sent.request)], context)
}

/** The step of a change that sets mail_status: PUT of it alone, after a look at what it is. */
export function sendConsent(operation: LinkedOperation<'consent'>, context: RunContext): Promise<void> {
  const wanted = operation.consent ?? 0
  const send = isWithdrawn(wanted) ? withdraw : setStatus
  return inTurn(wanted, () => send(operation, context), context)
}
