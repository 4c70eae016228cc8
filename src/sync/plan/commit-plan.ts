// From the last record of an input to the plan that stands: who shares a mail, who has gone, what the guards say.
// Nothing of the input counts before this is done.
import { type Hold, isShrunken, type JudgedInput } from '../../core/change/waiting/guard.ts'
import type { HeldCounter } from '../../core/change/waiting/held-why.ts'
import type { LikelySame } from '../../core/outcome/likely-same.ts'
import type { MissingRules, StagedInput } from '../../core/state.ts'
import type { Counts } from '../../core/outcome/summary.ts'
import type { PlanContext } from '../context.ts'
import { keepOf } from './stage.ts'
import { holdByGuards } from './guards.ts'
import { findLikelySame } from './likely-same.ts'

/** An input that was read to its end. */
interface Read {
  readonly staged: StagedInput
  readonly counts: Counts
  /** Why changes of single records are held. */
  readonly held: HeldCounter
  /** Keys of records whose contact would become another person. */
  readonly otherPersons: ReadonlySet<string>
  /** It adds to an export, and records that it lacks are not missing. */
  readonly isSupplement: boolean
  /** Why it is not as expected, or not as before. */
  readonly unexpected: Hold | undefined
}

export interface Committed {
  readonly judged: JudgedInput
  /** Whether the next input of the pipeline is to be compared with this one. */
  readonly isAccepted: boolean
  /** New records that are probably the same person as another key of the source. */
  readonly likelySame: LikelySame | undefined
}

/** What a full input lacks has gone, as the pipeline has it. */
function missingRules({ clock, pipeline }: PlanContext): MissingRules | undefined {
  const { on_missing: onMissing, guards, terms, hand_edits: edits } = pipeline
  if (onMissing === 'keep') return undefined
  return {
    onMissing,
    // A term of the list that was there before it was sent may be a user's, which stays where edits do.
    takesAllTerms: terms.policy === 'replace' && edits === 'overwrite',
    missingIn: guards.deletes_missing_in,
    apartMs: guards.deletes_apart,
    at: clock.now(),
  }
}

/** What only the whole input tells: rejects that give way, shared mails, who is missing. */
async function completeStaging(
  { staged, counts }: Pick<Read, 'staged' | 'counts'>,
  decidesMissing: boolean,
  context: PlanContext,
): Promise<void> {
  const { pipeline, state, tally } = context
  const { yielded, sharedMails } = await state.completeStaging(staged, {
    yieldRejects: counts.rejected === 0 ? undefined : keepOf(context),
    // Under `email` the service would merge them; with the mail as key such records share the key anyway.
    holdSharedMails: pipeline.duplicate_check_method === 'email' && pipeline.key !== undefined,
    lowerWithinAddress: pipeline.household !== undefined,
    missing: decidesMissing ? missingRules(context) : undefined,
  })
  counts.rejected -= yielded
  counts.skipped += yielded
  counts.held += sharedMails
  tally.held.note('shared_mail', sharedMails)
}

/** Records of the last accepted full export, or, where none is known, the contacts that came of the ones before. */
async function lastRecordsOf(staged: StagedInput, { state }: PlanContext): Promise<number> {
  const last = await state.lastAccepted(staged.pipeline)
  return last?.mode === 'full' ? last.records : (await state.inputNumbers(staged)).links
}

/** From the last record to the plan that stands, and what the guards hold of it. */
export async function commitPlan(
  { staged, counts, held, otherPersons, isSupplement, unexpected }: Read,
  { sha256, isLast }: { sha256: string; isLast: boolean },
  context: PlanContext,
): Promise<Committed> {
  const { clock, pipeline, state, tally } = context
  tally.held.add(held)
  // Records that are read again, and corrected rejects, are never a full export.
  // Nothing is concluded from what an unexpected file lacks, either.
  const isPart = isSupplement || unexpected !== undefined
  const isWhole = counts.read > 0 && staged.input.rejectsOf === undefined && !isPart
  const isFull = pipeline.mode === 'full' && isWhole
  await completeStaging({ staged, counts }, isFull && isLast, context)
  const alike = await findLikelySame(staged, context)
  const lastRecords = isFull ? await lastRecordsOf(staged, context) : undefined
  const judged = await holdByGuards(staged, { counts, lastRecords, unexpected, otherPersons }, context)
  const full = { apartMs: pipeline.guards.deletes_apart, at: clock.now(), isLast }
  await state.commitPlan(staged, sha256, isFull ? full : undefined)
  return { judged, isAccepted: isWhole && !isShrunken(counts.read, lastRecords), likelySame: alike }
}
