// Asks the guards about the plan of one input, after it was read to its end and before it is committed.
import { planEntry } from '../../core/log/audit.ts'
import { type Hold, type JudgedInput, judgedInput, periodsOf } from '../../core/change/waiting/guard.ts'
import type { StagedInput } from '../../core/state.ts'
import type { Counts } from '../../core/outcome/summary.ts'
import { termKey } from '../../core/mapping/terms.ts'
import type { PlanContext } from '../context.ts'

/** Terms that the plan would make; asks the service for its list only where they could be too many. */
async function newTerms(staged: StagedInput, { pipeline, state, terms }: PlanContext): Promise<number> {
  const most = pipeline.guards.max_new_terms
  if (pipeline.terms.assign.length === 0) return 0
  // One more than allowed is enough to know, unless some of them are there already.
  const { terms: few } = await state.inputNumbers(staged, most + 1)
  if (few.length <= most) return few.length
  const known = await terms.list()
  if (known === undefined) return 0
  const { terms: all } = await state.inputNumbers(staged, Number.MAX_SAFE_INTEGER)
  return all.filter((name) => !known.has(termKey(name))).length
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

interface Judged {
  readonly counts: Counts
  readonly lastRecords?: number | undefined
  /** Why the input is not as its source's files are expected to be. */
  readonly unexpected?: Hold | undefined
}

/** Judges the plan of one input, holds what a guard forbids of it, and counts what is held. */
export async function holdByGuards(
  staged: StagedInput,
  { counts, lastRecords, unexpected }: Judged,
  context: PlanContext,
): Promise<JudgedInput> {
  const { pipeline, state, clock, runId } = context
  const totals = await state.inputNumbers(staged)
  const numbers = {
    ...totals,
    read: counts.read,
    newTerms: await newTerms(staged, context),
    lastRecords,
    deletedWithin: await deletedWithin(totals, context),
  }
  const ofGuards = judgedInput(staged.input.name, numbers, pipeline.guards)
  const judged = { ...ofGuards, hold: unexpected ?? ofGuards.hold }
  const { hold } = judged
  if (hold === undefined) return judged
  const at = clock.now()
  const configHash = pipeline.hash
  const held = await state.holdPlan(staged, hold, { at, configHash })
  const about = { at, runId, pipeline: pipeline.name, configHash }
  await state.note(planEntry({ action: 'hold', reason: `${hold.guard}: ${hold.reason}` }, about))
  counts.held += held.records
  counts.held_deletes += held.deletes
  context.log.warn('changes held by a guard', {
    guard: hold.guard,
    changes: held.records,
    deletes: held.deletes,
    threshold: hold.threshold,
  })
  return judged
}
