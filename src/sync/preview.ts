// The plan of a run that is not made: the same reading, mapping and comparing on a copy of the state.
// Has no way to write to the service. Each file's changes are taken as done before the next file is compared.
import { type Estimate, estimate } from '../core/estimate.ts'
import { type FieldChange, fieldChanges } from '../core/diff.ts'
import type { Operation } from '../core/operation.ts'
import type { ServiceSettings } from '../core/settings.ts'
import type { PlanTotals } from '../core/state.ts'
import { type Counts, runStatus, type RunStatus } from '../core/summary.ts'
import type { PlanContext } from './context.ts'
import { planInput } from './read.ts'
import { carryOver, reopenInputs } from './recover.ts'
import { EMPTY_FULL, type InputReport, inputError, isEmptyFull, refusal, waitingInputs } from './run.ts'

export interface PlannedChange {
  readonly action: 'create' | 'update' | 'delete'
  readonly key: string
  /** Null for a contact that is not there yet. */
  readonly contact_id: number | null
  readonly fields: Readonly<Record<string, FieldChange>>
  readonly terms: { readonly add: readonly string[]; readonly remove: readonly string[] }
  readonly source: { readonly file: string; readonly line: number }
}

export interface PreviewTotals extends Counts {
  readonly pipeline: string
  readonly status: RunStatus
  readonly estimate: Estimate
  readonly files: readonly InputReport[]
}

const PAGE = 500

function plannedChange(operation: Operation): PlannedChange {
  const { contactId } = operation
  return {
    action: operation.kind,
    key: operation.key,
    contact_id: contactId !== undefined && contactId > 0 ? contactId : null,
    fields: fieldChanges(operation.fields, operation.known),
    terms: { add: [], remove: [] },
    source: operation.source,
  }
}

/** Hands the planned operations on and takes them as done, with ids that no service gives. */
async function* pretend(context: PlanContext, ids: { next: number }): AsyncGenerator<PlannedChange> {
  let last: Operation | undefined
  for (;;) {
    const page = await context.state.planned(context.runId, last, PAGE)
    last = page.at(-1)
    if (last === undefined) return
    yield* page.map(plannedChange)
    const settled = page.map((operation) => {
      const contactId = operation.contactId ?? (ids.next -= 1)
      return { operation, request: undefined, settlement: { kind: 'done', contactId } } as const
    })
    const at = context.clock.now()
    await context.state.settle(settled, { at, runId: context.runId, configHash: context.pipeline.hash })
    for (const { operation, settlement } of settled) context.tally.settled(operation, settlement)
  }
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
  const work: PlanTotals[] = []
  const ids = { next: 0 }
  const show = async function* () {
    work.push(await context.state.planTotals(context.runId))
    yield* pretend(context, ids)
  }
  await reopenInputs(context)
  await carryOver(context)
  yield* show()
  const { ready, reports } = await waitingInputs(context, options.wait)
  const files = [...reports]
  for (const input of ready) {
    try {
      const { counts } = await planInput(input, context)
      context.tally.add(counts)
      const isHeld = isEmptyFull(context, counts.read === 0)
      files.push({
        file: input.name,
        ...(isHeld ? { status: 'held', error: EMPTY_FULL } : { status: 'done' }),
      })
      yield* show()
    } catch (error) {
      const known = inputError(error)
      if (known === undefined) throw error
      files.push(refusal(input, known))
    }
  }
  return totals(context, service, work, files)
}

function totals(
  context: PlanContext,
  service: ServiceSettings,
  work: readonly PlanTotals[],
  files: readonly InputReport[],
): PreviewTotals {
  const { requests, perMs } = service.rateLimit
  const mergeMethod = context.pipeline.duplicateMergeMethod
  const sum = (name: keyof PlanTotals): number => work.reduce((total, one) => total + one[name], 0)
  const all = {
    updates: sum('updates'),
    createsWithMail: sum('createsWithMail'),
    createsWithoutMail: sum('createsWithoutMail'),
  }
  const inputsHeld = files.filter(({ status }) => status === 'held').length
  const inputsRefused = files.filter(({ status }) => status === 'refused').length
  return {
    pipeline: context.pipeline.name,
    status: runStatus(context.tally.counts, { fatal: false, inputsRefused, inputsHeld }),
    ...context.tally.counts,
    estimate: estimate(all, { bulkSize: service.bulk.size, requests, perMs, mergeMethod }),
    files,
  }
}
