// The composition root: the one file that knows every room and ties them together.
// No decision is made here, and nothing is done at import.
import { fileURLToPath } from 'node:url'
import { loadSettings, problemText } from './config/load.ts'
import { createCircuit } from './core/circuit.ts'
import type { startDaemon as StartDaemon } from './daemon.ts'
import type { releaseHeld as ReleaseHeld, Resolved, Verdict } from './decisions.ts'
import { compileCondition } from './core/condition.ts'
import { SyncError } from './core/errors.ts'
import { compileMapping, wantedColumns } from './core/mapping.ts'
import type { Clock, Random, ServiceReads, Source, SourceInput, Term } from './core/ports.ts'
import { runId } from './core/run-id.ts'
import type { PipelineSettings, Settings } from './core/settings.ts'
import { termsBeyond, unknownTermsText } from './core/terms.ts'
import { createLog, type Log } from './log/log.ts'
import { scheduleProblem } from './schedule/schedule.ts'
import type { ServiceEvent } from './service/request.ts'
import type { acceptState as AcceptState, rebuildState as RebuildState } from './rebuilding.ts'
import type { startSandbox as StartSandbox } from './sandbox/server.ts'
import type { backupState as BackupState } from './store/backup.ts'
import type { stateInfo as StateInfo } from './store/info.ts'
import { createService, type Service } from './service/service.ts'
import { createSource, SOURCE_KINDS } from './sources/registry.ts'
import { openState, openStateCopy, type OwnedState } from './store/state-store.ts'
import type { ProgressReport, RunContext } from './sync/context.ts'
import { type PlannedChange, previewPipeline, type PreviewTotals } from './sync/preview.ts'
import { createRejectSource } from './sync/reject-source.ts'
import { type PipelineResult, runPipeline } from './sync/run.ts'
import { createTally } from './sync/tally.ts'
import { createTermDirectory } from './sync/term-directory.ts'
import { createMailTurns, createTurns, type MailTurns, type Turns } from './sync/turns.ts'
import { systemClock, systemRandom } from './system.ts'

export { nextDue } from './schedule/schedule.ts'
export { writeRejectsCsv } from './sources/rejects.ts'
export { openStateForReading } from './store/state-store.ts'
export { definitionsWith } from './sync/definitions.ts'
export { markerProblem } from './sync/marker.ts'

// What only one command needs is loaded when that command runs: a start must be quick.
export const startDaemon: typeof StartDaemon = async (...args) =>
  (await import('./daemon.ts')).startDaemon(...args)
export const releaseHeld: typeof ReleaseHeld = async (...args) =>
  (await import('./decisions.ts')).releaseHeld(...args)
export const resolveDoubt = async (
  settings: Settings,
  which: { id: number; verdict: Verdict },
  pid: number,
): Promise<Resolved> =>
  (await import('./decisions.ts')).resolveDoubt(settings, which, { pid, ask: askService })
export const startSandbox: typeof StartSandbox = async (...args) =>
  (await import('./sandbox/server.ts')).startSandbox(...args)
export const backupState: typeof BackupState = async (...args) =>
  (await import('./store/backup.ts')).backupState(...args)
export const stateDoubt = async (path: string): Promise<string | undefined> =>
  (await import('./store/info.ts')).stateDoubt(path)
export const rebuildState: typeof RebuildState = async (...args) =>
  (await import('./rebuilding.ts')).rebuildState(...args)
export const acceptState: typeof AcceptState = async (...args) =>
  (await import('./rebuilding.ts')).acceptState(...args)
export const stateInfo: typeof StateInfo = async (...args) =>
  (await import('./store/info.ts')).stateInfo(...args)
export const sandboxHabits = async () => import('./sandbox/habit-text.ts')
export const configSchema = async (): Promise<unknown> =>
  (await import('./config/describe.ts')).configJsonSchema(SOURCE_KINDS)

export const clock: Clock = systemClock
const random: Random = systemRandom

/** Presets lie beside the code, in the source tree as in the built package. */
const PRESET_FOLDER = fileURLToPath(new URL('../config/presets', import.meta.url))

function conditionProblem(expression: string): string | undefined {
  const condition = compileCondition(expression)
  return 'problem' in condition
    ? `${condition.problem}; write CEL, as in record["Status"] != "deleted"`
    : undefined
}

export type Configuration =
  | { readonly ok: true; readonly settings: Settings; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Reads and checks the configuration; every problem is one finished line. */
export async function loadConfiguration(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Configuration> {
  const loaded = await loadSettings({
    file,
    env,
    kinds: SOURCE_KINDS,
    presetFolder: PRESET_FOLDER,
    checkSchedule: scheduleProblem,
    checkCondition: conditionProblem,
  })
  if (loaded.ok) return { ok: true, settings: loaded.settings, warnings: loaded.warnings.map(problemText) }
  return { ok: false, problems: loaded.problems.map(problemText) }
}

export interface RunOptions {
  /** Reads the pipeline's rejects again, and nothing else. */
  readonly rejectsOnly?: boolean
  /** Lets growing files settle first. */
  readonly wait: boolean
  readonly signal: AbortSignal
  report(report: Partial<ProgressReport>): void
}

export interface Runner {
  readonly log: Log
  run(pipeline: PipelineSettings, options: RunOptions): Promise<WithWarnings>
  readonly state: OwnedState
  close(): Promise<void>
}

function logService(log: Log): (event: ServiceEvent) => void {
  return ({ type, ...fields }) => log.debug('service call', { event: type, ...fields })
}

interface Parts {
  readonly state: OwnedState
  readonly service: Service
  readonly source: Source
  readonly turns: Turns
  readonly mails: MailTurns
  readonly log: Log
}

type WithWarnings = PipelineResult & { readonly warnings: readonly string[] }

/** A log that also keeps its warnings, for the summary of the run. */
function keepingWarnings(log: Log): { log: Log; warnings: string[] } {
  const warnings: string[] = []
  const warn: Log['warn'] = (message, fields) => {
    log.warn(message, fields)
    const details = Object.entries(fields ?? {}).map(([name, value]) => `${name} ${value}`)
    warnings.push([message, ...details].join(', '))
  }
  return { log: { ...log, warn }, warnings }
}

function runContext(
  settings: Settings,
  pipeline: PipelineSettings,
  parts: Parts,
  { options, id }: { options: RunOptions; id: string },
): RunContext {
  const { signal } = options
  const session = parts.service.session({ signal })
  const circuit = createCircuit(pipeline.guards)
  return {
    runId: id,
    pipeline,
    service: settings.service,
    state: parts.state,
    source: parts.source,
    session,
    circuit,
    terms: createTermDirectory(session, { signal, circuit }),
    customFieldKey: settings.service.customFieldKey,
    turns: parts.turns,
    mails: parts.mails,
    seen: {},
    tally: createTally(id),
    clock,
    signal,
    log: parts.log,
    report: (report) => options.report(report),
  }
}

/** What the log says of a run that has ended. */
const LOGGED = [
  'status',
  'read',
  'created',
  'updated',
  'unchanged',
  'skipped',
  'rejected',
  'failed',
  'held',
  'in_doubt',
  'deleted',
  'held_deletes',
  'terms_created',
  'requests',
  'retries',
  'duration_ms',
] as const

async function loggedRun(
  settings: Settings,
  pipeline: PipelineSettings,
  parts: Parts,
  options: RunOptions,
): Promise<WithWarnings> {
  const id = runId(clock.now(), random)
  const { log, warnings } = keepingWarnings(parts.log.with({ pipeline: pipeline.name, run_id: id }))
  log.info('run started')
  // Without a journal nothing more may leave; what is on its way is let finish.
  const trouble = new AbortController()
  const ignore = parts.state.onTrouble(() => trouble.abort())
  const signal = AbortSignal.any([options.signal, trouble.signal])
  const context = runContext(settings, pipeline, { ...parts, log }, { options: { ...options, signal }, id })
  const result = await runPipeline(context, { wait: options.wait }).finally(ignore)
  log.info('run ended', Object.fromEntries(LOGGED.map((name) => [name, result[name]])))
  return { ...result, warnings }
}

/**
 * Opens state and service for running. Throws STATE_LOCKED, STATE_UNUSABLE or STATE_OLDER. `thorough` checks the whole state first.
 */
export function openRunner(
  settings: Settings,
  options: { log: Log; pid: number; thorough: boolean },
): Runner {
  const { log, pid, thorough } = options
  const state = openState(settings.state.path, { pid, since: clock.now(), thorough })
  const { perDay } = settings.service.rateLimit
  const service = createService(settings.service, {
    clock,
    random,
    window: state.window,
    onEvent: logService(log),
    ...(perDay === undefined ? {} : { daily: state.dailyAllowance(perDay) }),
  })
  const turns = createTurns()
  const mails = createMailTurns()
  return {
    log,
    state,
    run(pipeline, runOptions) {
      const source =
        runOptions.rejectsOnly === true
          ? createRejectSource(state, pipeline.name)
          : createSource(pipeline.source, { clock })
      return loggedRun(settings, pipeline, { state, service, source, turns, mails, log }, runOptions)
    },
    async close() {
      await service.close()
      await state.close()
    },
  }
}

/** What a run would do now: the changes one by one, then the totals. Works beside a running daemon and leaves no trace. */
export async function* preview(
  settings: Settings,
  pipeline: PipelineSettings,
  options: RunOptions & { log: Log },
): AsyncGenerator<PlannedChange, PreviewTotals> {
  const state = openStateCopy(settings.state.path)
  const id = runId(clock.now(), random)
  const source = createSource(pipeline.source, { clock })
  const { signal, report, log } = options
  const service = createService(settings.service, { clock, random, onEvent: logService(log) })
  // Only its reads are handed on: a plan has no way to write.
  const session: ServiceReads = service.session({ signal })
  const circuit = createCircuit(pipeline.guards)
  const terms = createTermDirectory(session, { signal, circuit })
  try {
    const parts = { state, source, session, circuit, terms, clock, signal, report, log }
    const { customFieldKey } = settings.service
    const context = { runId: id, pipeline, customFieldKey, tally: createTally(id), ...parts }
    return yield* previewPipeline(context, settings.service, { wait: options.wait })
  } finally {
    await service.close()
    await state.close()
  }
}

/** Lets a command ask the service, one attempt a call: somebody is waiting for the answer. */
export async function askService<T>(
  settings: Settings,
  ask: (reads: ServiceReads) => Promise<T>,
): Promise<T> {
  const once = { ...settings.service, retry: { ...settings.service.retry, attempts: 1 } }
  const service = createService(once, { clock, random })
  try {
    return await ask(service.session({ signal: new AbortController().signal }))
  } finally {
    await service.close()
  }
}

/** What of a pipeline's terms the service would not have: only where none may be made. */
export function termProblems(pipeline: PipelineSettings, terms: readonly Term[]): readonly string[] {
  const { assign, createMissing } = pipeline.terms
  if (createMissing) return []
  const constants = assign.flatMap((entry) => ('name' in entry ? [entry.name] : []))
  const unknown = termsBeyond(
    constants,
    terms.map(({ name }) => name),
  )
  return unknown.length === 0 ? [] : [unknownTermsText(unknown, terms)]
}

const knownText = (error: unknown): string => {
  if (error instanceof SyncError) return `${error.message}. ${error.hint}`
  throw error
}

async function columnProblem(
  source: Source,
  input: SourceInput,
  pipeline: PipelineSettings,
): Promise<string | undefined> {
  try {
    const reader = await source.open(input, { columns: wantedColumns(pipeline) })
    try {
      compileMapping(pipeline, reader.header)
      return undefined
    } finally {
      await reader.close()
    }
  } catch (error) {
    return `${input.name}: ${knownText(error)}`
  }
}

/** Holds the mapping against the headers of the files that wait now; a sentence for each that does not fit. */
export async function checkColumns(
  pipeline: PipelineSettings,
): Promise<{ files: number; problems: readonly string[] }> {
  const source = createSource(pipeline.source, { clock })
  try {
    const { ready, refused } = await source.list({ wait: false })
    const problems = refused.map(({ name, error }) => `${name}: ${knownText(error)}`)
    for (const input of ready) {
      const problem = await columnProblem(source, input, pipeline)
      if (problem !== undefined) problems.push(problem)
    }
    return { files: ready.length, problems }
  } catch (error) {
    return { files: 0, problems: [knownText(error)] }
  }
}

export { createLog, type Log, type Verdict }
