// What becomes of an input once it is done with: its rejects, then the move. One that cannot be moved stays where it is; later
// runs only move it. If they read it again, its older values would be sent after those of newer files.
import { inputError, type SyncError } from '../core/words/errors.ts'
import type { Source, SourceInput } from '../core/ports.ts'
import type { Unmoved } from '../core/run-state.ts'
import type { InputReport } from '../core/outcome/summary.ts'
import type { PlanContext, RunContext } from './context.ts'
import { EMPTY_FULL, emptyFullReport, refusal, refusedReport } from './input-reports.ts'
import { leavingOut, withoutErased } from './plan/records/erased.ts'
import { logEnd } from './plan/file-log.ts'
import type { PlannedInput } from './plan/read.ts'

/** What became of one file, and whether it was moved to this folder: a version that was replaced meanwhile is not. */
export interface FileEnd {
  readonly report: InputReport
  readonly folder: 'processed' | 'failed'
  readonly isArchived: boolean
}

/** An input that cannot be taken as it is goes to `failed`, with the reason. */
export async function refuseInput(
  input: SourceInput,
  cause: SyncError,
  context: PlanContext,
): Promise<FileEnd> {
  const error = await withoutErased(cause, context)
  const report = refusal(input, error)
  const ended = { report, folder: 'failed', isArchived: false } as const
  context.log.warn('file rejected', { file: input.name, code: error.code, detail: error.message })
  if (report.status === 'left') return ended
  const reason = `${report.error ?? ''}\n${error.hint}\n`
  let isArchived: boolean
  try {
    const erased = await leavingOut(context)
    const to = { folder: 'failed', runId: context.runId, reason, leaveOut: erased?.sought } as const
    isArchived = await context.source.archive(input, to)
    // Where it stays, it is not read again.
    if (isArchived) await context.state.endReading(context.pipeline.name, input.version)
    await erased?.note()
  } catch (failure) {
    // It cannot even be moved: it stays, and the other files continue.
    const known = inputError(failure)
    if (known === undefined) throw failure
    return { ...ended, report: refusal(input, known) }
  }
  return { ...ended, report: refusedReport(input, error, context), isArchived }
}

/** The same items; undefined where there are none. */
async function withFirst<T>(items: AsyncIterable<T>): Promise<AsyncIterable<T> | undefined> {
  const iterator = items[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done === true) return undefined
  return (async function* () {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
}

interface Move {
  readonly isArchived: boolean
  /** Why it stays where it is, where the next run may move it. */
  readonly failure?: SyncError
  readonly hasRejects: boolean
  /** Enters who was left out of the archived file. */
  note?(): Promise<void>
}

/** Rejects first, then the move: a file that has left the inbox has everything that belongs to it beside it. */
async function move(input: SourceInput, done: Unmoved, context: RunContext): Promise<Move> {
  const { staged, folder, sha256 } = done
  const to = { folder, runId: staged.runId, sha256 } as const
  let { hasRejects } = done
  try {
    const rejects = hasRejects ? undefined : await withFirst(context.state.rejectsOfInput(staged))
    if (rejects !== undefined) await context.source.writeRejects(input, to, staged.header, rejects)
    hasRejects = true
    const erased = await leavingOut(context)
    const isArchived = await context.source.archive(input, {
      ...to,
      leaveOut: erased?.sought,
      ...(folder === 'failed' ? { reason: `${EMPTY_FULL}\n` } : {}),
    })
    return { isArchived, hasRejects, ...(erased === undefined ? {} : { note: () => erased.note() }) }
  } catch (error) {
    const failure = inputError(error)
    if (failure?.class !== 'later') throw error
    return { isArchived: false, hasRejects, failure }
  }
}

/** Ends an input whose changes are sent, or wait for someone. */
export async function finishInput(
  { staged, sha256, accepted, isEmptyFull: isHeld, blocks }: PlannedInput,
  context: RunContext,
): Promise<FileEnd> {
  const { input } = staged
  const folder = isHeld ? 'failed' : 'processed'
  const moved = await move(input, { staged, folder, sha256, hasRejects: false }, context)
  const { failure, isArchived, hasRejects } = moved
  const unmoved = failure === undefined ? undefined : { sha256, hasRejects }
  await context.state.endInput(staged, { as: folder, accepted, unmoved })
  if (blocks !== undefined) await context.state.keepBlocks(staged, blocks)
  await moved.note?.()
  if (failure !== undefined) return { report: refusal(input, failure), folder, isArchived }
  const report: InputReport = isHeld ? emptyFullReport(input) : { file: input.name, status: 'done' }
  return { report, folder, isArchived }
}

/** An input that an earlier run has done with, and could not move, as it is listed now. */
interface Remaining {
  readonly input: SourceInput
  readonly done: Unmoved
}

type Listed = Pick<Awaited<ReturnType<Source['list']>>, 'ready' | 'unsettled'>

/** Of what is listed, what is to be read and what is only to be moved. Another version of it is to be read. */
export async function withoutUnmoved(
  { ready, unsettled }: Listed,
  { state, source, pipeline }: PlanContext,
): Promise<{ ready: readonly SourceInput[]; unmoved: readonly Remaining[] }> {
  const unmoved: Remaining[] = []
  for (const done of await state.unmovedInputs(pipeline.name)) {
    const { input: was } = done.staged
    const input = ready.find(({ name }) => name === was.name)
    const isSame = input?.version === was.version || (input !== undefined && (await source.isWaiting(was)))
    if (input !== undefined && isSame) unmoved.push({ input, done })
    else if (input !== undefined || unsettled === 0) await state.endUnmoved(done.staged)
  }
  const left = new Set(unmoved.map(({ input }) => input))
  return { ready: ready.filter((input) => !left.has(input)), unmoved }
}

/** Moves what earlier runs could not, under the names that those would have given. */
export async function moveUnmoved(
  unmoved: readonly Remaining[],
  context: RunContext,
): Promise<readonly InputReport[]> {
  const reports: InputReport[] = []
  for (const { input, done } of unmoved) {
    const { staged, folder, sha256 } = done
    const { isArchived, failure, hasRejects, note } = await move(input, done, context)
    const report =
      failure === undefined ? { file: input.name, status: 'done' as const } : refusal(input, failure)
    if (failure === undefined) await context.state.endUnmoved(staged)
    // Rejects are written once, however often the move fails.
    else await context.state.endInput(staged, { as: folder, unmoved: { sha256, hasRejects } })
    await note?.()
    logEnd({ report, folder, isArchived }, context.log)
    reports.push(report)
  }
  return reports
}
