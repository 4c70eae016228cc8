// `run` and `rejects retry`: the pipelines once, now, one after the other, and what became of every record. Beside a daemon it
// makes the runs, and this command shows them.
import { ownOrAsk } from '../../app/decisions/deciding.ts'
import { openDesk } from '../../app/decisions/desk-server.ts'
import { resumeDecisions } from '../../app/decisions/taking.ts'
import type { WithWarnings } from '../../app/run/run.ts'
import { openRunner, type Runner } from '../../app/run/runner.ts'
import { openTracing } from '../../app/run/tracing.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { systemClock as clock } from '../../system.ts'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { LogHead } from '../../core/log/sync-log.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import { exitCode, isCutOff, type RunStatus, worstStatus } from '../../core/outcome/summary.ts'
import type { ProgressReport } from '../../core/outcome/run-progress.ts'
import { decidedBy, type DecidingOptions } from '../decided-by.ts'
import { askingOf } from '../deciding.ts'
import { type Io, print, printError, printJson } from '../io.ts'
import { headText } from '../log-text.ts'
import { createProgress } from '../progress.ts'
import { chosenPipelines, commandSettings } from '../settings.ts'
import { resultLines } from '../summary.ts'
import { VERSION } from '../../installation.ts'
import { quietLog } from './quiet-log.ts'

interface Kind {
  readonly io: Io
  readonly rejectsOnly: boolean
}

interface Work extends Kind {
  readonly options: DecidingOptions
  readonly settings: Settings
  readonly decided: DecidedBy
}

/** Entered with the run. Without a name and a reason its own entries are all. */
const signed = ({ options, decided, rejectsOnly }: Work): DecidedBy | undefined => {
  const { by, as, reason, note } = options
  return rejectsOnly || (by ?? as ?? reason ?? note) !== undefined ? decided : undefined
}

async function runOne(runner: Runner, pipeline: PipelineSettings, work: Work & { halting: AbortSignal }) {
  const { io, rejectsOnly, halting } = work
  const progress = createProgress(pipeline.name, io, clock)
  try {
    return await runner.run(pipeline, {
      wait: true,
      rejectsOnly,
      signal: io.signal,
      decided: signed(work),
      halting,
      report: (report) => progress.report(report),
    })
  } finally {
    progress.clear()
  }
}

export const run = (io: Io, options: DecidingOptions, names: string[]): Promise<number> =>
  runAll({ io, rejectsOnly: false }, options, names)

/** `rejects retry`: a run that reads the rejected records again, under the mapping of today. */
export const retryRejects = (io: Io, options: DecidingOptions, names: string[]): Promise<number> =>
  runAll({ io, rejectsOnly: true }, options, names)

function printResult(result: WithWarnings, { io, options }: Work): void {
  if (options.json !== true) print(io, resultLines(result))
  for (const warning of result.warnings) printError(io, `warning: ${warning}`)
}

/** A run that a signal kept from beginning has no result of its own to say so. */
function whatWasRun(results: readonly WithWarnings[], pipelines: readonly PipelineSettings[]): Beside {
  const rest = pipelines.slice(results.length).map(({ name }) => name)
  return rest.length === 0 ? { results } : { results, cut: `ended by a signal; not run: ${rest.join(', ')}` }
}

/** By this process, which takes decisions of other commands meanwhile. Throws STATE_LOCKED where another one has the state. */
async function runHere(pipelines: readonly PipelineSettings[], work: Work): Promise<readonly WithWarnings[]> {
  const { io, settings } = work
  const log = quietLog(io, settings)
  const tracing = await openTracing(io.env, { clock, log, version: VERSION })
  try {
    const runner = openRunner(settings, { log, pid: io.pid, thorough: false, watcher: tracing.watcher })
    try {
      return await runOwned(runner, pipelines, work)
    } finally {
      await runner.close()
    }
  } finally {
    await tracing.close()
    await log.close()
  }
}

async function runOwned(runner: Runner, pipelines: readonly PipelineSettings[], work: Work) {
  const { io, settings } = work
  const results: WithWarnings[] = []
  let active: { name: string; halting: AbortController; ended: Promise<unknown> } | undefined
  const owner = {
    settings: () => settings,
    state: runner.state,
    signal: io.signal,
    async halt(names: readonly string[], reason: string) {
      if (active === undefined || !names.includes(active.name)) return
      active.halting.abort(reason)
      await active.ended.catch(() => undefined)
    },
  }
  await resumeDecisions(owner, runner.log)
  const desk = await openDesk(owner, runner.log)
  try {
    for (const pipeline of pipelines) {
      if (io.signal.aborted) break
      const halting = new AbortController()
      const ended = runOne(runner, pipeline, { ...work, halting: halting.signal })
      active = { name: pipeline.name, halting, ended }
      const result = await ended
      results.push(result)
      printResult(result, work)
    }
    active = undefined
    // Without receivers nothing of it is loaded.
    if (settings.alerts.length > 0) {
      const { tellOfRuns } = await import('../../app/alerting/alert-commands.ts')
      await tellOfRuns(settings, runner, { results, signal: io.signal })
    }
  } finally {
    await desk.close()
  }
  return results
}

interface Beside {
  readonly results: readonly WithWarnings[]
  /** Why some runs were not made, or not followed to their end. */
  readonly cut?: string
}

/** The rest is not run either: an operator who ends a daemon wants no more requests. */
const withRest = (why: string, rest: readonly PipelineSettings[]): string =>
  rest.length === 0 ? why : `${why}; not run: ${rest.map(({ name }) => name).join(', ')}`

const ofEndedOwner = (name: string): string =>
  `the process that has the state was stopped during the run of ${name}; its next run continues from here`

const ofEndingOwner = (name: string): string =>
  `the process that has the state was stopped before the run of ${name}, which was not made`

/** By the process that has the state, one after the other; by this one as soon as that has ended. */
async function runBeside(pipelines: readonly PipelineSettings[], work: Work): Promise<Beside> {
  const { io, settings, decided, rejectsOnly } = work
  const results: WithWarnings[] = []
  const isPrinted = new Set<WithWarnings>()
  for (const [index, pipeline] of pipelines.entries()) {
    const rest = pipelines.slice(index + 1)
    const progress = createProgress(pipeline.name, io, clock)
    const show = (event: unknown): void =>
      progress.report((event as { report: Partial<ProgressReport> }).report)
    const deciding = { kind: 'run', args: { pipeline: pipeline.name, rejectsOnly }, decided } as const
    const asked = { settings, deciding, isConfirmed: true }
    try {
      const { result } = await ownOrAsk(asked, { ...askingOf(io), show }, async () => {
        const [result] = await runHere([pipeline], work)
        if (result === undefined) throw new Error('the run has no result')
        isPrinted.add(result)
        return { result, left: [] }
      })
      progress.clear()
      results.push(result)
      if (isPrinted.has(result)) continue
      printResult(result, work)
      if (isCutOff(result)) return { results, cut: withRest(ofEndedOwner(pipeline.name), rest) }
    } catch (error) {
      progress.clear()
      if (error instanceof SyncError && error.code === 'DAEMON_ENDING')
        return { results, cut: withRest(ofEndingOwner(pipeline.name), rest) }
      if (!io.signal.aborted) throw error
      const cut = `the run of ${pipeline.name} continues in the process that has the state: contact-sync status`
      return { results, cut }
    }
  }
  return { results }
}

async function headOf({ state: place }: Settings): Promise<LogHead> {
  const state = openStateForReading(place)
  try {
    return (await state?.logHead()) ?? { entries: 0, hash: '' }
  } finally {
    await state?.close()
  }
}

async function runAll(kind: Kind, options: DecidingOptions, names: string[]): Promise<number> {
  const { io } = kind
  const settings = await commandSettings(io, options)
  const pipelines = chosenPipelines(settings, names)
  const work: Work = { ...kind, options, settings, decided: await decidedBy(io, options, settings) }
  const made = runHere(pipelines, work).then((results) => whatWasRun(results, pipelines))
  const { results, cut } = await made.catch((error: unknown) => {
    if (error instanceof SyncError && error.code === 'STATE_LOCKED') return runBeside(pipelines, work)
    throw error
  })
  if (cut !== undefined) printError(io, cut)
  const head = await headOf(settings)
  const status: RunStatus = cut === undefined ? worstStatus(results.map((result) => result.status)) : 'failed'
  const error = cut === undefined ? {} : { error: cut }
  if (options.json === true) printJson(io, { status, pipelines: results, ...error, audit: head })
  else print(io, headText(head))
  return cut === undefined ? exitCode(results) : EXIT.terminated
}
