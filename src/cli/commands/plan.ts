// `plan`: what a run would change; with --json one document, written as it comes.
import { preview } from '../../app/run/preview.ts'
import { renamedNotes } from '../../app/run/renamed.ts'
import { pauseNotes } from '../../app/decisions/pausing.ts'
import { outputFile } from '../../app/output-file.ts'
import { systemClock as clock } from '../../system.ts'
import type { Plan } from '../../core/change/plan/plan.ts'
import type { PlannedChange } from '../../core/change/plan/planned-change.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { exitCode } from '../../core/outcome/summary.ts'
import { configFile } from '../config-file.ts'
import { type CommonOptions, type Io, printError } from '../io.ts'
import { planFiles, type PlanFiles } from '../plan/plan-files.ts'
import { jsonOutput, type PlanOutput, type ShownChanges, textOutput } from '../plan/plan-output.ts'
import { createProgress } from '../progress.ts'
import { chosenPipelines, commandSettings, warnOfOlderState } from '../settings.ts'
import { sharedFieldWarnings } from '../shared-fields-text.ts'
import { planLog } from './quiet-log.ts'

interface PlanCommandOptions extends CommonOptions, ShownChanges, PlanFiles {
  /** Asks the service nothing. */
  readonly offline?: boolean
}

/** Waits for a slow reader, so that a plan of a million changes does not pile up in memory; not for one that has gone. */
export async function drained({ stdout }: Io): Promise<void> {
  if (!stdout.writableNeedDrain) return
  await new Promise<void>((resolve) => {
    const goOn = (): void => {
      stdout.off('drain', goOn).off('error', goOn)
      resolve()
    }
    stdout.on('drain', goOn).on('error', goOn)
  })
}

/** Passes on the changes that were asked for. */
function chosenChanges(output: PlanOutput, key: string | undefined): (change: PlannedChange) => void {
  let shown = 0
  return (change) => {
    if (shown >= output.most || (key !== undefined && change.key !== key)) return
    shown += 1
    output.change(change)
  }
}

interface Work {
  readonly io: Io
  readonly settings: Settings
  readonly key: string | undefined
  readonly isOffline: boolean
  readonly outputs: readonly PlanOutput[]
}

async function planOne(
  pipeline: PipelineSettings,
  { io, settings, key, isOffline, outputs }: Work,
): Promise<Plan> {
  const log = planLog(io, settings)
  const progress = createProgress(pipeline.name, io, clock)
  const changes = preview(settings, pipeline, {
    wait: true,
    isOffline,
    key,
    signal: io.signal,
    report: (report) => progress.report(report),
    log,
  })
  const listeners = outputs.map((output) => chosenChanges(output, key))
  outputs.forEach((output) => output.begin(pipeline.name))
  try {
    for (;;) {
      const { done, value } = await changes.next()
      if (done === true) {
        progress.clear()
        outputs.forEach((output) => output.end(value))
        return value
      }
      listeners.forEach((show) => show(value))
      await drained(io)
    }
  } finally {
    await log.close()
  }
}

export async function plan(io: Io, options: PlanCommandOptions, names: string[]): Promise<number> {
  const isOffline = options.offline === true
  const leniency = isOffline ? ({ withoutSecrets: 'all_but_sources' } as const) : {}
  const settings = await commandSettings(io, options, leniency)
  warnOfOlderState(io, settings)
  const pipelines = chosenPipelines(settings, names)
  const planned = pipelines.map(({ name }) => name)
  for (const warning of sharedFieldWarnings(settings, planned)) printError(io, warning)
  const notes = [...(await pauseNotes(settings, planned)), ...(await renamedNotes(settings, planned))]
  for (const note of notes) printError(io, note)
  const { key } = options
  const shown = options.json === true ? jsonOutput(io, options) : textOutput(io, options, pipelines.length)
  const pathOf = (name: string): string =>
    outputFile(name, {
      ...{ cwd: io.cwd, settings, configurations: [configFile(io, options)] },
      json: options.json,
    })
  const outputs = [shown, ...planFiles(io, options, { ...options, pipelines, pathOf })]
  const plans: Plan[] = []
  for (const pipeline of pipelines)
    plans.push(await planOne(pipeline, { io, settings, key, isOffline, outputs }))
  for (const output of outputs) await output.finish()
  return exitCode(plans)
}
