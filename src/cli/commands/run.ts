// `run` and `rejects retry`: the pipelines once, now, one after the other, and what became of every record.
import { createLog } from '../../log/log.ts'
import { openRunner, type Runner } from '../../app/run/runner.ts'
import { openTracing } from '../../app/run/tracing.ts'
import { systemClock as clock } from '../../system.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { LogHead } from '../../core/log/sync-log.ts'
import { exitCode, type RunStatus, worstStatus } from '../../core/outcome/summary.ts'
import type { PipelineResult } from '../../sync/run.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { headText } from '../log-text.ts'
import { createProgress } from '../progress.ts'
import { chosenPipelines, commandSettings } from '../settings.ts'
import { resultLines } from '../summary.ts'
import { VERSION } from '../../installation.ts'

/** A one-shot command has its summary; standard error says only what went wrong, the log file has everything. */
export const quietLog = (io: Io, { log, secrets }: Settings): ReturnType<typeof createLog> =>
  createLog(log, { secrets, stream: io.stderr, consoleLevel: log.level === 'debug' ? 'debug' : 'error' })

/** A plan leaves no trace, in the log's folder neither. */
export const planLog = (io: Io, settings: Settings): ReturnType<typeof createLog> =>
  quietLog(io, { ...settings, log: { ...settings.log, folder: undefined } })

async function runOne(runner: Runner, pipeline: PipelineSettings, { io, rejectsOnly }: Kind) {
  const progress = createProgress(pipeline.name, io, clock)
  try {
    return await runner.run(pipeline, {
      wait: true,
      rejectsOnly,
      signal: io.signal,
      report: (report) => progress.report(report),
    })
  } finally {
    progress.clear()
  }
}

interface Kind {
  readonly io: Io
  readonly rejectsOnly: boolean
}

export const run = (io: Io, options: CommonOptions, names: string[]): Promise<number> =>
  runAll({ io, rejectsOnly: false }, options, names)

/** `rejects retry`: a run that reads the rejected records again, under the mapping of today. */
export const retryRejects = (io: Io, options: CommonOptions, names: string[]): Promise<number> =>
  runAll({ io, rejectsOnly: true }, options, names)

async function runAll(kind: Kind, options: CommonOptions, names: string[]): Promise<number> {
  const { io } = kind
  const settings = await commandSettings(io, options)
  const pipelines = chosenPipelines(settings, names)
  const log = quietLog(io, settings)
  const tracing = await openTracing(io.env, { clock, log, version: VERSION })
  const { watcher } = tracing
  const runner = openRunner(settings, { log, pid: io.pid, thorough: false, watcher })
  const results: PipelineResult[] = []
  let head: LogHead
  try {
    for (const pipeline of pipelines) {
      if (io.signal.aborted) break
      const result = await runOne(runner, pipeline, kind)
      results.push(result)
      if (options.json !== true) print(io, resultLines(result))
      for (const warning of result.warnings) printError(io, `warning: ${warning}`)
    }
    // Without receivers nothing of it is loaded.
    if (settings.alerts.length > 0) {
      const { tellOfRuns } = await import('../../app/alerting/alert-commands.ts')
      await tellOfRuns(settings, runner, { results, signal: io.signal })
    }
    head = await runner.state.logHead()
  } finally {
    await runner.close()
    await tracing.close()
    await log.close()
  }
  const status: RunStatus = worstStatus(results.map((result) => result.status))
  if (options.json === true) printJson(io, { status, pipelines: results, audit: head })
  else print(io, headText(head))
  return exitCode(results)
}
