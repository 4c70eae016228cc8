// Decisions of a person about what waits: to release a held plan or to drop it, and how an operation in doubt ended. Part of the
// composition. All of them are entered into the sync log.
import { linkEntry, planEntry } from '../../core/log/audit.ts'
import { NOT_DONE_REASON } from '../../core/change/lookup/doubt.ts'
import { droppedOf } from '../../core/change/waiting/dropped.ts'
import { SyncError } from '../../core/words/errors.ts'
import { shownContact } from '../../core/change/lookup/likeness.ts'
import type { Operation, Settlement } from '../../core/change/operation.ts'
import type { ServiceContact } from '../../core/ports.ts'
import { REBUILD_GUARD } from '../../core/change/lookup/rebuild.ts'
import type { Settings } from '../../core/settings.ts'
import type { HeldPlan } from '../../core/state.ts'
import { askService } from '../run/checking.ts'
import type { Desk } from '../run/desk.ts'

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

/** What `held release` and `held drop` have done. */
export interface Released {
  readonly run_id: string
  readonly pipelines: readonly string[]
  readonly changes: number
}

interface HeldOfRun {
  readonly run: string
  /** These changes of the record alone. */
  readonly key?: string | undefined
}

const noneHeld = ({ run, key }: HeldOfRun): SyncError =>
  new SyncError(
    'USAGE',
    `no guard holds changes of ${key === undefined ? 'a' : `record ${key} in`} run ${run}`,
    {
      hint: 'See contact-sync held list for runs with held changes. A change that is held individually ends when its source no longer gives the reason.',
    },
  )

async function plansOf({ run }: HeldOfRun, { settings, state }: Desk): Promise<readonly HeldPlan[]> {
  return (await state.heldPlans(namesOf(settings))).filter(({ runId: id }) => id === run)
}

/** What guards hold in the run, of the record where one is named. */
async function changesOf({ run, key }: HeldOfRun, { settings, state }: Desk): Promise<readonly Operation[]> {
  const found: Operation[] = []
  for await (const operation of state.held(namesOf(settings)))
    if (
      operation.guard !== undefined &&
      operation.runId === run &&
      (key === undefined || operation.key === key)
    )
      found.push(operation)
  return found
}

/** An entry for each pipeline and guard; about one record where that is named. */
function heldEntries(
  { action, verb }: { action: 'release' | 'drop_changes'; verb: string },
  { run, key }: HeldOfRun,
  counts: readonly { readonly pipeline: string; readonly guard: string; readonly changes: number }[],
  desk: Desk,
) {
  return counts.map(({ pipeline, guard, changes }) => {
    const reason = `${changes} changes held by ${guard} were ${verb}`
    const entry = planEntry({ action, reason }, { ...desk.about(pipeline), runId: run })
    return key === undefined ? entry : { ...entry, key }
  })
}

/** How many changes of each pipeline and guard. */
function countsOf(changes: readonly Operation[]) {
  const groups = Map.groupBy(changes, ({ pipeline, guard }) => `${guard} ${pipeline}`)
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ pipeline: first.pipeline, guard: first.guard ?? '', changes: others.length + 1 }],
  )
}

/**
 * Lets exactly the changes go that guards held in this run; of one record where `key` is given. Throws USAGE where there are
 * none, and HELD_CHANGED where anything about them has changed since; `remaining`: those go that are still as they were.
 */
export async function releaseHeld(
  desk: Desk,
  { remaining, ...which }: HeldOfRun & { remaining: boolean },
): Promise<Released> {
  const { run, key } = which
  const plans = await plansOf(which, desk)
  const changes = key === undefined ? [] : await changesOf(which, desk)
  if (plans.length === 0 || (key !== undefined && changes.length === 0)) throw noneHeld(which)
  const changed = plans.flatMap(
    (plan) => changedSince(plan, desk.settings, remaining || key !== undefined) ?? [],
  )
  if (changed.length > 0)
    throw new SyncError(
      'HELD_CHANGED',
      `the held changes of run ${run} are not released: ${changed.join('; ')}`,
    )
  const counts =
    key === undefined
      ? plans.flatMap(({ pipeline, guard, left, releasedAt }) =>
          releasedAt === undefined ? [{ pipeline, guard, changes: left }] : [],
        )
      : countsOf(changes)
  const entries = heldEntries({ action: 'release', verb: 'released' }, which, counts, desk)
  await desk.conclude([{ do: 'release', run, keys: key === undefined ? undefined : [key] }], entries)
  const of = key === undefined ? plans.map(({ pipeline, left }) => ({ pipeline, changes: left })) : counts
  return {
    run_id: run,
    pipelines: of.map(({ pipeline }) => pipeline),
    changes: of.reduce((sum, one) => sum + one.changes, 0),
  }
}

/**
 * Gives up changes that guards held in this run: none of them is planned again before its record, or its absence, has
 * changed. Throws USAGE where there are none.
 */
export async function dropHeld(desk: Desk, which: HeldOfRun): Promise<Released> {
  const changes = await changesOf(which, desk)
  if (changes.length === 0) throw noneHeld(which)
  const counts = countsOf(changes)
  const entries = heldEntries({ action: 'drop_changes', verb: 'dropped' }, which, counts, desk)
  await desk.conclude([{ do: 'drop', dropped: changes.map(droppedOf) }], entries)
  return { run_id: which.run, pipelines: counts.map(({ pipeline }) => pipeline), changes: changes.length }
}

export type ResolvedDoubt =
  { readonly done: true; readonly contactId: number | undefined } | { readonly done: false }

async function findDoubt(id: number, desk: Desk): Promise<Operation> {
  const { settings, state } = desk
  for (const pipeline of namesOf(settings)) {
    // What a crash left on its way is in doubt, too.
    await state.reopen(pipeline, desk.about(pipeline).at)
    const found = (await state.leftOpen('in_doubt', pipeline)).find((operation) => operation.id === id)
    if (found !== undefined) return found
  }
  throw new SyncError('USAGE', `no operation ${id} is in doubt`, { hint: 'See contact-sync doubts list.' })
}

/** Throws USAGE where the service has no such contact: a mistyped number would link a record to none. */
async function contactAt(
  contactId: number,
  fields: readonly string[],
  settings: Settings,
): Promise<ServiceContact> {
  const seen = await askService(settings, (reads) => reads.contactById(contactId, fields))
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
async function linkByWord(operation: Operation, contactId: number, desk: Desk): Promise<Settlement['kind']> {
  const { id: operationId, desired, key, pipeline, source } = operation
  const shown = await contactAt(contactId, Object.keys(desired), desk.settings)
  const entry = linkEntry(
    { key, contactId, reason: BY_A_PERSON, request: undefined, source },
    desk.about(pipeline),
  )
  const known = shownContact(desired, shown)
  const isLinked = await desk.state.linkFound({ pipeline, key, contactId, known, operationId, entry })
  return isLinked ? 'done' : 'held'
}

async function settlementFor(
  operation: Operation,
  verdict: ResolvedDoubt,
  settings: Settings,
): Promise<Settlement> {
  if (!verdict.done) return { kind: 'failed', reason: NOT_DONE_REASON }
  const reason = BY_A_PERSON
  if (operation.kind === 'delete') return { kind: 'done', contactId: operation.contactId, reason }
  const contactId = idOf(verdict)
  await contactAt(contactId, ['id'], settings)
  return { kind: 'done', contactId, reason, adopted: true }
}

export interface Resolved {
  readonly id: number
  readonly pipeline: string
  readonly key: string
  /** held: the contact belongs to another record already. */
  readonly outcome: Settlement['kind']
}

/**
 * Ends an operation in doubt by a person's word; no run of its pipeline is active. What was not done is tried again by the next
 * run. Throws USAGE where there is none, or the service has no such contact.
 */
export async function resolveDoubt(
  desk: Desk,
  { id, verdict }: { id: number; verdict: ResolvedDoubt },
): Promise<Resolved> {
  const { settings, state } = desk
  const operation = await findDoubt(id, desk)
  const { pipeline, key } = operation
  if (operation.guard === REBUILD_GUARD && verdict.done)
    return { id, pipeline, key, outcome: await linkByWord(operation, idOf(verdict), desk) }
  const settlement = await settlementFor(operation, verdict, settings)
  const context = desk.about(pipeline)
  const [taken] = await state.settleBatch([{ operation, settlement, request: undefined }], context)
  return { id, pipeline, key, outcome: taken?.kind ?? settlement.kind }
}
