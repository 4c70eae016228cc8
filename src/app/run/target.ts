// The end of a pipe: what comes through it goes through the pipeline, input by input, and a STATE is given out when every
// record before it has its outcome. The proof is the cursor, which moves in the transaction that ends the input.
import { join } from 'node:path'
import type { Clock } from '../../core/ports.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { spool } from '../../sources/pull/spool.ts'
import { createSource } from '../../sources/registry.ts'
import {
  createTargetStream,
  type TargetBatch,
  type TargetCursor,
} from '../../sources/singer/target-stream.ts'
import type { KeptCursor } from '../../core/cursor.ts'
import { acquireLock, type Lock } from '../../store/file/lock.ts'
import type { RunOptions, WithWarnings } from './run.ts'
import { singerSource } from './singer.ts'

/** Makes the runs of a pipe. */
export interface FeedingRunner {
  /** Another process has the state or shares it, and may make a run of the pipeline at any time. */
  readonly isBeside: boolean
  run(pipeline: PipelineSettings, options: RunOptions): Promise<WithWarnings>
  cursor(pipeline: string): Promise<KeptCursor | undefined>
}

interface TargetParts {
  readonly pipeline: PipelineSettings
  readonly runner: FeedingRunner
  readonly input: AsyncIterable<Buffer>
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Values as JSON, in order. */
  onStates(states: readonly string[]): void
  onResult(result: WithWarnings): void
  onWarning(text: string): void
}

export interface TargetEnd {
  /** Why it ended before its end: a line that is no message, or records without an outcome. */
  readonly problem?: SyncError | undefined
}

/** Records have no outcome: by the end of this process, or because the run could not continue. */
const endedBy = ({ signal, runner: { isBeside } }: TargetParts): TargetEnd => ({
  problem: signal.aborted
    ? undefined
    : new SyncError('SOURCE_FAILED', 'records have no outcome yet: their STATE was not given out', {
        hint: `Nothing is lost: they wait in the spool folder, and the next run takes them; or the tap sends them again.${isBeside ? ' Where several workers share the state, start target on the machine of the one that runs the pipeline.' : ''}`,
      }),
})

async function isWaiting({ pipeline, clock }: TargetParts): Promise<boolean> {
  const { ready } = await createSource(pipeline.source, { clock }).list({ wait: false })
  return ready.length > 0
}

async function runOnce({ pipeline, runner, signal, onResult }: TargetParts): Promise<void> {
  onResult(await runner.run(pipeline, { wait: true, signal, report: () => undefined }))
}

const isOf = (cursor: unknown, mark: string): boolean =>
  typeof cursor === 'object' && cursor !== null && (cursor as Partial<TargetCursor>).mark === mark

async function hasOutcomes(batch: TargetBatch, { pipeline, runner }: TargetParts): Promise<boolean> {
  const mark = batch.mark()
  // Without a STATE there is nothing to prove.
  if (mark === undefined) return true
  const kept = await runner.cursor(pipeline.name)
  return isOf(kept?.value, mark)
}

/** Throws what ended a batch that brought nothing. */
async function spoolBatch(batch: TargetBatch, parts: TargetParts): Promise<void> {
  const { pipeline, runner, clock, signal } = parts
  const { folder, options } = singerSource(pipeline)
  const isFull = pipeline.mode === 'full'
  const cursor = isFull ? undefined : await runner.cursor(pipeline.name)
  await spool({
    ...{ folder, clock, signal, fetcher: batch.fetcher, mostRecords: options.max_records },
    order: { cursor, isFull, tell: parts.onWarning },
  })
}

/** One pipe for a pipeline at a time: the spool folder is emptied before it is filled. Throws STATE_LOCKED. */
function lockSpool({ name }: PipelineSettings, folder: string): Lock {
  try {
    return acquireLock(join(folder, '.target'))
  } catch (error) {
    if (!(error instanceof SyncError && error.code === 'STATE_LOCKED')) throw error
    throw new SyncError('STATE_LOCKED', `another target feeds the pipeline ${name}`, {
      hint: 'Wait for its end; two pipes for one pipeline need two pipelines.',
      cause: error,
    })
  }
}

/** Reads the input to its end. Throws USAGE for a pipeline that is not fed so, STATE_LOCKED, and faults of the state. */
export async function runTarget(parts: TargetParts): Promise<TargetEnd> {
  const { pipeline } = parts
  const { options, folder } = singerSource(pipeline)
  const { command } = options
  if (command !== undefined)
    throw new SyncError(
      'USAGE',
      `the source of ${pipeline.name} has a command: contact-sync runs the tap itself`,
      {
        hint: 'Remove source.command to feed the pipeline through a pipe.',
      },
    )
  const lock = lockSpool(pipeline, folder)
  try {
    return await feed(parts, options.stream)
  } finally {
    lock.release()
  }
}

async function feed(parts: TargetParts, stream: string): Promise<TargetEnd> {
  const { pipeline, input, clock, signal, runner } = parts
  // What an earlier target spooled and could not finish; nothing may be spooled beside it.
  if (await isWaiting(parts)) await runOnce(parts)
  if (await isWaiting(parts)) return endedBy(parts)
  const messages = createTargetStream(input, { stream, isFull: pipeline.mode === 'full', clock, signal })
  while (!messages.isOver()) {
    const batch = messages.next()
    await spoolBatch(batch, parts).catch((error: unknown) => {
      if (error !== messages.problem()) throw error
    })
    // Another process may have archived the input and not ended it yet: a run of ours comes after that.
    if ((runner.isBeside && batch.records() > 0) || (await isWaiting(parts))) await runOnce(parts)
    if (batch.records() > 0 && !(await hasOutcomes(batch, parts))) return endedBy(parts)
    parts.onStates(batch.states())
  }
  return { problem: messages.problem() }
}
