// Brings the end of operations into the state and the counts; the only way in which an operation ends.
import { GONE_REASON } from '../core/diff.ts'
import type { Operation, Settled } from '../core/operation.ts'
import type { CallResult, RequestTrace } from '../core/ports.ts'
import type { RunContext } from './context.ts'

export async function settle(settled: readonly Settled[], context: RunContext): Promise<void> {
  const at = context.clock.now()
  const taken = await context.state.settle(settled, {
    at,
    runId: context.runId,
    configHash: context.pipeline.hash,
  })
  settled.forEach(({ operation }, index) => {
    const settlement = taken[index]
    if (settlement !== undefined) context.tally.settled(operation, settlement)
  })
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

/** The end of one operation by the answer to its own request; `ok` is the caller's business. */
export function settledByFailure(
  operation: Operation,
  result: Exclude<CallResult<unknown>, { kind: 'ok' }>,
  context: RunContext,
): Settled {
  const { request, reason } = result
  if (result.kind === 'refused')
    return { operation, request, settlement: { kind: 'rejected', code: 'REFUSED', reason } }
  if (result.kind === 'unknown' && operation.kind === 'create') {
    const notBefore = context.clock.now() + context.service.doubt.quiesceMs
    return { operation, request, settlement: { kind: 'in_doubt', reason, notBefore } }
  }
  // An update may simply be sent again: it sets values. Whatever was not applied may be sent again, too.
  return { operation, request, settlement: { kind: 'failed', reason } }
}
