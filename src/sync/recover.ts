// What an earlier run, or a crash, left open. Nothing new is sent before what was on its way is known to be in doubt.
import { type Known, recordDifference } from '../core/change/diff.ts'
import type { Operation } from '../core/change/operation.ts'
import type { GuardName } from '../core/change/waiting/guard.ts'
import { whyHeld } from '../core/change/waiting/held-why.ts'
import { isRepair, repairAgain } from '../core/change/others/repair.ts'
import { undoAgain } from '../core/log/undo.ts'
import { REBUILD_GUARD } from '../core/change/lookup/rebuild.ts'
import type { PipelineSettings } from '../core/settings.ts'
import type { Replanned } from '../core/state.ts'
import { isStopped, type PlanContext, type RunContext } from './context.ts'
import { presentlyOwn } from './present-owners.ts'
import { settleDoubt } from './send/send.ts'
import { createSideBySide } from './send/side-by-side.ts'

const PAGE = 500

/**
 * Without a mail nothing can be looked up, and a rebuild has looked already: such an operation waits for a person.
 * A delete is simply sent again.
 */
const canBeSettled = ({ kind, mailKey, guard }: Operation): boolean =>
  kind === 'delete' || (mailKey !== undefined && guard !== REBUILD_GUARD)

function mayResend(operation: Operation, context: RunContext): boolean {
  return (
    operation.absentReads >= context.service.doubt.absent_reads && context.clock.now() >= operation.notBefore
  )
}

/** Inputs whose work was interrupted: one that still waits is read again, the rest of the others is retried automatically. */
export async function reopenInputs(context: PlanContext): Promise<void> {
  const inDoubt = await context.state.reopen(context.pipeline.name, context.clock.now())
  if (inDoubt > 0) context.log.warn('interrupted run: operations in doubt', { operations: inDoubt })
  for (const staged of await context.state.unfinishedInputs(context.pipeline.name)) {
    const isWaiting = await context.source.isWaiting(staged.input)
    await context.state.endInput(staged, { as: isWaiting ? 'unread' : 'vanished' })
  }
}

/**
 * An approval is bound to the settings that it was given under, and to the role of its approver: what was released otherwise waits
 * for approvers again.
 */
export async function withdrawReleases({ pipeline, state, log }: PlanContext): Promise<void> {
  const changes = await state.withdrawReleases(pipeline.name, pipeline.approvals)
  if (changes > 0) log.warn('releases withdrawn: settings changed', { changes })
}

/** A run that was killed while it put inputs away had taken some, and left something beside others. */
export async function clearLeftovers({ state, source, pipeline }: RunContext): Promise<void> {
  await source.giveBack?.()
  for (const { input, runId } of await state.unfinishedInputs(pipeline.name))
    if (await source.isWaiting(input)) await source.clearLeftovers(input, runId)
}

/** Looks at doubts side by side. */
async function lookAt(doubts: readonly Operation[], context: RunContext): Promise<void> {
  const sideBySide = createSideBySide(context)
  for (const operation of doubts) {
    const of = { kind: operation.kind, operations: [operation] }
    const look = (): Promise<void> => settleDoubt(operation, context, mayResend(operation, context))
    if (!(await sideBySide.begin(look, of))) break
  }
  await sideBySide.end()
}

/** One look at every doubt that can be looked up, without waiting. */
export async function settleDoubtsOnce(
  context: RunContext,
  skip: ReadonlySet<number> = new Set(),
): Promise<void> {
  const doubts = await context.state.leftOpen('in_doubt', context.pipeline.name)
  await lookAt(
    doubts.filter((operation) => canBeSettled(operation) && !skip.has(operation.id)),
    context,
  )
}

/**
 * At the end of a run: waits until doubts may be looked at again, as often as `service.doubt` asks for.
 * What cannot be settled by looking stays in doubt.
 */
export async function settleDoubts(context: RunContext): Promise<void> {
  // What was never sent cannot arrive: waiting would not show which contact is meant.
  const isWorthWaiting = (one: Operation): boolean =>
    canBeSettled(one) && (one.sent > 0 || context.pipeline.household === undefined)
  const hopeless = (await context.state.leftOpen('in_doubt', context.pipeline.name)).filter(
    (one) => !isWorthWaiting(one),
  )
  if (hopeless.length > 0)
    context.log.warn('unresolved doubts: decision required (contact-sync doubts list)', {
      contacts: hopeless.length,
    })
  const looks = new Map<number, number>()
  const most = context.service.doubt.absent_reads + 1
  for (;;) {
    const doubts = (await context.state.leftOpen('in_doubt', context.pipeline.name)).filter(isWorthWaiting)
    const open = doubts.filter(({ id }) => (looks.get(id) ?? 0) < most)
    if (open.length === 0 || isStopped(context)) return
    context.report({ phase: 'settle' })
    const next = Math.min(...open.map(({ notBefore }) => notBefore))
    const wait = Math.min(Math.max(0, next - context.clock.now()), context.service.doubt.quiesce)
    if (wait > 0)
      context.log.info('waiting before the next look-up of doubts', {
        operations: open.length,
        wait_ms: Math.round(wait),
      })
    await context.clock.sleep(wait, context.signal)
    // Where the wall clock went back it may be long before it says `next`: a look takes up the new time, and does not count.
    const now = context.clock.now()
    const due = open.filter(({ notBefore }) => notBefore <= Math.max(next, now))
    for (const { id, notBefore } of due) if (notBefore <= now) looks.set(id, (looks.get(id) ?? 0) + 1)
    await lookAt(due, context)
  }
}

function nextForm(operation: Operation, known: Known, pipeline: PipelineSettings): Replanned['next'] {
  const { givesUp, undoes } = operation
  if (undoes !== undefined) {
    if (known.inDoubt) return { state: 'waiting' }
    const again = (isRepair(operation) ? repairAgain : undoAgain)(operation, known)
    return again === undefined ? { state: 'settled' } : { ...again, kind: 'update', state: 'planned' }
  }
  const desired = {
    ...{ contact: operation.desired, terms: operation.terms?.asserts },
    ...(givesUp === undefined ? {} : { givesUp }),
  }
  const decided = recordDifference(desired, { known, said: operation.fields }, pipeline)
  const linked = { linkId: known.link?.id ?? 0, contactId: known.link?.contactId ?? 0 }
  switch (decided.kind) {
    case 'create':
      return { ...decided, state: 'planned' }
    case 'update':
      return { ...decided, ...linked, state: 'planned' }
    case 'held':
      return { state: 'held', fields: operation.desired, reason: decided.reason, ...linked }
    case 'waiting':
      return { state: 'waiting' }
    case 'unchanged':
    case 'rejected':
      // It was complete when it was planned first, so there is nothing to reject.
      return { state: 'settled' }
  }
}

/** What another pipeline owns before this one by now is left out of what waited. */
async function withPresentOwners(
  operation: Operation,
  known: Known,
  context: PlanContext,
): Promise<Replanned> {
  const { pipeline } = context
  if (pipeline.owners === undefined || operation.undoes !== undefined)
    return { operation, next: nextForm(operation, known, pipeline) }
  const { link } = known
  const { contact: desired, unsure } = await presentlyOwn(operation.desired, link, context)
  const own = link === undefined ? known : { ...known, link: { ...link, unsure } }
  return { operation, desired, next: nextForm({ ...operation, desired }, own, pipeline) }
}

/** Those that a brake may give a term after them. */
async function noteAsking(
  replanned: readonly Replanned[],
  { pipeline, state, tally }: PlanContext,
): Promise<void> {
  if (pipeline.guards.brake === undefined) return
  const asked = await state.askedKeys(pipeline.name)
  for (const { operation, next } of replanned)
    if (next.state === 'planned' && asked.has(operation.key)) tally.noteAsking(operation.key)
}

/** Compares operations again with what is known now; returns how many ended in each state. */
async function replan(
  operations: readonly Operation[],
  context: PlanContext,
): Promise<Record<Replanned['next']['state'], number>> {
  const known = await context.state.known(
    context.pipeline.name,
    operations.map(({ key }) => key),
  )
  const replanned: Replanned[] = []
  for (const [index, operation] of operations.entries())
    replanned.push(
      await withPresentOwners(operation, known[index] ?? { link: undefined, inDoubt: false }, context),
    )
  await context.state.replan(context.runId, replanned)
  await noteAsking(replanned, context)
  for (const { next } of replanned) if (next.state === 'held') context.tally.held.note(whyHeld(next.reason))
  const count = (state: string): number => replanned.filter(({ next }) => next.state === state).length
  return {
    planned: count('planned'),
    waiting: count('waiting'),
    held: count('held'),
    settled: count('settled'),
  }
}

/** What was lowered for its address when its file was planned is lowered again: the record says something else. */
async function keepWithinAddress({ pipeline, runId, state }: PlanContext): Promise<void> {
  if (pipeline.household !== undefined) await state.lowerWithinAddress(pipeline.name, runId)
}

/** Records of this run that waited behind a doubt that is settled now: compared again, counted again. */
export async function resumeWaiting(context: PlanContext): Promise<void> {
  const { counts } = context.tally
  const { pipeline, runId, state } = context
  const operations = await state.leftOpen('waiting', pipeline.name, { runId })
  const { waiting, held, settled } = await replan(operations, context)
  await keepWithinAddress(context)
  counts.in_doubt -= operations.length - waiting
  counts.unchanged += settled
  counts.held += held
}

/** All that is left open in one way, by pages: what is taken up may be much. */
async function* pagesOf(
  which: 'failed' | 'released',
  { pipeline, state }: PlanContext,
): AsyncGenerator<readonly Operation[]> {
  for (let after = 0; ;) {
    const page = await state.leftOpen(which, pipeline.name, { after, limit: PAGE })
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    after = page.at(-1)?.id ?? after
  }
}

/**
 * Changes that an operator released, and that nothing newer replaced: compared again, and planned for this run. What was released
 * while this run was active was counted as held when its file was read. Returns how many such changes there are.
 */
export async function takeReleased(context: PlanContext): Promise<number> {
  const { pipeline, runId, state, tally } = context
  let ofThisRun = 0
  for await (const page of pagesOf('released', context)) {
    const own = page.filter((operation) => operation.runId === runId)
    ofThisRun += own.length
    const { waiting, held, settled } = await replan(page, context)
    for (const { guard } of own) tally.held.note(guard as GuardName, -1)
    tally.counts.read += page.length - own.length
    tally.counts.unchanged += settled
    tally.counts.in_doubt += waiting
    tally.counts.held += held - own.length
  }
  await keepWithinAddress(context)
  const missing = pipeline.mode === 'full' && pipeline.on_missing !== 'keep'
  const which = { missing, deletes: pipeline.on_missing === 'delete' }
  for (const { guard, deletes } of await state.takeReleasedDeletes(pipeline.name, runId, which)) {
    ofThisRun += deletes
    tally.held.note(guard, -deletes)
    tally.counts.held_deletes -= deletes
  }
  return ofThisRun
}

/** Retries what earlier runs gave up, compared again with what is known now. */
export async function carryOver(context: PlanContext): Promise<void> {
  const { counts } = context.tally
  for await (const page of pagesOf('failed', context)) {
    const { waiting, held, settled } = await replan(page, context)
    counts.read += page.length
    counts.unchanged += settled
    counts.in_doubt += waiting
    counts.held += held
  }
  await keepWithinAddress(context)
}
