// Undoes a run: what it did to each contact, told by the sync log, becomes a plan like any other, which guards judge and
// which is journalled, sent and entered into the sync log as every change is.
import type { LoggedEntry } from '../core/log/audit-chain.ts'
import { nextKnown } from '../core/change/diff.ts'
import type { JudgedInput } from '../core/change/waiting/guard.ts'
import type { SourceInput } from '../core/ports.ts'
import type { StagedEntry, StagedInput } from '../core/state.ts'
import { type Counts, type InputReport, noCounts } from '../core/outcome/summary.ts'
import {
  type LeftAlone,
  type RunEffect,
  runEffects,
  undoDecision,
  type UndoOptions,
  type UndoStep,
} from '../core/log/undo.ts'
import { applyPlan } from './send/apply.ts'
import { isStopped, type LeftAloneListener, type PlanContext, type RunContext } from './context.ts'
import { holdByGuards } from './plan/guards.ts'
import { withPresentTerms } from './plan/present-terms.ts'
import { reopenInputs, settleDoubtsOnce } from './recover.ts'
import { heldReport } from './input-reports.ts'
import { accountFor, type PipelineResult } from './run.ts'

export interface Undo extends UndoOptions {
  /** The run whose work is put back. */
  readonly run: string
  /** Its entries, in the order of people, and of time for each. */
  readonly entries: AsyncIterable<LoggedEntry>
  /** The highest contact id that was known when the run started, where the state at hand is a copy that has no runs. */
  readonly highestBefore?: number
}

const PAGE = 200

const ERASED: LeftAlone = {
  key: '',
  contactId: 0,
  what: 'a person',
  why: 'the values in the sync log were erased',
}

function stagedEntry(effect: RunEffect, step: UndoStep, run: string): StagedEntry | undefined {
  if (step.kind === 'nothing') return undefined
  const { key, source } = effect
  const { link } = step
  const linked = { state: 'planned', linkId: link.id, contactId: link.contactId, undoes: run } as const
  const record = { source, values: [], text: undefined, fingerprint: '' }
  if (step.kind === 'delete') {
    const desired = { contact: {}, terms: undefined }
    return { kind: 'operation', key, record, desired, operation: { ...linked, kind: 'delete' } }
  }
  const { fields, terms } = step
  const desired = { contact: nextKnown(link.fields, fields), terms: terms?.asserts }
  const operation = { ...linked, kind: 'update', fields, ...(terms === undefined ? {} : { terms }) } as const
  return { kind: 'operation', key, record, desired, operation }
}

/** Pages of what a run did, so that a large one need not fit in memory. */
async function* pagesOf(effects: AsyncIterable<RunEffect>): AsyncGenerator<readonly RunEffect[]> {
  let page: RunEffect[] = []
  for await (const effect of effects) {
    page.push(effect)
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

interface Planned {
  readonly staged: StagedInput
  readonly counts: Counts
  readonly judged: JudgedInput
}

/** Stages what is to be put back, and counts it. */
async function stageUndo(
  staged: StagedInput,
  { undo, left }: { undo: Undo; left: LeftAloneListener },
  { pipeline, state, suppression }: PlanContext,
): Promise<Counts> {
  const counts = noCounts()
  const highestBefore = undo.highestBefore ?? (await state.highestContactBefore(undo.run))
  const options = { ...undo, highestBefore, suppressed: await suppression?.now() }
  for await (const page of pagesOf(runEffects(withPresentTerms(undo.entries, state), () => left(ERASED)))) {
    const known = await state.known(
      pipeline.name,
      page.map(({ key }) => key),
    )
    const entries: StagedEntry[] = []
    page.forEach((effect, index) => {
      const decision = undoDecision(effect, known[index] ?? { link: undefined, inDoubt: false }, options)
      decision.left.forEach(left)
      const entry = stagedEntry(effect, decision.step, undo.run)
      if (entry !== undefined) entries.push(entry)
      // What is deleted is no record's outcome.
      if (decision.step.kind === 'update') counts.read += 1
    })
    await state.stageBatch(staged, { entries })
  }
  return counts
}

/** The plan that puts a run's work back, under the guards of its pipeline; `left` is told what stays as it is. */
export async function planUndo(undo: Undo, left: LeftAloneListener, context: PlanContext): Promise<Planned> {
  const { pipeline, runId, state } = context
  const input: SourceInput = { name: `undo of ${undo.run}`, version: `undo ${undo.run} ${runId}`, bytes: 0 }
  const staged = await state.beginInput({ runId, pipeline: pipeline.name, input, header: [] })
  try {
    const counts = await stageUndo(staged, { undo, left }, context)
    // The service may have to be asked for its terms.
    const judged = await holdByGuards(staged, { counts, isUndo: true }, context)
    await state.commitPlan(staged, '')
    return { staged, counts, judged }
  } catch (error) {
    await state.discardInput(staged)
    throw error
  }
}

async function undoSteps(undo: Undo, context: RunContext, files: InputReport[]): Promise<void> {
  // What a crash left open is settled or known to be in doubt before anything new is sent.
  await reopenInputs(context)
  await settleDoubtsOnce(context)
  const { staged, counts, judged } = await planUndo(undo, (left) => context.leftAlone?.(left), context)
  context.tally.add(counts)
  const { operations } = await context.state.planTotals(context.runId)
  context.report({ phase: 'apply', planned: operations })
  await applyPlan(context)
  if (isStopped(context)) return
  await context.state.endInput(staged, { as: 'processed' })
  if (judged.hold !== undefined) files.push(heldReport(staged.input, judged.hold.reason))
}

/** A run that puts another one's work back. Throws what `runPipeline` throws. */
export const runUndo = (undo: Undo, context: RunContext): Promise<PipelineResult> =>
  accountFor(context, (files) => undoSteps(undo, context, files))
