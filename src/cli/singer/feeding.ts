// What `target` makes its runs with: a runner of its own, or, where another process has the state or the pipeline, the runs of
// that one.
import { ownOrAsk } from '../../app/decisions/deciding.ts'
import type { WithWarnings } from '../../app/run/run.ts'
import type { FeedingRunner } from '../../app/run/target.ts'
import { openRunner, type Runner } from '../../app/run/runner.ts'
import { isDaemon } from '../../core/fleet.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { systemUser } from '../../system.ts'
import { quietLog } from '../commands/quiet-log.ts'
import { askingOf } from '../deciding.ts'
import type { Io } from '../io.ts'

/** `own`: the runner of this process, where no other one tells of runs. */
type Feeding = { readonly runner: FeedingRunner; readonly own: Runner | undefined }

async function cursorIn({ state: place }: Settings, pipeline: string) {
  const state = openStateForReading(place)
  try {
    return await state?.cursor(pipeline)
  } finally {
    await state?.close()
  }
}

/** By `own`; where another process has the state, or the pipeline, by that one. */
async function ownRunOrAsk(
  { io, settings }: { io: Io; settings: Settings },
  pipeline: PipelineSettings,
  own: () => Promise<WithWarnings>,
): Promise<WithWarnings> {
  const args = { pipeline: pipeline.name, rejectsOnly: false }
  const deciding = { kind: 'run', args, decided: { by: systemUser() } } as const
  const asked = { settings, deciding, isConfirmed: true }
  const { result } = await ownOrAsk(asked, { ...askingOf(io), show: () => undefined }, async () => ({
    result: await own(),
    left: [],
  }))
  return result
}

/** The process that has the state makes the runs; this one as soon as that has ended. */
function runnerBeside(io: Io, settings: Settings): FeedingRunner {
  return {
    isBeside: true,
    cursor: (pipeline) => cursorIn(settings, pipeline),
    run: (pipeline, options) =>
      ownRunOrAsk({ io, settings }, pipeline, () =>
        withOwn(io, settings, (own) => own.run(pipeline, options)),
      ),
  }
}

async function withOwn<T>(io: Io, settings: Settings, work: (own: Runner) => Promise<T>): Promise<T> {
  const log = quietLog(io, settings)
  try {
    const own = openRunner(settings, { log, pid: io.pid, thorough: false })
    try {
      return await work(own)
    } finally {
      await own.close()
    }
  } finally {
    await log.close()
  }
}

/** Does the work with the state, or beside the process that has it. */
export async function whileFeeding<T>(
  io: Io,
  settings: Settings,
  work: (feeding: Feeding) => Promise<T>,
): Promise<T> {
  const begun = { is: false }
  try {
    return await withOwn(io, settings, async (own) => {
      begun.is = true
      const { fleet } = own.state
      const workers = (await fleet?.standing())?.workers ?? []
      const runner: FeedingRunner = {
        isBeside: fleet !== undefined,
        cursor: (pipeline) => own.state.cursor(pipeline),
        run: (pipeline, options) => ownRunOrAsk({ io, settings }, pipeline, () => own.run(pipeline, options)),
      }
      return work({ runner, own: workers.some(isDaemon) ? undefined : own })
    })
  } catch (error) {
    if (begun.is || !(error instanceof SyncError && error.code === 'STATE_LOCKED')) throw error
    return work({ runner: runnerBeside(io, settings), own: undefined })
  }
}
