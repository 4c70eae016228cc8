// Brings the end of operations into the state and the counts; the only way in which an operation ends.
import { GONE_REASON } from '../../core/change/diff.ts'
import type { Operation, Settled } from '../../core/change/operation.ts'
import { householdRule, householdValues } from '../../core/mapping/values/household.ts'
import type { CallResult, RequestTrace } from '../../core/ports.ts'
import type { PlanContext, RunContext } from '../context.ts'

/** How the keys of creates that are done were resolved, where they are made of fields. */
function withResolved(
  settled: readonly Settled[],
  { pipeline }: Pick<PlanContext, 'pipeline'>,
): readonly Settled[] {
  const { household } = pipeline
  if (household === undefined) return settled
  const rule = householdRule(pipeline)
  return settled.map((one) => {
    const { operation, settlement } = one
    const { kind, key, mailKey, desired } = operation
    const contactId =
      'contactId' in settlement && settlement.kind !== 'held' ? settlement.contactId : undefined
    if (kind !== 'create' || contactId === undefined || mailKey === undefined) return one
    return {
      ...one,
      resolved: { key, contactId, mailKey, values: householdValues(desired, household), rule },
    }
  })
}

/** What of a contact the service leaves as it was when it merges a create into it. */
function withMerge(
  settled: readonly Settled[],
  { pipeline: { duplicate_merge_method: merge } }: Pick<PlanContext, 'pipeline'>,
): readonly Settled[] {
  if (merge === 'update_add') return settled
  const leaves = merge === 'add' ? ({ onlyAdds: true } as const) : ({ onlyOverwrites: true } as const)
  return settled.map((one) => (one.operation.kind === 'create' ? { ...one, ...leaves } : one))
}

/** With what the settings of the pipeline add to the end of a create: by its answer, a look-up or a decision. */
export const bySettings = (
  settled: readonly Settled[],
  context: Pick<PlanContext, 'pipeline'>,
): readonly Settled[] => withMerge(withResolved(settled, context), context)

/** State and counts, as the state took it. */
export async function remember(settled: readonly Settled[], context: PlanContext): Promise<void> {
  const { circuit, clock, pipeline, runId, state, tally } = context
  const about = { at: clock.now(), runId, configHash: pipeline.hash }
  const taken = await state.settleBatch(bySettings(settled, context), about)
  settled.forEach(({ operation }, index) => {
    const settlement = taken[index]
    if (settlement === undefined) return
    tally.settled(operation, settlement)
    if (settlement.kind === 'done') circuit.accepted()
    if (settlement.kind === 'rejected' && settlement.code === 'REFUSED') circuit.refused(settlement.reason)
  })
}

export async function settle(settled: readonly Settled[], context: RunContext): Promise<void> {
  await remember(settled, context)
  for (const { operation, settlement } of settled) {
    const why = operation.undoes !== undefined && 'reason' in settlement ? settlement.reason : undefined
    const { key, contactId } = operation
    if (why !== undefined && contactId !== undefined)
      context.leftAlone?.({ key, contactId, what: 'contact', why })
  }
  context.report({
    phase: 'apply',
    applied: context.tally.settledOperations,
    requests: context.session.counts.requests,
  })
}

/** The service no longer has the contact. */
export const gone = (operation: Operation, request: RequestTrace): Settled => ({
  operation,
  request,
  settlement: { kind: 'held', reason: GONE_REASON, gone: true },
})

const NO_LOOK_UP =
  'the contact has no e-mail address to look it up by, so only an operator can tell whether it arrived; it is never sent again automatically'

/** The end of one operation by the answer to its own request; `ok` is the caller's business. */
export function settledByFailure(
  operation: Operation,
  result: Exclude<CallResult<unknown>, { kind: 'ok' }>,
  context: RunContext,
): Settled {
  const { request, reason } = result
  // An undo has no record behind it that could be corrected and dropped again.
  if (result.kind === 'refused' && operation.undoes !== undefined)
    return { operation, request, sent: {}, settlement: { kind: 'settled', reason } }
  if (result.kind === 'refused')
    return { operation, request, settlement: { kind: 'rejected', code: 'REFUSED', reason } }
  const inDoubt = (why: string, absentReads = 0): Settled => {
    const notBefore = context.clock.now() + context.service.doubt.quiesce
    return { operation, request, settlement: { kind: 'in_doubt', reason: why, notBefore, absentReads } }
  }
  if (result.kind === 'unknown' && operation.kind === 'create')
    return inDoubt(operation.mailKey === undefined ? `${reason}; ${NO_LOOK_UP}` : reason)
  // That this request was not carried out says nothing about the one before it, whose answer was lost.
  if (operation.kind === 'create' && operation.state === 'in_doubt')
    return inDoubt(reason, operation.absentReads)
  // An update may simply be sent again: it sets values. Whatever was not applied may be sent again, too.
  const unknown = result.kind === 'unknown' ? ({ unknown: true } as const) : {}
  return { operation, request, settlement: { kind: 'failed', reason, ...unknown } }
}
