// The plan of a run that is not made: the same reading, mapping and comparing on a copy of the state.
// Has no way to write to the service. Each file's changes are taken as done before the next file is compared.
import { inputError } from '../core/words/errors.ts'
import { updatesInBulk } from '../core/change/bulk.ts'
import { looksUp } from '../core/change/lookup/resolution.ts'
import { handEditRules, respectsHandEdits } from '../core/change/others/hand-edits.ts'
import type { MergeMethod } from '../core/change/merge-method.ts'
import type { Operation, Settled, Settlement } from '../core/change/operation.ts'
import { type Plan, type PlanBuilder, planBuilder } from '../core/change/plan/plan.ts'
import { termPolicy } from '../core/change/steps.ts'
import { type DecidedChange, partedFields, type PlannedChange } from '../core/change/plan/planned-change.ts'
import { serviceLimits } from '../core/change/estimate.ts'
import { type InputReport, isBeforeOthers } from '../core/outcome/summary.ts'
import type { Term } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { termKey, termOutcome, termsBeyond } from '../core/mapping/terms.ts'
import type { LeftAloneListener, PlanContext } from './context.ts'
import { loadCustomFields, noticeChanges } from './definitions.ts'
import { editsBeforeDelete, heldByEdits, mergedFields, recheckEdits, rulesFor } from './hand-edits.ts'
import { brakeReports, planBrakes } from './brakes.ts'
import { planCorrections } from './corrections.ts'
import { withFormerStatuses } from './plan/former-statuses.ts'
import { planInput, type PlannedInput } from './plan/read.ts'
import { carryOver, reopenInputs, takeReleased, withdrawReleases } from './recover.ts'
import { notePretended, pretendedReads, type PretendedSends } from './reads/pretended-reads.ts'
import { takenMails } from './send/free-mails.ts'
import { gone, remember } from './send/settle.ts'
import { restrictedSteps } from './send/suppressed-send.ts'
import { planUndo, type Undo } from './undo.ts'
import { emptyFullReport, findingsOf, heldReport, refusedReport } from './input-reports.ts'
import { haltFor, waitingInputs } from './run.ts'

const PAGE = 500
/** Contacts that are looked at side by side; the rate limit decides how fast. */
const TOGETHER = 20

/** A contact that was found is linked; a record that was not looked up is left unchanged by `writes: update`. */
function pretendedCreate(
  operation: Operation,
  { pipeline, undecided }: PlanContext,
  contactId: number,
): Settlement {
  if (operation.contactId !== undefined) return { kind: 'settled', contactId }
  const open = undecided?.get(operation.key)
  if (open !== undefined) return open
  return pipeline.writes === 'update' ? { kind: 'skipped', reason: '' } : { kind: 'done', contactId }
}

/** A step with what was found edited at its contact, and which of its fields were looked at for that. */
type Looked = Operation & Pick<DecidedChange, 'edits'> & { readonly judged?: readonly string[] }

/** Of a change that would overwrite something, only what would be sent; what would be held for what its contact shows. */
async function lookedAt(operation: Operation, context: PlanContext): Promise<Looked | Settled> {
  const rules = rulesFor(operation, context)
  const { kind, contactId, fields } = operation
  if (rules === undefined || contactId === undefined || contactId < 1) return operation
  if (operation.kind === 'delete') {
    const found = await editsBeforeDelete(operation, rules, context)
    const edits = found.kind === 'ok' ? found.value : []
    return edits.length === 0 ? operation : heldByEdits(operation, { edits, rules }, undefined)
  }
  const names = Object.keys(fields)
  if (kind === 'terms' || names.length === 0) return operation
  const actual = await context.session.contactById(contactId, names)
  if (actual.kind === 'absent') return gone(operation, actual.request)
  if (actual.kind !== 'ok') return operation
  const { send, edits } = await mergedFields(fields, { shown: actual.value, rules }, context)
  return { ...operation, fields: send, edits, judged: names }
}

/** The step as it would be settled if all went well. */
function pretended(operation: Looked, context: PlanContext, ids: { next: number }): Settled {
  const { kind, terms: plan } = operation
  const contactId = operation.contactId ?? (ids.next -= 1)
  if (kind === 'create')
    return { operation, request: undefined, settlement: pretendedCreate(operation, context, contactId) }
  if (kind !== 'terms' || plan === undefined) {
    const { sent, withheld } = partedFields(operation, context.pipeline.update_method)
    const kept = [...Object.keys(withheld), ...(operation.edits ?? []).map(({ field }) => field)]
    const isNothing = (kind === 'update' || kept.length > 0) && Object.keys(sent).length === 0
    const settlement = isNothing ? ({ kind: 'settled' } as const) : ({ kind: 'done', contactId } as const)
    // The fields of a change whose mail_status goes first are sent by its next step.
    const arrives = kind === 'consent' ? {} : { sent }
    const { judged, edits = [] } = operation
    const merged = kind !== 'update' || judged === undefined ? {} : { merged: { judged, edits } }
    return { operation, request: undefined, ...arrives, withheld: kept, ...merged, settlement }
  }
  const done = { added: plan.add, removed: plan.remove, unusable: [] }
  const policy = termPolicy(operation, context.pipeline)
  const terms = termOutcome(plan, operation.asserted, done, policy)
  const isNothing = plan.add.length + plan.remove.length === 0
  const settlement = isNothing ? ({ kind: 'settled' } as const) : ({ kind: 'done', contactId } as const)
  return { operation, request: undefined, terms, settlement }
}

/** Terms that the plan would make, by the comparison form of their names. */
type MadeTerms = Map<string, Term>

/** Known only where the list of the service has been read. */
async function countNewTerms(
  page: readonly Operation[],
  made: MadeTerms,
  context: PlanContext,
): Promise<void> {
  for (const name of page.flatMap(({ terms }) => terms?.add ?? [])) {
    const key = termKey(name)
    const known = await context.terms.list()
    if (known === undefined || made.has(key) || known.has(key)) continue
    made.set(key, { id: 0, name, description: '' })
    context.tally.counts.terms_created += 1
  }
}

/** The terms of an earlier file are there when a later one is judged. */
function withMadeTerms(context: PlanContext, made: MadeTerms): PlanContext {
  const { terms } = context
  const list = async () => {
    const known = await terms.list()
    return made.size === 0 || known === undefined ? known : new Map([...known, ...made])
  }
  return { ...context, terms: { ...terms, list } }
}

/** Those that will find, when it is their turn, that an earlier create of the plan has made the contact of their mail. */
function laterOfOneMail(
  page: readonly Operation[],
  mails: Set<string>,
  { pipeline }: PlanContext,
): ReadonlySet<number> {
  if (pipeline.writes !== 'create' || pipeline.household !== undefined) return new Set()
  const later = page.filter(({ kind, mailKey }) => {
    if (kind !== 'create' || mailKey === undefined) return false
    const isMade = mails.has(mailKey)
    mails.add(mailKey)
    return isMade
  })
  return new Set(later.map(({ id }) => id))
}

interface Pretence {
  readonly plan: PlanBuilder
  /** Of the creates of the plan, in comparison form, where these decide about others. */
  readonly mails: Set<string>
  /** Ids that no service gives. */
  readonly ids: { next: number }
  readonly madeTerms: MadeTerms
  readonly sends: PretendedSends
  readonly service: ServiceSettings
}

const pretence = ({ pipeline }: PlanContext, service: ServiceSettings): Pretence => ({
  service,
  plan: planBuilder(pipeline.name, pipeline.update_method),
  mails: new Set(),
  ids: { next: 0 },
  madeTerms: new Map(),
  sends: new Map(),
})

const isSettled = (one: Operation | Settled): one is Settled => 'settlement' in one

/** Under `plan --offline` no contact is looked at. */
async function lookedAtAll(
  page: readonly Operation[],
  context: PlanContext,
): Promise<readonly (Looked | Settled)[]> {
  if (context.unasked !== undefined) return page
  const all: (Looked | Settled)[] = []
  for (let from = 0; from < page.length; from += TOGETHER) {
    const some = page.slice(from, from + TOGETHER)
    all.push(...(await Promise.all(some.map((operation) => lookedAt(operation, context)))))
  }
  return all
}

/** Creates are planned in a page of their own: which mails are free then depends on what the updates before them change. */
function untilCreates(taken: readonly Operation[]): readonly Operation[] {
  const first = taken.findIndex(({ kind }) => kind === 'create')
  return first > 0 ? taken.slice(0, first) : taken
}

/** Creates that would not be sent, because another key still has their mail. */
async function withoutFreeMail(
  page: readonly Operation[],
  context: PlanContext,
): Promise<ReadonlyMap<number, Settled>> {
  const creates = page.filter(({ kind, contactId }) => kind === 'create' && contactId === undefined)
  const ends = await takenMails(creates, context)
  return new Map(
    creates.flatMap((operation) => {
      const settlement = ends.get(operation.id)
      return settlement === undefined ? [] : [[operation.id, { operation, request: undefined, settlement }]]
    }),
  )
}

/** Without the terms of missing records that another record still asserts for the contact: those stay. */
async function withoutSharedTerms(
  page: readonly Operation[],
  { pipeline, state }: PlanContext,
): Promise<readonly Operation[]> {
  const all: Operation[] = []
  for (const operation of page) {
    const { cause, kind, terms } = operation
    const isWithdrawal =
      cause === 'missing' && kind === 'terms' && termPolicy(operation, pipeline) !== 'replace'
    if (terms === undefined || !isWithdrawal) all.push(operation)
    else {
      const remove = termsBeyond(terms.remove, await state.termsOfOthers(operation))
      all.push({ ...operation, terms: { ...terms, remove } })
    }
  }
  return all
}

/** Adds the planned changes to the plan, hands them on and takes each step as done. */
async function* pretend(
  context: PlanContext,
  { plan, mails, ids, madeTerms, sends, service }: Pretence,
): AsyncGenerator<PlannedChange> {
  for (;;) {
    // Always from the start: what is settled is no longer planned, and a change with a further step is behind it.
    const taken = untilCreates(await context.state.takeToSend(context.runId, undefined, PAGE))
    if (taken.length === 0) return
    const waiting = await withoutFreeMail(taken, context)
    const free = taken.filter(({ id }) => !waiting.has(id))
    const restricted = await restrictedSteps(free, context)
    const allowed = restricted.filter((one): one is Operation => !isSettled(one))
    const page = await withoutSharedTerms(await withFormerStatuses(allowed, service, context), context)
    const later = laterOfOneMail(page, mails, context)
    const looked = context.handEdits?.any === true ? await lookedAtAll(page, context) : page
    const held = looked.filter(isSettled)
    const steps = looked.filter((one): one is Looked => !isSettled(one))
    for (const step of steps) context.tally.noteEdits(step, step.edits ?? [])
    for (const { merged } of held) plan.keep(merged?.edits.length ?? 0)
    const first = steps.filter(
      ({ id, kind, key, outcome }) =>
        outcome === undefined &&
        !(kind === 'create' && context.undecided?.has(key) === true) &&
        !later.has(id),
    )
    await countNewTerms(first, madeTerms, context)
    yield* plan.add(first)
    const settled = steps.map((operation): Settled =>
      later.has(operation.id)
        ? { operation, request: undefined, settlement: { kind: 'skipped', reason: '' } }
        : pretended(operation, context, ids),
    )
    if (context.handEdits?.any === true) notePretended(settled, sends)
    const ended = restricted.filter(isSettled)
    await remember([...settled, ...held, ...ended, ...waiting.values()], context)
  }
}

/** Yields every change that a run would make now, in the order of sending within each file, and returns the plan. */
export async function* previewPipeline(
  context: PlanContext,
  service: ServiceSettings,
  options: { wait: boolean },
): AsyncGenerator<PlannedChange, Plan> {
  const parts = pretence(context, service)
  const inputs: InputReport[] = []
  try {
    yield* previewSteps(context, { parts, inputs, wait: options.wait })
  } catch (error) {
    haltFor(error, context)
  }
  return ended(parts.plan, inputs, { context, service })
}

/** A later file is compared with this one. No cursor moves. */
async function endPretended(
  { staged, accepted, isEmptyFull }: PlannedInput,
  { state }: PlanContext,
): Promise<void> {
  const { cursor: _, ...input } = staged.input
  await state.endInput({ ...staged, input }, { as: isEmptyFull ? 'failed' : 'processed', accepted })
}

async function* previewSteps(
  given: PlanContext,
  { parts, inputs, wait }: { parts: Pretence; inputs: InputReport[]; wait: boolean },
): AsyncGenerator<PlannedChange> {
  const customFields = await loadCustomFields(given)
  const handEdits = handEditRules(given.pipeline, customFields)
  const session = pretendedReads(given.session, parts.sends)
  const context: PlanContext = { ...given, session, handEdits, undecided: new Map() }
  const started = context.clock.now()
  await noticeChanges(customFields, context)
  await reopenInputs(context)
  await withdrawReleases(context)
  await carryOver(context)
  yield* pretend(context, parts)
  const { ready, unmoved, reports } = await waitingInputs(context, wait)
  inputs.push(...reports, ...unmoved.map(({ input }) => ({ file: input.name, status: 'done' as const })))
  for (const input of ready) {
    try {
      const isLast = input === ready.at(-1)
      const then = withMadeTerms(context, parts.madeTerms)
      const planned = await planInput({ input, isLast }, customFields, then)
      const { counts, judged, isEmptyFull } = planned
      context.tally.add(counts)
      parts.plan.judge(judged)
      const reason = judged.hold?.reason
      const report: InputReport =
        reason === undefined ? { file: input.name, status: 'done' } : heldReport(input, reason)
      inputs.push({ ...(isEmptyFull ? emptyFullReport(input) : report), ...findingsOf(planned) })
      yield* pretend(context, parts)
      await endPretended(planned, context)
    } catch (error) {
      const known = inputError(error)
      if (known === undefined) throw error
      const report = refusedReport(input, known, context)
      inputs.push(report)
      if (isBeforeOthers(report)) break
    }
  }
  for await (const { staged, counts, judged } of planCorrections(customFields, context)) {
    context.tally.add(counts)
    parts.plan.judge(judged)
    if (judged.hold !== undefined) inputs.push(heldReport(staged.input, judged.hold.reason))
    yield* pretend(context, parts)
    await context.state.endInput(staged, { as: 'processed' })
  }
  await takeReleased(context)
  yield* pretend(context, parts)
  for await (const { staged, counts, judged } of planBrakes(context)) {
    context.tally.add(counts)
    parts.plan.judge(judged)
    yield* pretend(context, parts)
    await context.state.endInput(staged, { as: 'processed' })
  }
  inputs.push(...(await brakeReports(context, context.runId)))
  if (context.unasked !== undefined) return
  context.tally.counts.read += await recheckEdits(started, context)
  yield* pretend(context, parts)
}

/** Yields what undoing a run would change, and returns the plan; `left` is called with what stays. */
export async function* previewUndoing(
  undo: Undo,
  left: LeftAloneListener,
  { context, service }: { context: PlanContext; service: ServiceSettings },
): AsyncGenerator<PlannedChange, Plan> {
  const parts = pretence(context, service)
  await reopenInputs(context)
  const { staged, counts, judged } = await planUndo(undo, left, context)
  context.tally.add(counts)
  parts.plan.judge(judged)
  const inputs = judged.hold === undefined ? [] : [heldReport(staged.input, judged.hold.reason)]
  yield* pretend(context, parts)
  // Every contact is looked at, as under a merge method that asks for it.
  return ended(parts.plan, inputs, { context, service, mergeMethod: 'update' })
}

function ended(
  plan: PlanBuilder,
  inputs: readonly InputReport[],
  of: { context: PlanContext; service: ServiceSettings; mergeMethod?: MergeMethod },
): Plan {
  const { pipeline, tally, circuit } = of.context
  // Edits are looked for as a merge method looks at what is there: by a read of each contact that is updated.
  const method = respectsHandEdits(pipeline) ? 'update' : pipeline.update_method
  const mergeMethod = of.mergeMethod ?? method
  const policy = termPolicy({ cause: 'record', undoes: undefined }, pipeline)
  const how = {
    mergeMethod,
    updatesInBulk: of.mergeMethod === undefined && updatesInBulk(pipeline),
    // While it is planned, and right before it is sent.
    looksPerCreate: looksUp(pipeline) ? 2 : 0,
  }
  const listedTerms = of.context.terms.listed()
  const limits = { ...serviceLimits(of.service), ...how, listedTerms, terms: { ...pipeline.terms, policy } }
  const unasked = of.context.unasked && [...of.context.unasked]
  const leftOut = tally.leftOut.totals()
  const found = { counts: tally.counts, held: tally.held.totals(), inputs, leftOut }
  return plan.build({ ...found, limits, stop: circuit.stop, unasked })
}
