// The plan at the end of `init`: what a run of the samples would do. A service that cannot be asked is no failure of `init`.
import { planSamples } from '../../app/init/trying.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { SyncError } from '../../core/words/errors.ts'
import { systemClock as clock } from '../../system.ts'
import { planLog } from '../commands/quiet-log.ts'
import { type Io, print, printError } from '../io.ts'
import { textOutput } from '../plan/plan-output.ts'
import { createProgress } from '../progress.ts'

interface Planned {
  readonly pipeline: PipelineSettings
  readonly files: readonly string[]
}

/** Prints the plan of the samples, or why there is none. */
export async function planLines(io: Io, settings: Settings, { pipeline, files }: Planned): Promise<void> {
  const log = planLog(io, settings)
  const progress = createProgress(pipeline.name, io, clock)
  const output = textOutput(io, {}, 1)
  try {
    const plan = await planSamples(settings, pipeline, {
      files,
      log,
      signal: io.signal,
      report: (report) => progress.report(report),
      change: (change) => output.change(change),
    })
    progress.clear()
    print(io, '')
    output.begin(pipeline.name)
    output.end(plan)
  } catch (error) {
    progress.clear()
    if (!(error instanceof SyncError)) throw error
    printError(io, [`No plan of the samples: ${error.message}`, error.hint])
  } finally {
    await log.close()
  }
}
