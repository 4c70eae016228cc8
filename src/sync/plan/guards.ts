// Asks the guards about the plan of one input, after it was read to its end and before it is committed.
import { planEntry } from '../../core/log/other-entries.ts'
import { type RequiredApproval, requiredApprovals } from '../../core/change/waiting/approval.ts'
import {
  type Hold,
  type JudgedInput,
  judgedInput,
  periodsOf,
  type PlanNumbers,
} from '../../core/change/waiting/guard.ts'
import { otherPersonHold } from '../../core/change/waiting/other-person.ts'
import type { InputNumbers, StagedInput } from '../../core/state.ts'
import type { Counts } from '../../core/outcome/summary.ts'
import { termKey } from '../../core/mapping/terms.ts'
import type { PlanContext } from '../context.ts'

/** From how many new terms on their exact number matters, to a guard or to a rule of `approvals`. */
function mostNewTerms({ guards, approvals }: PlanContext['pipeline']): number {
  const rules = approvals?.rules ?? []
  return Math.min(
    guards.max_new_terms,
    ...rules.flatMap(({ when: { new_terms: from } }) => (from === undefined ? [] : from - 1)),
  )
}

/**
 * Terms that the plan would make; asks the service for its list only where they could be too many. What was released is not
 * counted, unless it is to be.
 */
async function newTerms(
  staged: StagedInput,
  { pipeline, state, terms }: PlanContext,
  counted: 'open' | 'all' = 'open',
): Promise<number> {
  const most = mostNewTerms(pipeline)
  if (pipeline.terms.assign.length === 0) return 0
  const given = async (limit: number): Promise<readonly string[]> => {
    const { terms: open, released } = await state.inputNumbers(staged, limit)
    return counted === 'open' ? open : [...new Set([...open, ...released.terms])]
  }
  // One more than allowed is enough to know, unless some of them are there already.
  const few = await given(most + 1)
  if (few.length <= most) return few.length
  const known = await terms.list()
  if (known === undefined) return 0
  return (await given(Number.MAX_SAFE_INTEGER)).filter((name) => !known.has(termKey(name))).length
}

/** What was deleted before this plan, in each period that has a limit. Notes how many are linked now, for later plans. */
async function deletedWithin(
  { links, deletes }: { links: number; deletes: number },
  { pipeline: { name, guards, on_missing: onMissing }, state, clock }: PlanContext,
) {
  const now = clock.now()
  await state.noteLinks(name, { at: now, links })
  if (deletes === 0 || onMissing !== 'delete') return []
  return Promise.all(
    periodsOf(guards).map(async ({ period, ms }) => ({
      period,
      ...(await state.deletedSince(name, now - ms)),
    })),
  )
}

/**
 * What the rules of `approvals` require of a plan. Asked before anything of it is held. What was released in the same form is
 * part of the plan: a change that has moved since is judged with it, not as a plan of one.
 */
async function requiredOf(
  staged: StagedInput,
  numbers: Omit<PlanNumbers, 'read' | 'rejected' | 'unidentified' | 'hasDeleted'> &
    Pick<InputNumbers, 'released'>,
  { pipeline: { approvals }, state }: PlanContext,
): Promise<readonly RequiredApproval[]> {
  if (approvals === undefined) return []
  const namesTerms = approvals.rules.some(({ when }) => when.terms !== undefined)
  const { terms } = namesTerms ? await state.inputNumbers(staged, Number.MAX_SAFE_INTEGER) : { terms: [] }
  const { released } = numbers
  const changes = numbers.changes + released.changes
  const deletes = numbers.deletes + released.deletes
  const plan = { ...numbers, changes, deletes, given: terms }
  return requiredApprovals(plan, approvals.rules, await state.termAliases())
}

/** One report of all that is held. */
function together(of: readonly (Hold | undefined)[]): Hold | undefined {
  const holds = of.filter((hold) => hold !== undefined)
  const [first] = holds
  return first && { ...first, reason: holds.map(({ reason }) => reason).join('; in addition, ') }
}

const NO_PERSONS: ReadonlySet<string> = new Set()

interface Judged {
  readonly counts: Counts
  readonly lastRecords?: number | undefined
  /** Why the input is not as its source's files are expected to be. */
  readonly unexpected?: Hold | undefined
  readonly isUndo?: boolean
  /** Keys of records whose contact would become another person. */
  readonly otherPersons?: ReadonlySet<string>
}

/** What is held is entered into the sync log, counted and told. */
async function noteHeld(
  { guard, reason, threshold }: Pick<Hold, 'guard' | 'reason' | 'threshold'>,
  held: { readonly records: number; readonly deletes: number; readonly counts: Counts },
  { pipeline: { name: pipeline, hash: configHash }, state, clock, runId, log, tally }: PlanContext,
): Promise<void> {
  const about = { at: clock.now(), runId, pipeline, configHash }
  await state.note(planEntry({ action: 'hold', reason: `${guard}: ${reason}` }, about))
  held.counts.held += held.records
  held.counts.held_deletes += held.deletes
  tally.held.note(guard, held.records + held.deletes)
  log.warn('changes held by a guard', {
    guard,
    changes: held.records,
    deletes: held.deletes,
    threshold,
  })
}

/** Which part of the plan waits for approvers. */
function heldOf(
  required: readonly RequiredApproval[],
  { records, deletes }: { readonly records: number; readonly deletes: number },
): Hold['holds'] {
  if (required.some(({ of }) => of === 'all') || (records > 0 && deletes > 0)) return 'all'
  return records === 0 ? 'deletes' : 'records'
}

/** Holds what approvers must release, whether or not a guard holds it anyway (`isHeld`). */
async function holdRequired(
  staged: StagedInput,
  { required, counts, isHeld }: { required: readonly RequiredApproval[]; counts: Counts; isHeld: boolean },
  context: PlanContext,
): Promise<Hold | undefined> {
  if (required.length === 0) return undefined
  const at = context.clock.now()
  const held = await context.state.holdForApproval(staged, required, {
    at,
    configHash: context.pipeline.hash,
  })
  const all = (part: 'reason' | 'threshold'): string =>
    [...new Set(required.map((one) => one[part]))].join('; ')
  const number = held.records + held.deletes
  // All of it was released.
  if (number === 0 && !isHeld) return undefined
  const hold = {
    guard: 'approval',
    holds: heldOf(required, held),
    number,
    threshold: all('threshold'),
    reason: all('reason'),
  } as const
  if (number > 0) await noteHeld(hold, { ...held, counts }, context)
  return hold
}

/** A plan that no file made: only what must be approved of it waits. */
export async function holdByApprovals(
  staged: StagedInput,
  counts: Counts,
  context: PlanContext,
): Promise<void> {
  if (context.pipeline.approvals === undefined) return
  const numbers = { ...(await context.state.inputNumbers(staged)), newTerms: 0 }
  const required = await requiredOf(staged, numbers, context)
  await holdRequired(staged, { required, counts, isHeld: false }, context)
}

/** Whether anything was held by it. */
async function holdPart(
  staged: StagedInput,
  { hold, counts }: { readonly hold: Hold; readonly counts: Counts },
  context: PlanContext,
): Promise<boolean> {
  const { state, clock, pipeline } = context
  const held = await state.holdPlan(staged, hold, { at: clock.now(), configHash: pipeline.hash })
  const isAny = held.records + held.deletes > 0
  if (isAny || hold.guard !== 'other_person') await noteHeld(hold, { ...held, counts }, context)
  return isAny
}

/** Judges the plan of one input, holds what a guard or a rule of `approvals` forbids of it, and counts what is held. */
export async function holdByGuards(
  staged: StagedInput,
  { counts, lastRecords, unexpected, isUndo, otherPersons = NO_PERSONS }: Judged,
  context: PlanContext,
): Promise<JudgedInput> {
  const { pipeline, state } = context
  const totals = await state.inputNumbers(staged)
  const numbers = {
    ...totals,
    read: counts.read,
    newTerms: await newTerms(staged, context),
    lastRecords,
    isUndo,
    deletedWithin: await deletedWithin(totals, context),
  }
  const isReleased = pipeline.approvals !== undefined && totals.released.changes > 0
  const allNew = isReleased ? await newTerms(staged, context, 'all') : numbers.newTerms
  const required = await requiredOf(staged, { ...numbers, newTerms: allNew }, context)
  const ofGuards = judgedInput(staged.input.name, numbers, pipeline.guards)
  const ofPersons = pipeline.guards.hold_other_person ? otherPersonHold(otherPersons) : undefined
  const hold = unexpected ?? ofGuards.hold
  // Before the rest, so that it keeps its own reason. What was released already is not held again.
  const isOfPersons =
    ofPersons !== undefined && (await holdPart(staged, { hold: ofPersons, counts }, context))
  const isOfGuards = hold !== undefined && (await holdPart(staged, { hold, counts }, context))
  const isHeld = isOfPersons || isOfGuards
  const approval = await holdRequired(staged, { required, counts, isHeld }, context)
  return {
    ...ofGuards,
    hold: together([isOfPersons ? ofPersons : undefined, hold, approval]),
    needsApprovers: approval !== undefined,
  }
}

/** What to type, by whom. */
export const releaseHint = (runId: string, { needsApprovers = false }: JudgedInput): string =>
  needsApprovers
    ? `to release what is held, each approver: contact-sync held release ${runId} --as NAME`
    : `to release what is held: contact-sync held release ${runId}`
