// Creates whose e-mail address another record of the pipeline has, or may be about to get: the service would merge them into its
// contact. Under `email` that holds for all; under `auto` for those with a mail_status of 1 or 2, which may go by the address.
import type { Operation, Settled, Settlement } from '../../core/change/operation.ts'
import { isWithdrawn } from '../../core/change/permission.ts'
import type { PlanContext, RunContext } from '../context.ts'
import { settle } from './settle.ts'

/** Under `email` the service would merge it into the contact that has the mail. */
export async function mailOwners(
  operations: readonly Operation[],
  context: PlanContext,
): ReturnType<PlanContext['state']['mailOwners']> {
  const { duplicate_check_method: check, key } = context.pipeline
  return check === 'email' && key !== undefined ? context.state.mailOwners(operations) : new Map()
}

function withoutFreeMail({ key, isMoving }: { key: string; isMoving: boolean }): Settlement {
  return isMoving
    ? {
        kind: 'failed',
        reason: `the e-mail address is free once the change of key ${key} has been carried out`,
      }
    : {
        kind: 'held',
        reason: `the e-mail address belongs to key ${key} of this pipeline, and under duplicate_check_method: email the service would merge them`,
        why: 'shared_mail',
      }
}

/** How creates end whose address another key has by now: the update that was to give it up may have failed, or kept it. */
export async function takenMails(
  operations: readonly Operation[],
  context: PlanContext,
): Promise<ReadonlyMap<number, Settlement>> {
  const owners = await mailOwners(operations, context)
  return new Map([...owners].map(([id, owner]) => [id, withoutFreeMail(owner)]))
}

/** The end of a create that must not go by its address, because another key has it; undefined where it may. */
export async function takenMail(
  operation: Operation,
  { pipeline, state }: RunContext,
): Promise<Settlement | undefined> {
  const owner =
    pipeline.key === undefined ? undefined : (await state.mailOwners([operation])).get(operation.id)
  return owner === undefined ? undefined : withoutFreeMail(owner)
}

/**
 * Of those whose address a create of another key has that is in doubt, why they wait for it: its request may still come, or its
 * contact be found for both.
 */
async function awaitedMails(
  operations: readonly Operation[],
  { pipeline, state }: RunContext,
): Promise<ReadonlyMap<number, Settlement>> {
  const { duplicate_check_method: check, key } = pipeline
  const doubts = check === 'none' || key === undefined ? undefined : await state.mailDoubts(operations)
  return new Map(
    operations.flatMap(({ id, consent }) => {
      const doubt = doubts?.get(id)
      const goesByMail = check === 'email' || isWithdrawn(consent) || isWithdrawn(doubt?.carried)
      if (doubt === undefined || !goesByMail) return []
      const reason = `a create with this e-mail address, of key ${doubt.key}, is in doubt; this is tried again once that is settled`
      return [[id, { kind: 'failed', reason }] as const]
    }),
  )
}

/** Those that may go. */
export async function withFreeMails(
  operations: readonly Operation[],
  context: RunContext,
): Promise<readonly Operation[]> {
  const awaited = await awaitedMails(operations, context)
  const ends = new Map([...awaited, ...(await takenMails(operations, context))])
  if (ends.size === 0) return operations
  const settled = operations.flatMap((operation): Settled[] => {
    const settlement = ends.get(operation.id)
    return settlement === undefined ? [] : [{ operation, request: undefined, settlement }]
  })
  await settle(settled, context)
  return operations.filter(({ id }) => !ends.has(id))
}
