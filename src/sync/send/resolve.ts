// Creates of a pipeline that says `writes`, or has a key of fields, just before they would leave: who is at the service is linked, or left alone,
// and only those who are left are made.
import { looksUp, withinAddress } from '../../core/change/lookup/resolution.ts'
import type { Operation, Settled, Settlement } from '../../core/change/operation.ts'
import type { RunContext } from '../context.ts'
import { lookUp, type LookedUp } from '../look-up.ts'
import { settle } from './settle.ts'

const FOUND = 'it was found at the service by its e-mail address'

/** What is left of a create after the look: it has ended, or it may go in this form. */
type Looked =
  | { readonly kind: 'ended'; readonly settled: Settled }
  | { readonly kind: 'free'; readonly operation: Operation }

const ended = (settled: Settled): Looked => ({ kind: 'ended', settled })

/** One that may have arrived stays in doubt. */
function unanswered(operation: Operation, reason: string, { clock, service }: RunContext): Settlement {
  const notBefore = clock.now() + service.doubt.quiesce
  return operation.sent > 0 || operation.state === 'in_doubt'
    ? { kind: 'in_doubt', reason, notBefore, absentReads: operation.absentReads }
    : { kind: 'failed', reason }
}

function byResolution(
  operation: Operation,
  { resolution, request }: LookedUp & { readonly kind: 'resolved' },
  { clock, service }: RunContext,
): Looked {
  switch (resolution.kind) {
    case 'adopt': {
      const { contactId, reason } = resolution
      return ended({ operation, request, sent: {}, settlement: { kind: 'settled', contactId, reason } })
    }
    case 'skip': {
      const settlement = { kind: 'skipped', reason: resolution.reason } as const
      // The contact that it finds may be what an earlier request of it has created.
      return operation.sent > 0 ? { kind: 'free', operation } : ended({ operation, request, settlement })
    }
    case 'doubt': {
      const notBefore = clock.now() + service.doubt.quiesce
      const settlement = { kind: 'in_doubt', reason: resolution.reason, notBefore } as const
      return ended({ operation, request, settlement })
    }
    case 'make': {
      const consent = withinAddress(operation.consent, resolution.withdrawn)
      return { kind: 'free', operation: { ...operation, consent } }
    }
  }
}

async function look(operation: Operation, context: RunContext): Promise<Looked> {
  const { contactId, sent } = operation
  if (contactId !== undefined)
    return ended({
      ...{ operation, request: undefined, sent: {} },
      settlement: { kind: 'settled', contactId, reason: FOUND },
    })
  // What an earlier request of it may have created would look like another contact; by a key of fields it is recognised.
  if (sent > 0 && context.pipeline.household === undefined) return { kind: 'free', operation }
  const seen = await lookUp(operation.desired, context)
  if (seen.kind === 'resolved') return byResolution(operation, seen, context)
  const { reason, request } = seen.result
  return ended({ operation, request, settlement: unanswered(operation, reason, context) })
}

/** Those that may be made, in the form in which they are. */
export async function withLookUps(
  operations: readonly Operation[],
  context: RunContext,
): Promise<readonly Operation[]> {
  if (!looksUp(context.pipeline)) return operations
  const looked = await Promise.all(operations.map((operation) => look(operation, context)))
  await settle(
    looked.flatMap((one) => (one.kind === 'ended' ? [one.settled] : [])),
    context,
  )
  return looked.flatMap((one) => (one.kind === 'free' ? [one.operation] : []))
}
