// Decisions of an operator: to release a held plan, and how an operation in doubt ended.
// Part of the composition. Both write to the state, so they need its lock; both are entered into the sync log.
import { linkEntry, planEntry } from '../../core/log/audit.ts'
import { NOT_DONE_REASON } from '../../core/change/doubt.ts'
import { SyncError } from '../../core/words/errors.ts'
import { shownContact } from '../../core/change/likeness.ts'
import type { Operation, Settlement } from '../../core/change/operation.ts'
import type { ServiceContact, ServiceReads } from '../../core/ports.ts'
import { REBUILD_GUARD } from '../../core/change/rebuild.ts'
import { runId } from '../../core/words/run-id.ts'
import type { Settings } from '../../core/settings.ts'
import type { HeldPlan } from '../../core/state.ts'
import type { StateStore } from '../../core/state-store.ts'
import { systemClock as clock, systemRandom as random } from '../../system.ts'
import { asOwner } from '../run/as-owner.ts'

/** Opens the service for look-ups. */
export type Ask = <T>(settings: Settings, ask: (reads: ServiceReads) => Promise<T>) => Promise<T>

interface Asking {
  readonly settings: Settings
  readonly ask: Ask
}

const namesOf = (settings: Settings): readonly string[] => settings.pipelines.map(({ name }) => name)

function changedSince(
  { pipeline, number, left, configHash }: HeldPlan,
  settings: Settings,
  remaining: boolean,
): string | undefined {
  const now = settings.pipelines.find(({ name }) => name === pipeline)
  if (now?.hash !== configHash) return `the mapping of ${pipeline} has changed since`
  return left === number || remaining
    ? undefined
    : `${number - left} of the ${number} changes are no longer the same`
}

export interface Released {
  readonly run_id: string
  readonly pipelines: readonly string[]
  readonly changes: number
}

/**
 * Lets exactly the changes go that guards held in this run. Throws USAGE where there are none, and HELD_CHANGED where
 * anything about them has changed since; `remaining`: those go that are still as they were.
 */
export function releaseHeld(
  settings: Settings,
  { run, remaining }: { run: string; remaining: boolean },
  pid: number,
): Promise<Released> {
  return asOwner(settings, pid, async (state) => {
    const plans = (await state.heldPlans(namesOf(settings))).filter(({ runId: id }) => id === run)
    if (plans.length === 0)
      throw new SyncError('USAGE', `no guard holds changes of a run ${run}`, {
        hint: 'See contact-sync held list for runs with held changes. A change that is held individually ends when its source no longer gives the reason.',
      })
    const changed = plans.flatMap((plan) => changedSince(plan, settings, remaining) ?? [])
    if (changed.length > 0)
      throw new SyncError(
        'HELD_CHANGED',
        `the held changes of run ${run} are not released: ${changed.join('; ')}`,
      )
    const at = clock.now()
    await state.release(run, at)
    for (const { pipeline, guard, left, configHash, releasedAt } of plans)
      if (releasedAt === undefined) {
        const reason = `${left} changes held by ${guard} were released`
        await state.note(planEntry({ action: 'release', reason }, { at, runId: run, pipeline, configHash }))
      }
    return {
      run_id: run,
      pipelines: plans.map(({ pipeline }) => pipeline),
      changes: plans.reduce((sum, { left }) => sum + left, 0),
    }
  })
}

export type ResolvedDoubt =
  { readonly done: true; readonly contactId: number | undefined } | { readonly done: false }

async function findDoubt(settings: Settings, id: number, state: StateStore): Promise<Operation> {
  for (const pipeline of namesOf(settings)) {
    // What a crash left on its way is in doubt, too.
    await state.reopen(pipeline, clock.now())
    const found = (await state.leftOpen('in_doubt', pipeline)).find((operation) => operation.id === id)
    if (found !== undefined) return found
  }
  throw new SyncError('USAGE', `no operation ${id} is in doubt`, { hint: 'See contact-sync doubts list.' })
}

/** Throws USAGE where the service has no such contact: a mistyped number would link a record to none. */
async function contactAt(
  contactId: number,
  fields: readonly string[],
  { settings, ask }: Asking,
): Promise<ServiceContact> {
  const seen = await ask(settings, (reads) => reads.contactById(contactId, fields))
  if (seen.kind === 'ok') return seen.value
  if (seen.kind === 'absent') throw new SyncError('USAGE', `the service has no contact ${contactId}`)
  throw new SyncError('SERVICE_UNREACHABLE', `the contact cannot be read: ${seen.summary}`)
}

function idOf({ contactId }: ResolvedDoubt & { done: true }): number {
  if (contactId !== undefined) return contactId
  throw new SyncError('USAGE', 'a create that is done needs --contact-id N, the contact that was created')
}

const BY_A_PERSON = 'resolved as done by an operator'

/** The contact was made at some earlier time: what it shows now is what is known of it. */
async function linkByWord(
  operation: Operation,
  contactId: number,
  { asking, state }: { asking: Asking; state: StateStore },
): Promise<Settlement['kind']> {
  const { id: operationId, desired, key, pipeline, source } = operation
  const shown = await contactAt(contactId, Object.keys(desired), asking)
  const at = clock.now()
  const configHash = asking.settings.pipelines.find(({ name }) => name === pipeline)?.hash ?? ''
  const entry = linkEntry(
    { key, contactId, reason: BY_A_PERSON, request: undefined, source },
    { at, runId: runId(at, random), pipeline, configHash },
  )
  const known = shownContact(desired, shown)
  const isLinked = await state.linkFound({ pipeline, key, contactId, known, operationId, entry })
  return isLinked ? 'done' : 'held'
}

async function settlementFor(
  operation: Operation,
  verdict: ResolvedDoubt,
  asking: Asking,
): Promise<Settlement> {
  if (!verdict.done) return { kind: 'failed', reason: NOT_DONE_REASON }
  const reason = BY_A_PERSON
  if (operation.kind === 'delete') return { kind: 'done', contactId: operation.contactId, reason }
  const contactId = idOf(verdict)
  await contactAt(contactId, ['id'], asking)
  return { kind: 'done', contactId, reason, adopted: true }
}

export interface Resolved {
  readonly operation: Operation
  /** held: the contact belongs to another record already. */
  readonly settlement: Settlement['kind']
}

/** Ends an operation in doubt by a person's word. What was not done is tried again by the next run. */
export function resolveDoubt(
  settings: Settings,
  { id, verdict }: { id: number; verdict: ResolvedDoubt },
  { pid, ask }: { pid: number; ask: Ask },
): Promise<Resolved> {
  return asOwner(settings, pid, async (state) => {
    const operation = await findDoubt(settings, id, state)
    const asking = { settings, ask }
    if (operation.guard === REBUILD_GUARD && verdict.done)
      return { operation, settlement: await linkByWord(operation, idOf(verdict), { asking, state }) }
    const settlement = await settlementFor(operation, verdict, asking)
    const at = clock.now()
    const configHash = settings.pipelines.find(({ name }) => name === operation.pipeline)?.hash ?? ''
    const context = { at, runId: runId(at, random), configHash }
    const [taken] = await state.settleBatch([{ operation, settlement, request: undefined }], context)
    return { operation, settlement: taken?.kind ?? settlement.kind }
  })
}
