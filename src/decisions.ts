// What a person decides: that a held plan may go, and how an operation ended that nobody else could tell about.
// Part of the composition. Both write to the state, so they need its lock; both are entered into the sync log.
import { planEntry } from './core/audit.ts'
import { SyncError } from './core/errors.ts'
import type { Operation, Settlement } from './core/operation.ts'
import type { ServiceReads } from './core/ports.ts'
import { runId } from './core/run-id.ts'
import type { Settings } from './core/settings.ts'
import type { HeldPlan, StateStore } from './core/state.ts'
import { openState } from './store/state-store.ts'
import { systemClock as clock, systemRandom as random } from './system.ts'

/** Lets somebody ask the service. */
export type Ask = <T>(settings: Settings, ask: (reads: ServiceReads) => Promise<T>) => Promise<T>

async function asOwner<T>(
  settings: Settings,
  pid: number,
  work: (state: StateStore) => Promise<T>,
): Promise<T> {
  const state = openState(settings.state.path, { pid, since: clock.now(), thorough: false })
  try {
    return await work(state)
  } finally {
    await state.close()
  }
}

const namesOf = (settings: Settings): readonly string[] => settings.pipelines.map(({ name }) => name)

function changedSince(
  { pipeline, number, left, configHash }: HeldPlan,
  settings: Settings,
): string | undefined {
  const now = settings.pipelines.find(({ name }) => name === pipeline)
  if (now?.hash !== configHash) return `the mapping of ${pipeline} is another one now`
  return left === number ? undefined : `${number - left} of the ${number} changes are no longer as they were`
}

export interface Released {
  readonly run_id: string
  readonly pipelines: readonly string[]
  readonly changes: number
}

/**
 * Lets exactly the changes go that guards held in this run. Throws USAGE where there are none, and HELD_CHANGED where
 * anything about them has changed since.
 */
export function releaseHeld(settings: Settings, run: string, pid: number): Promise<Released> {
  return asOwner(settings, pid, async (state) => {
    const plans = (await state.heldPlans(namesOf(settings))).filter(({ runId: id }) => id === run)
    if (plans.length === 0)
      throw new SyncError('USAGE', `no guard holds changes of a run ${run}`, {
        hint: 'See contact-sync held list for the runs that have some. What is held for a reason of its own goes by itself once that is gone.',
      })
    const changed = plans.flatMap((plan) => changedSince(plan, settings) ?? [])
    if (changed.length > 0)
      throw new SyncError(
        'HELD_CHANGED',
        `the held changes of run ${run} are not released: ${changed.join('; ')}`,
      )
    const at = clock.now()
    await state.release(run, at)
    for (const { pipeline, guard, number, configHash, releasedAt } of plans)
      if (releasedAt === undefined) {
        const reason = `${number} changes held by ${guard} were released`
        await state.note(planEntry({ action: 'release', reason }, { at, runId: run, pipeline, configHash }))
      }
    return {
      run_id: run,
      pipelines: plans.map(({ pipeline }) => pipeline),
      changes: plans.reduce((sum, { number }) => sum + number, 0),
    }
  })
}

export type Verdict =
  { readonly done: true; readonly contactId: number | undefined } | { readonly done: false }

async function findDoubt(settings: Settings, id: number, state: StateStore): Promise<Operation> {
  for (const pipeline of namesOf(settings)) {
    // What a crash left on its way is in doubt, too.
    await state.reopen(pipeline, clock.now())
    const found = (await state.doubts(pipeline)).find((operation) => operation.id === id)
    if (found !== undefined) return found
  }
  throw new SyncError('USAGE', `no operation ${id} is in doubt`, { hint: 'See contact-sync doubts list.' })
}

/** Throws USAGE where the service has no such contact: a mistyped number would bind a record to nobody. */
async function assertThere(settings: Settings, contactId: number, ask: Ask): Promise<void> {
  const seen = await ask(settings, (reads) => reads.contactById(contactId, ['id']))
  if (seen.kind === 'ok') return
  if (seen.kind === 'absent') throw new SyncError('USAGE', `the service has no contact ${contactId}`)
  throw new SyncError('SERVICE_UNREACHABLE', `the contact cannot be looked at: ${seen.summary}`)
}

async function settlementFor(
  operation: Operation,
  verdict: Verdict,
  { settings, ask }: { settings: Settings; ask: Ask },
): Promise<Settlement> {
  if (!verdict.done) return { kind: 'failed', reason: 'not done, says a person; it is tried again' }
  const reason = 'done, says a person'
  if (operation.kind === 'delete') return { kind: 'done', contactId: operation.contactId ?? 0, reason }
  const { contactId } = verdict
  if (contactId === undefined)
    throw new SyncError('USAGE', 'a create that is done needs --contact-id N, the contact that it made')
  await assertThere(settings, contactId, ask)
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
  { id, verdict }: { id: number; verdict: Verdict },
  { pid, ask }: { pid: number; ask: Ask },
): Promise<Resolved> {
  return asOwner(settings, pid, async (state) => {
    const operation = await findDoubt(settings, id, state)
    const settlement = await settlementFor(operation, verdict, { settings, ask })
    const at = clock.now()
    const configHash = settings.pipelines.find(({ name }) => name === operation.pipeline)?.hash ?? ''
    const context = { at, runId: runId(at, random), configHash }
    const [taken] = await state.settle([{ operation, settlement, request: undefined }], context)
    return { operation, settlement: taken?.kind ?? settlement.kind }
  })
}
