// One run of one pipeline, in order. Reads like a table of contents; each step is a file beside this one.
import type { NotSent } from '../core/change/plan/left-out.ts'
import { handEditRules } from '../core/change/others/hand-edits.ts'
import { mappingText } from '../core/mapping-store.ts'
import type { FetchOrder } from '../core/cursor.ts'
import type { CustomFieldRules } from '../core/mapping/custom-fields.ts'
import { isOperatorStop } from '../core/outcome/circuit.ts'
import { type ErrorCode, inputError, SyncError } from '../core/words/errors.ts'
import type { SourceInput } from '../core/ports.ts'
import {
  assertBalanced,
  type Counts,
  type InputReport,
  isBeforeOthers,
  reportTotals,
  type RunStatus,
  runStatus,
} from '../core/outcome/summary.ts'
import { applyPlan } from './send/apply.ts'
import { loadCustomFields, noticeChanges } from './definitions.ts'
import { isStopped, type PlanContext, type RunContext } from './context.ts'
import { fileLog, logEnd } from './plan/file-log.ts'
import { brakeReports, planBrakes } from './brakes.ts'
import { planCorrections } from './corrections.ts'
import { recheckEdits } from './hand-edits.ts'
import {
  hasArrived,
  heldReport,
  isHeldByGuard,
  refusal,
  releasedReport,
  reportedFindings,
  wasNotTaken,
} from './input-reports.ts'
import { readingOf } from './plan/fatal-input.ts'
import { releaseHint } from './plan/guards.ts'
import { type FileEnd, finishInput, moveUnmoved, refuseInput, withoutUnmoved } from './put-away.ts'
import { planInput, type PlannedInput } from './plan/read.ts'
import { notSentCounts } from './tally.ts'
import { describeTerms } from './term-directory.ts'
import {
  carryOver,
  clearLeftovers,
  reopenInputs,
  resumeWaiting,
  settleDoubts,
  settleDoubtsOnce,
  takeReleased,
  withdrawReleases,
} from './recover.ts'

/** One pipeline's line of `run --json`. */
export interface PipelineResult extends Counts, NotSent {
  readonly pipeline: string
  readonly run_id: string
  readonly status: RunStatus
  readonly requests: number
  readonly retries: number
  readonly duration_ms: number
  /** Deletes that were not carried out; absent where there are none. */
  readonly deletes_failed?: number
  /** How often it met something at the service that others had changed. */
  readonly drift: number
  readonly files: readonly InputReport[]
  readonly error?: string
  /** Why the run failed; absent when it did not. */
  readonly code?: ErrorCode
}

/** A full export begins from the start, whatever was fetched before. */
async function order({ state, pipeline, log }: PlanContext): Promise<FetchOrder> {
  const isFull = pipeline.mode === 'full'
  const last = await state.lastAccepted(pipeline.name)
  return {
    accepted: last?.at ?? null,
    cursor: isFull ? undefined : await state.cursor(pipeline.name),
    isFull,
    tell: (text) => log.warn('message from the source', { text }),
    log: (text) => log.info('message from the tap', { text }),
  }
}

/** The inputs that wait now, those that only wait to be moved, and those that cannot be taken as they are. */
export async function waitingInputs(context: PlanContext, wait: boolean) {
  try {
    const listing = await context.source.list({ wait, signal: context.signal, fetch: await order(context) })
    const reports = listing.refused.map(({ name, error }) => refusal({ name }, error))
    return { ...(await withoutUnmoved(listing, context)), reports, cursor: listing.cursor }
  } catch (error) {
    const known = inputError(error)
    if (known === undefined) throw error
    return { ready: [], unmoved: [], reports: [refusal({ name: '' }, known)], cursor: undefined }
  }
}

/** Without a line of theirs a run would be `partial` for no reason that the log names. */
function logUnread(reports: readonly InputReport[], { log }: RunContext): void {
  for (const { file, code } of reports)
    if (code !== undefined) log.warn('source not read completely', { ...(file === '' ? {} : { file }), code })
}

async function runInput(
  which: { input: SourceInput; isLast: boolean; number: number; files: number },
  customFields: CustomFieldRules,
  context: RunContext,
): Promise<InputReport> {
  const { input, files } = which
  const log = fileLog(context.log, which.number)
  const aboutIt: RunContext = { ...context, log }
  const plan = (): Promise<PlannedInput> => {
    log.info('file processing started', { files, bytes: input.bytes })
    context.report({ phase: 'read', file: which.number, files, bytesRead: 0, bytesTotal: input.bytes })
    return planInput({ ...which, onRead: log.wasRead }, customFields, aboutIt)
  }
  try {
    const planned = await readingOf(input, context, plan)
    const heldBy = planned.judged.hold?.reason
    context.tally.add(planned.counts)
    const totals = await context.state.planTotals(context.runId)
    const { read, unchanged, skipped, rejected, held } = planned.counts
    const changes = totals.operations
    log.info('file read and planned', { read, unchanged, skipped, rejected, held, changes })
    context.report({ phase: 'apply', planned: context.tally.settledOperations + totals.operations })
    await applyPlan(context)
    const ended: FileEnd = isStopped(context)
      ? { report: { file: input.name, status: 'left' }, folder: 'processed', isArchived: false }
      : await finishInput(planned, aboutIt)
    if (ended.report.status === 'done' && input.writtenAt !== undefined)
      context.tally.noteFile(context.clock.now() - input.writtenAt)
    logEnd(ended, log)
    const found = reportedFindings(planned)
    if (ended.report.status === 'left' || heldBy === undefined) return { ...ended.report, ...found }
    return { ...heldReport(input, heldBy), hint: releaseHint(context.runId, planned.judged), ...found }
  } catch (error) {
    const known = inputError(error)
    if (known === undefined) throw error
    const ended = await refuseInput(input, known, aboutIt)
    logEnd(ended, log)
    return ended.report
  }
}

/** Ends the run in good order when the service did not give what it cannot do without; everything else is thrown on. */
export function haltFor(error: unknown, context: PlanContext): void {
  const code = error instanceof SyncError ? error.code : undefined
  const message = error instanceof Error ? error.message : ''
  switch (code) {
    case 'SERVICE_UNREACHABLE':
    case 'SERVICE_KEY_REFUSED':
    case 'SERVICE_CONTRACT':
    case 'DAILY_LIMIT':
      // A call that was aborted by the end of the run says nothing about the health of the service.
      return context.signal.aborted ? undefined : context.circuit.halt({ code, message })
    case 'CONFIG_INVALID':
    case 'SUPPRESSION_LIST':
      return context.circuit.halt({ code, message })
    default:
      throw error
  }
}

/** What guards held in this run was released while it was active: nothing of its files is held any more. */
async function correctReports(done: InputReport[], { pipeline, runId, state }: PlanContext): Promise<void> {
  const plans = await state.heldPlans([pipeline.name])
  if (plans.some((plan) => plan.runId === runId && plan.guard !== 'brake')) return
  for (const [index, report] of done.entries())
    if (isHeldByGuard(report)) done[index] = releasedReport(report)
}

interface Asked {
  /** Lets growing files settle first. */
  readonly wait: boolean
  /** The run was started by a user: all edits made at the service are checked again, not only those that are due. */
  readonly isAsked: boolean
}

async function runSteps(given: RunContext, { wait, isAsked }: Asked, done: InputReport[]): Promise<void> {
  // A mapping that the service cannot accept is useless: nothing is read or sent.
  const customFields = await loadCustomFields(given)
  const context: RunContext = { ...given, handEdits: handEditRules(given.pipeline, customFields) }
  const started = context.clock.now()
  // Without the list of those who must not be written to, nothing is sent.
  await context.suppression?.now()
  await noticeChanges(customFields, context)
  // What a crash left open is settled or known to be in doubt before anything new is sent.
  await clearLeftovers(context)
  await reopenInputs(context)
  await settleDoubtsOnce(context)
  await withdrawReleases(context)
  // What earlier runs had to give up is tried again.
  await carryOver(context)
  await applyPlan(context)
  await describeTerms(context)
  // Then the source, one input after the other: read, map, diff, plan, apply, remember.
  const { ready, unmoved, reports, cursor } = await waitingInputs(context, wait)
  if (cursor !== undefined) await context.state.moveCursor(context.pipeline.name, cursor)
  logUnread(reports, context)
  done.push(...reports, ...(await moveUnmoved(unmoved, context)))
  for (const [index, input] of ready.entries()) {
    if (isStopped(context)) break
    const which = { input, isLast: input === ready.at(-1), number: index + 1, files: ready.length }
    const report = await runInput(which, customFields, context)
    done.push(report)
    if (isBeforeOthers(report)) break
  }
  // What was corrected, and none of the files has brought.
  for await (const { staged, counts, judged } of planCorrections(customFields, context)) {
    context.tally.add(counts)
    await applyPlan(context)
    if (isStopped(context)) break
    await context.state.endInput(staged, { as: 'processed' })
    if (judged.hold !== undefined)
      done.push({ ...heldReport(staged.input, judged.hold.reason), hint: releaseHint(context.runId, judged) })
  }
  // After the files: what is newer about a change goes before what was held and released.
  if ((await takeReleased(context)) > 0) await correctReports(done, context)
  await applyPlan(context)
  // What a brake lets go of what the files have asked for.
  for await (const { staged, counts } of planBrakes(context)) {
    context.tally.add(counts)
    await applyPlan(context)
    if (isStopped(context)) break
    await context.state.endInput(staged, { as: 'processed' })
  }
  done.push(...(await brakeReports(context)))
  // No contact is read twice in a run.
  const before = isAsked ? started : started - context.pipeline.recheck
  if (!isStopped(context)) context.tally.counts.read += await recheckEdits(before, context)
  await applyPlan(context)
  // Doubts may be settled by now, and what waited behind them may go.
  await settleDoubts(context)
  await resumeWaiting(context)
  await applyPlan(context)
}

const ENDED = 'the run was stopped before it was complete; the next one continues from here'

function errorText(context: RunContext, files: readonly InputReport[]): string | undefined {
  const stop = context.circuit.stop?.message ?? (context.signal.aborted ? ENDED : undefined)
  const all = [...(stop === undefined ? [] : [stop]), ...files.flatMap(({ error }) => error ?? [])]
  return all.length === 0 ? undefined : all.join('; ')
}

/**
 * Runs one pipeline once. Never throws for what a source or the service does; throws what is a fault of this
 * program or of the state (SyncError STATE_*, RUN_UNBALANCED). `wait`: lets growing files settle first.
 */
export const runPipeline = (
  context: RunContext,
  { wait, isAsked = wait }: { wait: boolean; isAsked?: boolean },
): Promise<PipelineResult> => accountFor(context, (files) => runSteps(context, { wait, isAsked }, files))

/** Does the work of a run between its first and its last entry in the state: what is counted must add up. */
export async function accountFor(
  context: RunContext,
  work: (files: InputReport[]) => Promise<void>,
): Promise<PipelineResult> {
  const { clock, pipeline, runId, state, tally } = context
  const started = clock.monotonic()
  await state.beginRun({
    id: runId,
    pipeline: pipeline.name,
    startedAt: clock.now(),
    configHash: pipeline.hash,
  })
  await state.keepMapping(pipeline.hash, () => mappingText(pipeline))
  const files: InputReport[] = []
  await work(files).catch((error: unknown) => haltFor(error, context))
  tally.noteLeft(await state.countRemaining(runId), await state.remainingOf(runId, tally.givenKeys()))
  assertBalanced(tally.counts)
  const { stop } = context.circuit
  const isOverTime = stop?.code === 'MAX_DURATION'
  const isPaused = isOperatorStop(stop)
  const status = runStatus(tally.counts, {
    fatal: isStopped(context) && !isOverTime && !isPaused,
    isPaused,
    isOverTime,
    ...reportTotals(files),
    termsUnused: context.terms.folded.size,
    deletesFailed: tally.deletesFailed,
  })
  const error = errorText(context, files)
  await state.endRun(runId, {
    endedAt: clock.now(),
    status,
    counts: tally.counts,
    notSent: notSentCounts(tally),
    error,
    code: stop?.code,
    drift: tally.drift,
    files: files.filter(hasArrived).length,
    refused: files.filter(wasNotTaken).length,
    refusedFile: files.find(isBeforeOthers) ?? files.find(wasNotTaken),
    figures: { requests: context.session.counts.requests, fileMs: tally.fileMs },
  })
  return {
    pipeline: pipeline.name,
    run_id: runId,
    status,
    ...tally.counts,
    ...context.session.counts,
    ...notSentCounts(tally),
    ...(tally.deletesFailed === 0 ? {} : { deletes_failed: tally.deletesFailed }),
    duration_ms: Math.round(clock.monotonic() - started),
    drift: tally.drift,
    files,
    ...(error === undefined ? {} : { error }),
    ...(stop === undefined ? {} : { code: stop.code }),
  }
}
