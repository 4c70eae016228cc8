// Sends updates of linked contacts: by id, or many in one call where that can only reach the right contact.
import { matchBulkAnswer, updatesInBulk } from '../../core/change/bulk.ts'
import { type Contact, contactMailKey } from '../../core/mapping/contact.ts'
import { editsText } from '../../core/change/others/hand-edits.ts'
import { isRepair } from '../../core/change/others/repair.ts'
import { shownAs } from '../../core/change/lookup/likeness.ts'
import { allowedFields, needsActual, withheldFields, withholdsText } from '../../core/change/merge-method.ts'
import type { LinkedOperation, Operation, Settled } from '../../core/change/operation.ts'
import type { CallResult, CreatedMember } from '../../core/ports.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { sendFields, without } from './clear.ts'
import { type RunContext, shrinkBulk } from '../context.ts'
import { mergedFields, rulesFor } from '../hand-edits.ts'
import { openUntil, tooEarly } from './late.ts'
import { createOptions } from './send.ts'
import { gone, settle, settledByFailure } from './settle.ts'
import { repairableFields } from './send-repair.ts'
import { type Sendable, undoableFields } from './send-undo.ts'
import { unsuppressedUpdates } from './suppressed-send.ts'

const whyText = (texts: readonly (string | undefined)[]) => {
  const reason = texts.filter((text) => text !== undefined && text !== '').join('; ')
  return reason === '' ? {} : { reason }
}

/** What may be sent of an update; a settlement where that is decided already. */
async function sendableFields(
  operation: Operation,
  contactId: number,
  context: RunContext,
): Promise<Sendable | Settled> {
  if (isRepair(operation)) return repairableFields(operation, contactId, context)
  if (operation.undoes !== undefined) return undoableFields(operation, contactId, context)
  // It only gives fields up.
  if (Object.keys(operation.fields).length === 0)
    return { operation, request: undefined, settlement: { kind: 'settled' } }
  const method = context.pipeline.update_method
  const rules = rulesFor(operation, context)
  if (!needsActual(method) && rules === undefined) return { fields: operation.fields }
  const judged = Object.keys(operation.fields)
  const actual = await context.session.contactById(contactId, judged)
  if (actual.kind === 'absent') return gone(operation, actual.request)
  if (actual.kind !== 'ok') return settledByFailure(operation, actual, context)
  const { value: shown, request } = actual
  const all = { send: operation.fields, edits: [] }
  const { send, edits } =
    rules === undefined ? all : await mergedFields(operation.fields, { shown, rules }, context)
  const fields = allowedFields(send, shown.fields, method)
  // What the contact shows already, of a request whose answer was lost for example, is as wanted.
  const asWanted = shownAs(send, shown)
  const byMethod = Object.keys(withheldFields(send, fields)).filter((field) => !asWanted.includes(field))
  context.tally.noteWithheld(byMethod)
  context.tally.noteEdits(operation, edits)
  const byMethodText = byMethod.length === 0 ? undefined : withholdsText(method, byMethod)
  const why = whyText([byMethodText, editsText(edits)])
  const withheld = [...byMethod, ...edits.map(({ field }) => field)]
  const merged = rules === undefined ? {} : { merged: { judged, edits } }
  if (Object.keys(fields).length > 0) return { fields, withheld, ...merged, ...why }
  return { operation, request, sent: {}, withheld, ...merged, settlement: { kind: 'settled', ...why } }
}

/** PUT with the changed fields alone (interface, 4.2). */
export async function sendUpdate(planned: LinkedOperation<'update'>, context: RunContext): Promise<void> {
  const [operation] = await unsuppressedUpdates([planned], context)
  if (operation === undefined) return
  if (rulesFor(operation, context) === undefined && !isRepair(operation)) return putUpdate(operation, context)
  // The read and the write are one turn: no other task of ours writes in between.
  return context.turns.take(operation.contactId, () => putUpdate(operation, context))
}

/** For the sync log, and for an undo: what these fields were before is what the contact showed. */
function withReplaced(
  operation: LinkedOperation<'update'>,
  sent: Contact,
  replaced: Contact,
): LinkedOperation<'update'> {
  const before = Object.fromEntries(Object.entries(replaced).filter(([field]) => Object.hasOwn(sent, field)))
  return { ...operation, known: { ...without(operation.known, Object.keys(sent)), ...before } }
}

async function putUpdate(operation: LinkedOperation<'update'>, context: RunContext): Promise<void> {
  const { contactId } = operation
  const sendable = await sendableFields(operation, contactId, context)
  if ('settlement' in sendable) return settle([sendable], context)
  const { fields, reason, withheld = [], merged, replaced } = sendable
  const early = 'mail' in fields ? await tooEarly(operation, context) : undefined
  if (early !== undefined) return settle([early], context)
  const { mail } = fields
  // Should the answer be lost, no other record may be created with that mail.
  const noted = merged === undefined ? (mail === undefined ? {} : { mail }) : fields
  const attempt = Object.keys(noted).length > 0 ? { contactId, fields: noted } : undefined
  await context.state.markSending([operation], { attempt })
  const rules = merged === undefined ? undefined : rulesFor(operation, context)
  const update = { contactId, fields, known: operation.known, rules }
  const { result, stubborn, edits } = await sendFields(update, context)
  if (result.kind === 'absent') return settle([gone(operation, result.request)], context)
  if (result.kind !== 'ok') return settle([settledByFailure(operation, result, context)], context)
  const uncleared = stubborn.length === 0 ? undefined : `the service does not clear ${stubborn.join(', ')}`
  context.tally.noteEdits(operation, edits)
  const settlement = { kind: 'done', contactId, ...whyText([reason, editsText(edits), uncleared]) } as const
  // What a user has written since was emptied before, as far as the service has answered.
  const sent = without(fields, stubborn)
  // What is still filled is not known to be empty: it is tried again with the next change of the record.
  const from = replaced === undefined ? operation : withReplaced(operation, sent, replaced)
  const judged = merged === undefined ? {} : { merged: { ...merged, edits: [...merged.edits, ...edits] } }
  const settled = { operation: from, sent, withheld: [...withheld, ...stubborn], settlement }
  await settle([{ ...settled, ...judged, request: result.request }], context)
}

/**
 * Whether an update could go through POST /contacts: under check `email` the mail alone says which contact is meant,
 * so it must be there and unchanged; and what clears a field is not a merge. Where the update method keeps fields back,
 * only a look at the contact shows which, so such updates go by id.
 */
export function isBulkUpdate(operation: LinkedOperation<'update'>, pipeline: PipelineSettings): boolean {
  const { fields, known, undoes } = operation
  if (undoes !== undefined || Object.keys(fields).length === 0 || !updatesInBulk(pipeline)) return false
  const mail = known['mail']
  if (typeof mail !== 'string' || mail === '' || 'mail' in fields) return false
  return Object.values(fields).every((value) => value !== '' && (!Array.isArray(value) || value.length > 0))
}

/** What the answer says of each: done, carried out at another contact of the same mail, or nothing. */
function sortedAnswer(operations: readonly LinkedOperation<'update'>[], members: readonly CreatedMember[]) {
  const mailOf = ({ known }: Pick<Operation, 'known'>): string => contactMailKey(known) ?? ''
  const { matched } = matchBulkAnswer(operations.map(mailOf), members)
  const done: LinkedOperation<'update'>[] = []
  const astray: { operation: LinkedOperation<'update'>; reached: number }[] = []
  const unanswered: LinkedOperation<'update'>[] = []
  for (const operation of operations) {
    const reached = matched.get(mailOf(operation))
    if (reached === undefined) unanswered.push(operation)
    else if (reached === operation.contactId) done.push(operation)
    else astray.push({ operation, reached })
  }
  return { done, astray, unanswered }
}

const byMail = ({ fields, known }: Operation): Contact => ({ mail: known['mail'] ?? '', ...fields })

async function settleBulk(
  operations: readonly LinkedOperation<'update'>[],
  { value, request, echo }: Extract<CallResult<readonly CreatedMember[]>, { kind: 'ok' }>,
  context: RunContext,
): Promise<void> {
  const { done, astray, unanswered } = sortedAnswer(operations, value)
  const late = echo === true ? { openUntil: openUntil(context) } : {}
  const settled = done.map((operation): Settled => {
    const { contactId } = operation
    return { operation, request, settlement: { kind: 'done', contactId }, ...late }
  })
  await settle(settled, context)
  for (const { operation, reached } of astray) {
    const { clock, log, pipeline, runId, state } = context
    const about = { at: clock.now(), runId, configHash: pipeline.hash }
    await state.noteAstray({ operation, reached, request, sent: byMail(operation) }, about)
    log.warn('update by e-mail changed another contact: resending by id', {
      contact_id: operation.contactId,
      reached,
    })
  }
  // Whether the right contact is still there is seen as well.
  const again = [...astray.map(({ operation }) => operation), ...unanswered]
  for (const operation of again) await sendUpdate(operation, context)
}

/**
 * POST of many updates; what is refused, or not answered for, goes by id. Sending one twice sets the same values. So does one
 * whose mail another pipeline has given to a second contact since the plan was read.
 */
export async function sendUpdates(
  all: readonly LinkedOperation<'update'>[],
  context: RunContext,
): Promise<void> {
  const planned = await unsuppressedUpdates(all, context)
  const alone = await context.state.withMailOfTheirOwn(planned)
  for (const operation of planned) if (!alone.has(operation.id)) await sendUpdate(operation, context)
  const operations = planned.filter(({ id }) => alone.has(id))
  const [first, second] = operations
  if (first === undefined) return
  if (second === undefined) return sendUpdate(first, context)
  await context.state.markSending(operations)
  const contacts = operations.map(byMail)
  const options = {
    ...createOptions(context, true),
    duplicateMergeMethod: context.pipeline.update_method,
  }
  const result = await context.session.createContacts(contacts, options)
  shrinkBulk(operations.length, result, context)
  if (result.kind === 'ok') return settleBulk(operations, result, context)
  if (result.kind === 'refused') {
    for (const operation of operations) await sendUpdate(operation, context)
    return
  }
  const late = result.kind === 'unknown' ? { openUntil: openUntil(context) } : {}
  await settle(
    operations.map((operation) => ({ ...settledByFailure(operation, result, context), ...late })),
    context,
  )
}
