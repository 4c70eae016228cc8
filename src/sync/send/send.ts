// Sends creates that are in the journal: one, or many in one call; and settles those whose answer was lost.
// Each is marked as sending before its request leaves, and settled by what came back.
import { matchBulkAnswer } from '../../core/change/bulk.ts'
import type { Contact } from '../../core/mapping/contact.ts'
import { MERGED_IN_CALL_REASON } from '../../core/change/diff.ts'
import { doubtDecision, doubtStep, isRepeatable } from '../../core/change/lookup/doubt.ts'
import type { Operation, Settled } from '../../core/change/operation.ts'
import { isWithdrawn, UNKNOWN_STATUS } from '../../core/change/permission.ts'
import type { CallResult, CreateOptions, ServiceContact } from '../../core/ports.ts'
import {
  inTurn,
  isStatusRefused,
  isTaken,
  noteStatus,
  notTakenText,
  shownStatus,
  withdraw,
} from './consent.ts'
import { isStopped, type RunContext, shrinkBulk } from '../context.ts'
import { mailOwners, withFreeMails } from './free-mails.ts'
import { openUntil } from './late.ts'
import { markerOf } from './marker.ts'
import { withFormerStatus } from './former-status.ts'
import { withLookUps } from './resolve.ts'
import { isSurelyNew, notSent, type PostCreate, sendUnsubscribed } from './send-unsubscribed.ts'
import { sendDelete } from './send-delete.ts'
import { unsuppressed } from './suppressed-send.ts'
import { statusOfCreate, statusWithCreate, withStatus } from './status-of-create.ts'
import { settle, settledByFailure } from './settle.ts'

/** A step of that kind goes before all others. */
const FIRST_PAGE = 200

export function createOptions(context: RunContext, repeatable: boolean): CreateOptions {
  const { duplicate_check_method: duplicateCheckMethod, duplicate_merge_method: duplicateMergeMethod } =
    context.pipeline
  return { duplicateCheckMethod, duplicateMergeMethod, repeatable }
}

const repeatable = (operation: Operation, context: RunContext): boolean =>
  isRepeatable(operation.fields, context.pipeline.duplicate_check_method)

/** POST of one contact (interface, 4.2). A mail_status of 1 or 2 that is not yet known to be applied is sent with care. */
async function sendCreate(operation: Operation, context: RunContext): Promise<void> {
  const status = statusWithCreate(operation, context)
  if (status === undefined) return postCreate(operation, context)
  const send = (): Promise<void> =>
    isWithdrawn(operation.consent)
      ? sendUnsubscribed(operation, context, postCreate)
      : postCreate(operation, context)
  return inTurn(status, send, context)
}

const postCreate: PostCreate = async (planned, context, { isFresh = false, check } = {}) => {
  const operation = { ...carrying(planned, context), isFresh }
  const sent = await payload(operation, context)
  await context.state.markSending([operation])
  const options = createOptions(context, repeatable(operation, context))
  const method = check === undefined ? {} : { duplicateCheckMethod: check }
  const result = await context.session.createContact(sent, { ...options, ...method })
  const { consent } = operation
  if (result.kind !== 'ok' && consent !== undefined && 'mail_status' in sent && isStatusRefused(result)) {
    await noteStatus(consent, { contactId: 0, status: 0 }, context)
    const reason = `${notTakenText(consent)} (${result.reason})`
    return settle(
      [{ operation, request: result.request, sent, settlement: { kind: 'failed', reason } }],
      context,
    )
  }
  if (result.kind !== 'ok')
    return settle([{ ...settledByFailure(operation, result, context), sent }], context)
  const { request, value: contactId, echo } = result
  const late = lateOf([operation], echo, context)
  const status = await statusOfCreate(operation, contactId, context)
  const done = { operation, request, settlement: { kind: 'done', contactId } } as const
  await settle([{ ...done, ...withStatus(operation, sent, status), ...late }], context)
  if (isFresh && status === undefined) await finishFresh(operation, context)
}

/** What the create did not bring is set now, before the next one: only that tells whether the key may set it. */
async function finishFresh({ id }: Operation, context: RunContext): Promise<void> {
  const planned = await context.state.takeToSend(context.runId, undefined, FIRST_PAGE)
  const step = planned.find((one) => one.id === id)
  if (step?.kind === 'consent' && !isStopped(context)) await withdraw(step, context)
}

/** Whether an earlier request of one of these creates may still come after the answer to this one. */
const lateOf = (
  operations: readonly Operation[],
  echo: true | undefined,
  context: RunContext,
): Pick<Settled, 'openUntil'> =>
  operations.some((operation) => repeatable(operation, context) && (echo === true || operation.sent > 0))
    ? { openUntil: openUntil(context) }
    : {}

/** The state records which mail_status is in a create before it leaves: its answer may be lost. */
const carrying = (operation: Operation, context: RunContext): Operation => ({
  ...operation,
  carried: statusWithCreate(operation, context) ?? operation.carried,
})

/** What is sent of a create: its fields, frozen when it was planned, its mail_status where it has it, and its marker. */
async function payload(operation: Operation, context: RunContext): Promise<Contact> {
  const marker = await markerOf(operation, context)
  const status = statusWithCreate(operation, context)
  return {
    ...operation.fields,
    ...(status === undefined ? {} : { mail_status: status }),
    ...(marker === undefined ? {} : { [marker.key]: marker.text }),
  }
}

/** Looks the operation's mail up; undefined where the service gave no usable answer. */
async function lookUp(operation: Operation, context: RunContext) {
  const mail = operation.fields['mail']
  if (typeof mail !== 'string') return undefined
  const { duplicate_check_method: check, duplicate_merge_method: merge } = context.pipeline
  const marker = await markerOf(operation, context)
  const { consent } = operation
  const asked = Object.keys(
    consent === undefined ? operation.fields : { ...operation.fields, mail_status: 0 },
  )
  const fields = [...asked, ...(marker === undefined ? [] : [marker.key])]
  const found = await context.session.contactsByMail(mail, fields)
  if (found.kind !== 'ok') return undefined
  const { contacts, others } = found.value
  const { here, elsewhere } = await context.state.contactsOfOthers(operation, [
    ...idsOf(contacts),
    ...idsOf(others),
  ])
  // Under `none` the contact of another record cannot have become this one's by a merge.
  const taken = check === 'none' ? here : []
  const free = contacts.filter(({ id }) => !taken.includes(id))
  const strangers = others.filter(({ id }) => !here.includes(id) && !elsewhere.has(id))
  // Another pipeline may be about to have one of them: whatever it shows may have come from either.
  const isOpen = check === 'none' && free.length > 0 && (await context.state.isCreatedElsewhere(operation))
  const awaited = isOpen ? idsOf(free).map((id): [number, Contact] => [id, {}]) : []
  const ofOthers = new Map([
    ...awaited,
    ...[...elsewhere].filter(([id]) => free.some((one) => one.id === id)),
  ])
  return {
    step: doubtStep(
      operation.fields,
      { contacts: free, others: strangers },
      { check, merge, marker, ofOthers, household: context.pipeline.household },
    ),
    matches: free.length,
    found: free,
    request: found.request,
  }
}

const idsOf = (found: readonly ServiceContact[]): readonly number[] => found.map(({ id }) => id)

const FOUND = 'found at the service; its answer was lost'

type Seen = NonNullable<Awaited<ReturnType<typeof lookUp>>>

/** Settles a create by the contact that a look-up has shown to be its own. */
function adopt(operation: Operation, contactId: number, { found, request }: Seen, context: RunContext) {
  const contact = found.find(({ id }) => id === contactId)
  const isSet = contact !== undefined && shownStatus(contact) === statusWithCreate(operation, context)
  const done = {
    ...{ operation, request },
    ...withStatus(operation, operation.fields, isSet ? 'taken' : undefined),
    settlement: { kind: 'done', contactId, adopted: true, reason: FOUND } as const,
    // Of several attempts it is one that has arrived.
    ...lateOf([operation], true, context),
  }
  return settle([done], context)
}

/**
 * Settles an operation whose request left no clear answer: adopts the contact that is surely ours, sends again
 * where that cannot create a duplicate. `mayResend` says that absence alone is proof enough.
 */
export async function settleDoubt(
  operation: Operation,
  context: RunContext,
  mayResend: boolean,
): Promise<void> {
  if (operation.kind === 'delete') return sendDelete(operation, context)
  if (isStopped(context)) return parkDoubt(operation, 'the run ended before it could be looked up', context)
  // Nothing of it was sent: the present owner of the mail decides.
  if (operation.sent === 0 && context.pipeline.household !== undefined) return sendAgain(operation, context)
  const seen = await lookUp(operation, context)
  const owner = (await mailOwners([operation], context)).get(operation.id)?.key
  // The service would merge it into the contact that has the mail now, and that may be someone else.
  const wouldChange = context.pipeline.writes === 'create' && (seen?.matches ?? 0) > 0
  const decision = doubtDecision({
    ...{ operation, seen, mayResend, owner, isStopped: isStopped(context), now: context.clock.now() },
    isRepeatable: repeatable(operation, context) && !wouldChange,
    isHopeless: isWithdrawn(operation.consent) && isTaken(operation.consent ?? 0, context) === false,
  })
  // Whether it was absent now decides whose a contact is that shows itself only right before the create goes again.
  const absentReads = seen?.matches === 0 ? operation.absentReads + 1 : 0
  const again = seen === undefined ? operation : { ...operation, absentReads }
  if (decision.kind === 'resend') return sendAgain(again, context)
  if (decision.kind === 'park') return parkDoubt(operation, decision.reason, context, decision.absentReads)
  if (seen !== undefined) return adopt(operation, decision.contactId, seen, context)
}

/** Those that the suppression list lets go, with the mail_status that their address had last. */
const allowed = async (
  operations: readonly Operation[],
  context: RunContext,
): Promise<readonly Operation[]> => withFormerStatus(await unsuppressed(operations, context), context)

/** Within its address no contact may be created with a higher mail_status than another has now. */
async function sendAgain(operation: Operation, context: RunContext): Promise<void> {
  const [ready] = await withLookUps(await allowed([operation], context), context)
  if (ready !== undefined) await sendCreate(ready, context)
}

async function parkDoubt(
  operation: Operation,
  reason: string,
  context: RunContext,
  absentReads = operation.absentReads,
): Promise<void> {
  const notBefore = context.clock.now() + context.service.doubt.quiesce
  await settle(
    [{ operation, request: undefined, settlement: { kind: 'in_doubt', reason, notBefore, absentReads } }],
    context,
  )
}

/** Of a call that was made: a request of it has left, and may have been applied. */
const once = (operation: Operation): Operation => ({ ...operation, sent: operation.sent + 1 })

/**
 * The call was refused as a whole: which member is to blame is found by sending fewer at a time. `isTooLarge`: none is;
 * what is too large to be read was not carried out, not even in part.
 */
async function sendSplit(
  operations: readonly Operation[],
  { isTooLarge }: { isTooLarge: boolean },
  context: RunContext,
): Promise<void> {
  if (context.pipeline.duplicate_check_method !== 'email' && !isTooLarge) {
    // Some may have been applied before the refusal, and sending those again would double them.
    for (const operation of operations) await settleDoubt(once(operation), context, true)
    return
  }
  const half = Math.ceil(operations.length / 2)
  await sendCreates(operations.slice(0, half), context)
  await sendCreates(operations.slice(half), context)
}

async function settleBulk(
  operations: readonly Operation[],
  result: CallResult<readonly { id: number; email: string }[]> & { kind: 'ok' },
  context: RunContext,
) {
  const byMail = new Map(operations.map((operation) => [operation.mailKey ?? '', operation]))
  const match = matchBulkAnswer([...byMail.keys()], result.value)
  if (match.strangers > 0)
    context.log.warn('bulk response names contacts that were not sent', { members: match.strangers })
  const late = lateOf(operations, result.echo, context)
  const ofMember = async ([mail, contactId]: [string, number]): Promise<Settled[]> => {
    const operation = byMail.get(mail)
    if (operation === undefined) return []
    const status = await statusOfCreate(operation, contactId, context)
    const done = { operation, request: result.request, settlement: { kind: 'done', contactId } } as const
    return [{ ...done, ...withStatus(operation, await payload(operation, context), status), ...late }]
  }
  const settled = (await Promise.all([...match.matched].map(ofMember))).flat()
  const merged = [...match.merged].flatMap(([mail, contactId]): Settled[] => {
    const operation = byMail.get(mail)
    const reason = MERGED_IN_CALL_REASON
    return operation === undefined
      ? []
      : [{ operation, request: result.request, settlement: { kind: 'held', reason, contactId } }]
  })
  await settle([...settled, ...merged], context)
  for (const mail of match.unanswered) {
    const operation = byMail.get(mail)
    if (operation !== undefined) await settleDoubt(once(operation), context, false)
  }
}

/**
 * Those that may go together: first it must be known whether their mail_status is taken, one create at a time; where a 1 or
 * 2 is not, its records are not sent.
 */
async function withKnownStatus(
  operations: readonly Operation[],
  context: RunContext,
): Promise<readonly Operation[]> {
  const settled = new Set<Operation>()
  const ignored: Settled[] = []
  for (const operation of operations) {
    const status = statusWithCreate(operation, context)
    if (status === undefined || status === UNKNOWN_STATUS || operations.length === 1) continue
    if (isTaken(status, context) === undefined) await sendCreate(operation, context)
    else if (isTaken(status, context) === false) ignored.push(notSent(operation))
    else continue
    settled.add(operation)
    if (isStopped(context)) break
  }
  await settle(ignored, context)
  return operations.filter((operation) => !settled.has(operation))
}

/** POST of many contacts, no mail twice (interface, 4.2); a single one is sent alone, with a mail or without. */
export async function sendCreates(planned: readonly Operation[], context: RunContext): Promise<void> {
  const ready = isStopped(context)
    ? planned
    : await withKnownStatus(
        await withFreeMails(await withLookUps(await allowed(planned, context), context), context),
        context,
      )
  if (isStopped(context)) {
    const settlement = { kind: 'failed', reason: 'the run ended before it was sent' } as const
    return settle(
      ready.map((operation) => ({ operation, request: undefined, settlement })),
      context,
    )
  }
  const [first, second] = ready
  if (first === undefined) return
  if (second === undefined) return sendCreate(first, context)
  const operations = ready.map((operation) => ({
    ...carrying(operation, context),
    isFresh: isWithdrawn(operation.consent) && isSurelyNew(operation, context),
  }))
  const contacts = await Promise.all(operations.map((operation) => payload(operation, context)))
  await context.state.markSending(operations)
  const all = operations.every((operation) => repeatable(operation, context))
  const result = await context.session.createContacts(contacts, createOptions(context, all))
  shrinkBulk(operations.length, result, context)
  if (result.kind === 'ok') return settleBulk(operations, result, context)
  if (result.kind === 'refused')
    return sendSplit(operations, { isTooLarge: result.request.status === 413 }, context)
  await settle(
    operations.map((operation) => settledByFailure(operation, result, context)),
    context,
  )
}
