// The plan of a run that is not made: the same reading, mapping and comparing on a copy of the state.
// Has no way to write to the service. Each file's changes are taken as done before the next file is compared.
import { type Estimate, estimate } from '../core/change/estimate.ts'
import { type FieldChange, fieldChanges } from '../core/change/diff.ts'
import type { ErrorCode } from '../core/words/errors.ts'
import { allowedFields, type MergeMethod, withheldFields } from '../core/change/merge-method.ts'
import type { Operation, Settled } from '../core/change/operation.ts'
import type { ServiceSettings } from '../core/settings.ts'
import type { PlanTotals } from '../core/state.ts'
import { type Counts, runStatus, type RunStatus } from '../core/outcome/summary.ts'
import { termKey, termOutcome } from '../core/mapping/terms.ts'
import type { LeftAloneListener, PlanContext } from './context.ts'
import { loadCustomFields } from './definitions.ts'
import { planInput } from './plan/read.ts'
import { carryOver, reopenInputs, takeReleased } from './recover.ts'
import { remember } from './send/settle.ts'
import { planUndo, type Undo } from './undo.ts'
import {
  EMPTY_FULL,
  haltFor,
  heldReport,
  type InputReport,
  inputError,
  refusal,
  waitingInputs,
  withheldOf,
} from './run.ts'

export interface PlannedChange {
  readonly action: 'create' | 'update' | 'delete'
  readonly key: string
  /** Null for a contact that is not there yet. */
  readonly contact_id: number | null
  readonly fields: Readonly<Record<string, FieldChange>>
  /** What the update method keeps back, as far as the state can tell; absent where it keeps nothing back. */
  readonly withheld?: Readonly<Record<string, FieldChange>>
  readonly terms: { readonly add: readonly string[]; readonly remove: readonly string[] }
  /** No line where the record is no longer there. */
  readonly source: { readonly file: string; readonly line: number | null }
}

export interface PreviewTotals extends Counts {
  readonly pipeline: string
  readonly status: RunStatus
  readonly estimate: Estimate
  readonly files: readonly InputReport[]
  /** How many changes of each field the update method keeps back; absent where there are none. */
  readonly withheld?: Readonly<Record<string, number>>
  /** Why no plan could be made. */
  readonly error?: string
  readonly code?: ErrorCode
}

const PAGE = 500

/** What goes of an update and what does not, going by what was pushed last: a plan reads no contacts. */
function partedFields({ kind, undoes, fields, known }: Operation, { pipeline }: PlanContext) {
  const isUpdate = kind === 'update' && undoes === undefined
  const sent = isUpdate ? allowedFields(fields, known, pipeline.update_method) : fields
  return { sent, withheld: withheldFields(fields, sent) }
}

/** A whole change, with the fields, terms and mail_status that go in steps of their own. */
function plannedChange(operation: Operation, context: PlanContext): PlannedChange {
  const { contactId, consent, terms } = operation
  const { sent, withheld } = partedFields(operation, context)
  const { file, line } = operation.source
  const fields = consent === undefined ? sent : { ...sent, mail_status: consent }
  return {
    action: operation.kind === 'create' || operation.kind === 'delete' ? operation.kind : 'update',
    key: operation.key,
    contact_id: contactId !== undefined && contactId > 0 ? contactId : null,
    fields: fieldChanges(fields, operation.known),
    ...(Object.keys(withheld).length === 0 ? {} : { withheld: fieldChanges(withheld, operation.known) }),
    terms: { add: terms?.add ?? [], remove: terms?.remove ?? [] },
    source: { file, line: operation.cause === 'missing' && operation.undoes === undefined ? null : line },
  }
}

const isEmpty = ({ action, fields, withheld = {}, terms }: PlannedChange): boolean =>
  action !== 'delete' &&
  Object.keys({ ...fields, ...withheld }).length + terms.add.length + terms.remove.length === 0

/** The step as it would be settled if all went well. */
function pretended(operation: Operation, context: PlanContext, ids: { next: number }): Settled {
  const { kind, terms: plan } = operation
  const contactId = operation.contactId ?? (ids.next -= 1)
  if (kind !== 'terms' || plan === undefined) {
    const { sent, withheld } = partedFields(operation, context)
    const kept = Object.keys(withheld)
    context.tally.noteWithheld(kept)
    const isNothing = kept.length > 0 && Object.keys(sent).length === 0
    const settlement = isNothing ? ({ kind: 'settled' } as const) : ({ kind: 'done', contactId } as const)
    return { operation, request: undefined, sent, withheld: kept, settlement }
  }
  const done = { added: plan.add, removed: plan.remove, unusable: [] }
  const terms = termOutcome(plan, operation.asserted, done, context.pipeline.terms.policy)
  const isNothing = plan.add.length + plan.remove.length === 0
  const settlement = isNothing ? ({ kind: 'settled' } as const) : ({ kind: 'done', contactId } as const)
  return { operation, request: undefined, terms, settlement }
}

/** Terms that the plan would make: known only where the list of the service has been read. */
async function countNewTerms(
  page: readonly Operation[],
  made: Set<string>,
  context: PlanContext,
): Promise<void> {
  for (const name of page.flatMap(({ terms }) => terms?.add ?? [])) {
    const key = termKey(name)
    if (made.has(key) || (await context.terms.list()).has(key)) continue
    made.add(key)
    context.tally.counts.terms_created += 1
  }
}

interface Pretence {
  /** Ids that no service gives. */
  readonly ids: { next: number }
  readonly madeTerms: Set<string>
}

/** Hands the planned changes on and takes each step as done. */
async function* pretend(context: PlanContext, { ids, madeTerms }: Pretence): AsyncGenerator<PlannedChange> {
  for (;;) {
    // Always from the start: what is settled is no longer planned, and what goes on stands behind with another step.
    const page = await context.state.planned(context.runId, undefined, PAGE)
    if (page.length === 0) return
    const first = page.filter(({ outcome }) => outcome === undefined)
    await countNewTerms(first, madeTerms, context)
    yield* first.map((operation) => plannedChange(operation, context)).filter((change) => !isEmpty(change))
    await remember(
      page.map((operation) => pretended(operation, context, ids)),
      context,
    )
  }
}

interface Preview {
  readonly work: PlanTotals[]
  readonly files: InputReport[]
}

/**
 * Yields every change that a run would make now, in the order of sending within each file, and returns the totals.
 * `context.state` is a copy that may be written to.
 */
export async function* previewPipeline(
  context: PlanContext,
  service: ServiceSettings,
  options: { wait: boolean },
): AsyncGenerator<PlannedChange, PreviewTotals> {
  const made: Preview = { work: [], files: [] }
  try {
    yield* previewSteps(context, made, options)
  } catch (error) {
    haltFor(error, context)
  }
  return totals(context, service, made)
}

async function* previewSteps(
  context: PlanContext,
  { work, files }: Preview,
  options: { wait: boolean },
): AsyncGenerator<PlannedChange> {
  const pretence: Pretence = { ids: { next: 0 }, madeTerms: new Set() }
  const show = async function* () {
    work.push(await context.state.planTotals(context.runId))
    yield* pretend(context, pretence)
  }
  const customFields = await loadCustomFields(context)
  await reopenInputs(context)
  await carryOver(context)
  yield* show()
  const { ready, reports } = await waitingInputs(context, options.wait)
  files.push(...reports)
  for (const input of ready) {
    try {
      const isLast = input === ready.at(-1)
      const { counts, heldBy, isEmptyFull } = await planInput({ input, isLast }, customFields, context)
      context.tally.add(counts)
      const reason = isEmptyFull ? EMPTY_FULL : heldBy
      files.push(reason === undefined ? { file: input.name, status: 'done' } : heldReport(input, reason))
      yield* show()
    } catch (error) {
      const known = inputError(error)
      if (known === undefined) throw error
      files.push(refusal(input, known))
    }
  }
  await takeReleased(context)
  yield* show()
}

/** Yields what undoing a run would change, and returns the totals; `left` is told what stays as it is. */
export async function* previewUndoing(
  undo: Undo,
  left: LeftAloneListener,
  { context, service }: { context: PlanContext; service: ServiceSettings },
): AsyncGenerator<PlannedChange, PreviewTotals> {
  await reopenInputs(context)
  const { staged, counts, heldBy } = await planUndo(undo, left, context)
  context.tally.add(counts)
  const files = heldBy === undefined ? [] : [heldReport(staged.input, heldBy)]
  const work = [await context.state.planTotals(context.runId)]
  yield* pretend(context, { ids: { next: 0 }, madeTerms: new Set() })
  // Every contact is looked at, as under a merge method that asks for it.
  return totals(context, service, { work, files, mergeMethod: 'update' })
}

function totals(
  context: PlanContext,
  service: ServiceSettings,
  { work, files, mergeMethod = context.pipeline.update_method }: Preview & { mergeMethod?: MergeMethod },
): PreviewTotals {
  const { requests, per: perMs } = service.rate_limit
  const { terms } = context.pipeline
  const sum = (name: keyof PlanTotals): number => work.reduce((total, one) => total + one[name], 0)
  const all = {
    updates: sum('updates'),
    createsWithMail: sum('createsWithMail'),
    createsWithoutMail: sum('createsWithoutMail'),
    termAdditions: sum('termAdditions'),
    termRemovals: sum('termRemovals'),
    consents: sum('consents'),
    withdrawals: sum('withdrawals'),
    deletes: sum('deletes'),
    newTerms: context.tally.counts.terms_created,
  }
  const { stop } = context.circuit
  const inputsHeld = files.filter(({ status }) => status === 'held').length
  const inputsRefused = files.filter(({ status }) => status === 'refused').length
  return {
    pipeline: context.pipeline.name,
    status: runStatus(context.tally.counts, { fatal: stop !== undefined, inputsRefused, inputsHeld }),
    ...context.tally.counts,
    estimate: estimate(all, { bulkSize: service.bulk.size, requests, perMs, mergeMethod, terms }),
    files,
    ...withheldOf(context),
    ...(stop === undefined ? {} : { error: stop.message, code: stop.code }),
  }
}
