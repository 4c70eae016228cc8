// The suppression list, asked again just before something is sent: it may have changed since the plan was made.
import { isSuppressed, isSuppressedNow, SUPPRESSED_REASON } from '../../core/change/consents/suppression.ts'
import type { LinkedOperation, Operation, Settled } from '../../core/change/operation.ts'
import type { RunContext } from '../context.ts'
import { settle } from './settle.ts'

export async function isHeldBack(
  { desired, known }: Pick<Operation, 'desired' | 'known'>,
  { suppression }: RunContext,
): Promise<boolean> {
  const list = await suppression?.now()
  return list !== undefined && isSuppressedNow(desired, known, list)
}

/** A create that may have arrived is not forgotten: its contact would be there without a record. */
const EARLIER = `${SUPPRESSED_REASON}, and an earlier request to create its contact may still arrive`

function settledWithout(operation: Operation): Settled {
  const settlement =
    operation.sent > 0
      ? ({ kind: 'held', reason: EARLIER } as const)
      : ({ kind: 'skipped', reason: SUPPRESSED_REASON } as const)
  return { operation, request: undefined, settlement }
}

/** Those creates that may go; the others have ended. */
export async function unsuppressed(
  operations: readonly Operation[],
  context: RunContext,
): Promise<readonly Operation[]> {
  const list = await context.suppression?.now()
  if (list === undefined) return operations
  const isHeld = ({ desired, known }: Operation): boolean => isSuppressedNow(desired, known, list)
  await settle(operations.filter(isHeld).map(settledWithout), context)
  return operations.filter((operation) => !isHeld(operation))
}

type Update = LinkedOperation<'update'>

/** Nothing of it is wanted: what is known of the contact, and what is not, stays as it was. */
const withoutUpdate = (operation: Update): Settled => ({
  operation: { ...operation, fields: {}, desired: {} },
  request: undefined,
  settlement: {
    kind: 'settled',
    reason: `not sent: ${Object.keys(operation.fields).join(', ')}; ${SUPPRESSED_REASON}`,
  },
})

/**
 * Those updates that may go, by the address that their contact has with them, as when they were planned. Of the others the next
 * step is taken. An undo and a repair give back what was there.
 */
export async function unsuppressedUpdates(
  operations: readonly Update[],
  context: RunContext,
): Promise<readonly Update[]> {
  const list = await context.suppression?.now()
  if (list === undefined) return operations
  const isHeld = ({ desired, known, fields, undoes }: Update): boolean =>
    undoes === undefined && Object.keys(fields).length > 0 && isSuppressed(desired, known, list)
  await settle(operations.filter(isHeld).map(withoutUpdate), context)
  return operations.filter((operation) => !isHeld(operation))
}
