// Reads contacts before they are overwritten or deleted, and again where edits are kept: whether a user edited them at
// the service follows from the contact itself (core/change/others/hand-edits.ts).
import { isSuppressed } from '../core/change/consents/suppression.ts'
import { type KnownLink, nextKnown } from '../core/change/diff.ts'
import { givenUpOf } from '../core/change/given-up.ts'
import {
  deleteHeldText,
  editsAtDelete,
  type EditsOfRecord,
  type HandEdit,
  type HandEditRules,
  judgedAtDelete,
  type Merged,
  type MergedTerms,
  mergeTerms,
  mergeWithService,
} from '../core/change/others/hand-edits.ts'
import type { LinkedOperation, Operation, Settled } from '../core/change/operation.ts'
import { EDITS_INPUT } from '../core/change/own-inputs.ts'
import type { Contact } from '../core/mapping/contact.ts'
import type { CallResult, RequestTrace, ServiceContact } from '../core/ports.ts'
import type { StagedEntry } from '../core/state.ts'
import { isStopped, type PlanContext, type RunContext } from './context.ts'
import { holdByApprovals } from './plan/guards.ts'
import { presentlyOwn } from './present-owners.ts'
import { settledByFailure } from './send/settle.ts'
import { waitingKeys } from './waiting-keys.ts'

/** The rules, if they apply to the change: an undo has separate rules. */
export function rulesFor(
  { undoes }: Pick<Operation, 'undoes'>,
  context: PlanContext,
): HandEditRules | undefined {
  const { handEdits: rules } = context
  return rules?.any === true && undoes === undefined ? rules : undefined
}

const NOBODY_SENT = { last: {}, pushed: [], open: [] }

/** Which of these fields may be sent to a contact that shows this. */
export async function mergedFields(
  wanted: Contact,
  { shown, rules }: { readonly shown: ServiceContact; readonly rules: HandEditRules },
  { state }: PlanContext,
): Promise<Merged> {
  const [sent = NOBODY_SENT] = await state.sentValues([shown.id])
  return mergeWithService(wanted, { sent, shown }, rules)
}

/** Which edits speak against deleting a contact; what a failed look at it answered. */
export async function editsBeforeDelete(
  { contactId, known }: LinkedOperation<'delete'>,
  rules: HandEditRules,
  { session, state }: PlanContext,
): Promise<CallResult<readonly HandEdit[]>> {
  const actual = await session.contactById(contactId, judgedAtDelete(known, rules))
  if (actual.kind !== 'ok') return actual
  const [sent = NOBODY_SENT] = await state.sentValues([contactId])
  return { ...actual, value: editsAtDelete(known, { sent, shown: actual.value }, rules) }
}

/** A delete that waits until the edits of its contact are released. */
export function heldByEdits(
  operation: LinkedOperation<'delete'>,
  { edits, rules }: { readonly edits: readonly HandEdit[]; readonly rules: HandEditRules },
  request: RequestTrace | undefined,
): Settled {
  const merged = { judged: judgedAtDelete(operation.known, rules), edits }
  return {
    operation,
    request,
    merged,
    settlement: { kind: 'held', reason: deleteHeldText(edits), why: 'hand_edit' },
  }
}

/** How the delete of a contact ends that was edited at the service; undefined where it was not. */
export async function whyKeptAtDelete(
  operation: LinkedOperation<'delete'>,
  context: RunContext,
): Promise<Settled | undefined> {
  const rules = rulesFor(operation, context)
  if (rules === undefined) return undefined
  const found = await editsBeforeDelete(operation, rules, context)
  const { contactId } = operation
  if (found.kind === 'absent')
    return { operation, request: found.request, settlement: { kind: 'done', contactId } }
  if (found.kind !== 'ok') return settledByFailure(operation, found, context)
  if (found.value.length === 0) return undefined
  context.tally.noteEdits(operation, found.value)
  return heldByEdits(operation, { edits: found.value, rules }, found.request)
}

/** What stays of the terms of a contact; undefined where nothing is looked at. */
export async function mergedTerms(
  operation: Operation,
  sides: { readonly wanted: readonly string[]; readonly shown: readonly string[] },
  context: RunContext,
): Promise<MergedTerms | undefined> {
  const { hand_edits: rule } = context.pipeline
  const { contactId } = operation
  if (rulesFor(operation, context) === undefined || rule === 'overwrite' || contactId === undefined)
    return undefined
  const [{ open } = NOBODY_SENT] = await context.state.sentValues([contactId])
  const merged = mergeTerms({ ...sides, asserted: operation.asserted ?? [] }, open, rule)
  context.tally.noteEdits(operation, merged.edits)
  return merged
}

const PAGE = 200

interface EditedRecord {
  /** Undefined where the record has another contact by now. */
  readonly link: KnownLink | undefined
  /** A change of the record waits: nothing goes before it. */
  readonly isWaiting: boolean
}

const only = (contact: Contact, fields: ReadonlySet<string>): Contact =>
  Object.fromEntries(Object.entries(contact).filter(([field]) => fields.has(field)))

/** What a record has given up, it does not want any more. */
const withoutGivenUp = (record: EditsOfRecord, link: KnownLink | undefined): EditsOfRecord => {
  const { givenUp = [] } = givenUpOf(link?.unsure ?? [])
  const fields = record.fields.map((one) => (givenUp.includes(one.field) ? { ...one, source: null } : one))
  return { ...record, fields }
}

/** What is to be sent of a record whose edits have ended. */
async function lookAgain(
  { key, contactId, fields }: EditsOfRecord,
  { link, isWaiting }: EditedRecord,
  context: PlanContext,
): Promise<Contact> {
  const { state, pipeline, session, clock, handEdits: rules } = context
  const judged = fields.map(({ field }) => field)
  const settleAs = async (open: readonly HandEdit[]): Promise<void> =>
    state.keepEdits({ pipeline: pipeline.name, key, contactId, judged, open }, clock.now())
  if (link === undefined || rules === undefined) {
    await settleAs([])
    return {}
  }
  const actual = await session.contactById(contactId, judged)
  if (actual.kind === 'absent') await settleAs([])
  if (actual.kind !== 'ok') return {}
  // Of a record that has gone, or has given the field up, nothing is sent: whether its edits last is asked by what was pushed.
  const wanted = fields.map(({ field, source }) => [field, source ?? link.fields[field] ?? ''] as const)
  const ofRecord = new Set(fields.filter(({ source }) => source !== null).map(({ field }) => field))
  const { send, edits } = await mergedFields(
    Object.fromEntries(wanted),
    { shown: actual.value, rules },
    context,
  )
  const { contact: ended } = await presentlyOwn(only(send, ofRecord), link, context)
  const list = await context.suppression?.now()
  const isHeldBack = list !== undefined && isSuppressed(ended, link.fields, list)
  if ((isWaiting || isHeldBack) && Object.keys(ended).length > 0) return {}
  await settleAs(edits.map((edit) => (ofRecord.has(edit.field) ? edit : { ...edit, source: null })))
  return ended
}

/**
 * Looks at the records whose edits were last looked at before that time (milliseconds since the epoch), and plans what the
 * source wants where the edit has ended; how many records that are.
 */
export async function recheckEdits(before: number, context: PlanContext): Promise<number> {
  const { state, pipeline, runId, clock } = context
  const now = clock.now()
  const entries: StagedEntry[] = []
  let waiting: ReadonlySet<string> | undefined
  for (let after: string | undefined; ;) {
    const page = await state.editsToLookAt(pipeline.name, { before, now, after, limit: PAGE })
    const known = await state.known(
      pipeline.name,
      page.map(({ key }) => key),
    )
    for (const [index, record] of page.entries()) {
      const { link, inDoubt = true } = known[index] ?? {}
      if (isStopped(context)) return 0
      if (inDoubt || link?.gone === true) continue
      waiting ??= await waitingKeys(context)
      const isSame = link?.contactId === record.contactId
      const about = { link: isSame ? link : undefined, isWaiting: waiting.has(record.key) }
      const fields = await lookAgain(withoutGivenUp(record, link), about, context)
      if (link === undefined || Object.keys(fields).length === 0) continue
      const contact = nextKnown(link.fields, fields)
      entries.push({
        kind: 'operation',
        key: record.key,
        record: { source: { file: EDITS_INPUT, line: 0 }, values: [], text: undefined, fingerprint: '' },
        desired: { contact, terms: undefined },
        operation: { state: 'planned', kind: 'update', linkId: link.id, contactId: link.contactId, fields },
      })
    }
    after = page.at(-1)?.key
    if (page.length < PAGE) break
  }
  if (entries.length === 0) return 0
  const input = { name: EDITS_INPUT, version: `${EDITS_INPUT} ${runId}`, bytes: 0 }
  const staged = await state.beginInput({ runId, pipeline: pipeline.name, input, header: [] })
  await state.stageBatch(staged, { entries })
  await holdByApprovals(staged, context.tally.counts, context)
  await state.commitPlan(staged, '')
  await state.endInput(staged, { as: 'processed' })
  return entries.length
}
