// From the last record of an input to the plan that stands: who shares a mail, who has gone, what the guards say.
// Nothing of the input counts before this is done.
import type { StagedInput } from '../core/state.ts'
import type { Counts } from '../core/summary.ts'
import type { PlanContext } from './context.ts'
import { holdByGuards } from './guards.ts'

/** An input that was read to its end. */
interface Read {
  readonly staged: StagedInput
  readonly counts: Counts
}

/** What a full input lacks has gone, unless it has no records at all: that never counts as "all gone". */
async function planMissing({ staged, counts }: Read, context: PlanContext): Promise<void> {
  const { clock, pipeline, state } = context
  const { onMissing, guards, terms } = pipeline
  if (onMissing === 'keep' || counts.read === 0) return
  await state.stageMissing(staged, {
    onMissing,
    termPolicy: terms.policy,
    missingIn: guards.deletesMissingIn,
    apartMs: guards.deletesApartMs,
    at: clock.now(),
  })
}

/** From the last record to the plan that stands; gives the reason where a guard holds some of it. */
export async function commitPlan(
  { staged, counts }: Read,
  { sha256, isLast }: { sha256: string; isLast: boolean },
  context: PlanContext,
): Promise<string | undefined> {
  const { clock, pipeline, state } = context
  // Under `email` the service would merge them; with the mail as key such records share the key anyway.
  if (pipeline.duplicateCheckMethod === 'email' && pipeline.key !== undefined)
    counts.held += await state.holdSharedMails(staged)
  // Records that are read again are never all that there are.
  const isFull = pipeline.mode === 'full' && counts.read > 0 && staged.input.rejectsUpTo === undefined
  if (isFull && isLast) await planMissing({ staged, counts }, context)
  const heldBy = await holdByGuards(staged, counts, context)
  const full = { apartMs: pipeline.guards.deletesApartMs, at: clock.now(), isLast }
  await state.commitPlan(staged, sha256, isFull ? full : undefined)
  return heldBy
}
