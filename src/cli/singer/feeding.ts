// What `target` makes its runs with: a runner of its own, or, where another process has the state, the runs of that one.
import { ownOrAsk } from '../../app/decisions/deciding.ts'
import type { FeedingRunner } from '../../app/run/target.ts'
import { openRunner, type Runner } from '../../app/run/runner.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Settings } from '../../core/settings.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { systemUser } from '../../system.ts'
import { quietLog } from '../commands/quiet-log.ts'
import { askingOf } from '../deciding.ts'
import type { Io } from '../io.ts'

/** `own`: the runner of this process, where it has the state. */
type Feeding = { readonly runner: FeedingRunner; readonly own: Runner | undefined }

async function cursorIn({ state: place }: Settings, pipeline: string) {
  const state = openStateForReading(place)
  try {
    return await state?.cursor(pipeline)
  } finally {
    await state?.close()
  }
}

/** The process that has the state makes the runs; this one as soon as that has ended. */
function runnerBeside(io: Io, settings: Settings): FeedingRunner {
  return {
    isBeside: true,
    cursor: (pipeline) => cursorIn(settings, pipeline),
    async run(pipeline, options) {
      const args = { pipeline: pipeline.name, rejectsOnly: false }
      const deciding = { kind: 'run', args, decided: { by: systemUser() } } as const
      const asked = { settings, deciding, isConfirmed: true }
      const { result } = await ownOrAsk(asked, { ...askingOf(io), show: () => undefined }, () =>
        withOwn(io, settings, async (own) => ({ result: await own.run(pipeline, options), left: [] })),
      )
      return result
    },
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
    return await withOwn(io, settings, (own) => {
      begun.is = true
      const runner: FeedingRunner = {
        isBeside: false,
        cursor: (pipeline) => own.state.cursor(pipeline),
        run: (pipeline, options) => own.run(pipeline, options),
      }
      return work({ runner, own })
    })
  } catch (error) {
    if (begun.is || !(error instanceof SyncError && error.code === 'STATE_LOCKED')) throw error
    return work({ runner: runnerBeside(io, settings), own: undefined })
  }
}
