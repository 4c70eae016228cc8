// Creates of a pipeline that says `writes`, just before they would leave: who is at the service is linked, or left alone,
// and only those who are left are made.
import { looksUp } from '../../core/change/resolution.ts'
import type { Operation, Settled } from '../../core/change/operation.ts'
import type { RunContext } from '../context.ts'
import { lookUp } from '../look-up.ts'
import { settle } from './settle.ts'

const FOUND = 'it was found at the service by its mail'

/** The end of a create that is not sent; undefined where it may go. */
async function endOf(operation: Operation, context: RunContext): Promise<Settled | undefined> {
  const { contactId, sent } = operation
  if (contactId !== undefined)
    return {
      ...{ operation, request: undefined, sent: {} },
      settlement: { kind: 'settled', contactId, reason: FOUND },
    }
  // What an earlier request of it may have made would be taken for somebody else.
  if (sent > 0) return undefined
  const seen = await lookUp(operation.desired, context)
  if (seen.kind === 'unanswered') {
    const { reason, request } = seen.result
    return { operation, request, settlement: { kind: 'failed', reason } }
  }
  const { request, resolution } = seen
  switch (resolution.kind) {
    case 'make':
      return undefined
    case 'adopt': {
      const { contactId: found, reason } = resolution
      return { operation, request, sent: {}, settlement: { kind: 'settled', contactId: found, reason } }
    }
    case 'skip':
      return { operation, request, settlement: { kind: 'skipped', reason: resolution.reason } }
  }
}

/** Those that may be made. */
export async function withLookUps(
  operations: readonly Operation[],
  context: RunContext,
): Promise<readonly Operation[]> {
  if (!looksUp(context.pipeline)) return operations
  const ends = await Promise.all(operations.map((operation) => endOf(operation, context)))
  await settle(
    ends.filter((end) => end !== undefined),
    context,
  )
  return operations.filter((_, index) => ends[index] === undefined)
}
