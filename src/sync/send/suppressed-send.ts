// The suppression list, asked again just before something is sent: it may have changed since the plan was made.
import {
  isSuppressed,
  isSuppressedNow,
  removalsOf,
  SUPPRESSED_REASON,
  type Suppressed,
} from '../../core/change/consents/suppression.ts'
import type { LinkedOperation, Operation, Settled } from '../../core/change/operation.ts'
import { isWithdrawn } from '../../core/change/permission.ts'
import type { PlanContext, RunContext } from '../context.ts'
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
const withoutFields = <One extends Operation>(operation: One): One => ({
  ...operation,
  fields: {},
  desired: {},
})

const withoutUpdate = (operation: Update): Settled => ({
  operation: withoutFields(operation),
  request: undefined,
  settlement: {
    kind: 'settled',
    reason: `not sent: ${Object.keys(operation.fields).join(', ')}; ${SUPPRESSED_REASON}`,
  },
})

/** By the address that the contact has with it, as when it was planned. An undo and a repair give back what was there. */
const isUpdateHeld = ({ desired, known, undoes }: Operation, list: Suppressed): boolean =>
  undoes === undefined && isSuppressed(desired, known, list)

/** Those updates that may go; of the others the next step is taken. */
export async function unsuppressedUpdates(
  operations: readonly Update[],
  context: RunContext,
): Promise<readonly Update[]> {
  const list = await context.suppression?.now()
  if (list === undefined) return operations
  const isHeld = (operation: Update): boolean =>
    Object.keys(operation.fields).length > 0 && isUpdateHeld(operation, list)
  await settle(operations.filter(isHeld).map(withoutUpdate), context)
  return operations.filter((operation) => !isHeld(operation))
}

/** What would be left of a step of a linked contact. */
function restricted(operation: Operation): Operation | Settled {
  const { kind, terms, consent, undoes } = operation
  const left = terms === undefined ? operation : { ...operation, terms: removalsOf(terms, undefined) }
  if (kind === 'consent' && !isWithdrawn(consent))
    return { operation, request: undefined, status: 'ignored', settlement: { kind: 'settled' } }
  const allowed = isWithdrawn(consent) ? left : { ...left, consent: undefined }
  return kind === 'terms' || undoes !== undefined ? allowed : withoutFields(allowed)
}

/** For a plan: what the list would leave of its steps, as it is asked when they are sent. */
export async function restrictedSteps(
  operations: readonly Operation[],
  { suppression }: PlanContext,
): Promise<readonly (Operation | Settled)[]> {
  const list = await suppression?.now()
  if (list === undefined) return operations
  return operations.map((operation) => {
    const { kind, desired, known } = operation
    if (kind === 'delete') return operation
    if (kind === 'update') return isUpdateHeld(operation, list) ? restricted(operation) : operation
    if (!isSuppressedNow(desired, known, list)) return operation
    return kind === 'create' ? settledWithout(operation) : restricted(operation)
  })
}
