// One run of one pipeline, with what a runner holds: its context, its limits, and what the log says of it.
import { pausedText } from '../../core/decision.ts'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import { planEntry } from '../../core/log/other-entries.ts'
import { type Circuit, createCircuit, type Stop } from '../../core/outcome/circuit.ts'
import type { ProgressReport } from '../../core/outcome/run-progress.ts'
import type { Clock, Random, Source } from '../../core/ports.ts'
import { runId } from '../../core/words/run-id.ts'
import type { RunWatcher, WatchedRun } from '../../core/log/run-watcher.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { Log } from '../../log/log.ts'
import type { Service } from '../../service/service.ts'
import type { OwnedState } from '../../store/state-store.ts'
import { type RunContext, watchedSession } from '../../sync/context.ts'
import { noticingErased } from '../../sync/reads/erased-reads.ts'
import { notingStatus, statusNotes } from '../../sync/reads/status-notes.ts'
import { accountFor, type PipelineResult } from '../../sync/run.ts'
import { createTally } from '../../sync/tally.ts'
import { createTermDirectory } from '../../sync/term-directory.ts'
import { writingTogether } from '../../sync/send/together.ts'
import type { MailTurns, Turns } from '../../sync/send/turns.ts'
import { keepConfiguration } from './keep-configuration.ts'
import type { Keeping } from './keeping.ts'
import { keepingWarnings } from './keeping-warnings.ts'
import { renamedStop } from './renamed.ts'
import { limitRun } from './run-limits.ts'
import { writeOptOuts } from './opt-out-files.ts'
import type { createSuppressions } from './suppression.ts'
import { bindAtFirstUse } from './service/service-binding.ts'

export interface RunOptions {
  /** Reads the pipeline's rejects again, and nothing else. */
  readonly rejectsOnly?: boolean
  /** Lets growing files settle first. */
  readonly wait: boolean
  readonly signal: AbortSignal
  report(report: Partial<ProgressReport>): void
  /** Why the run failed, if it did. */
  onStop?(stop: Stop): void
  /** The person who asked for it; undefined where the schedule did. */
  readonly decided?: DecidedBy | undefined
  /** It is made although its pipeline is paused: an undo that is to be the last thing sent. */
  readonly evenPaused?: boolean
  /** Aborted when the pipeline is paused meanwhile: it ends in good order. */
  readonly halting?: AbortSignal
}

/** What all runs of a runner share; the source is that of the pipeline. */
export interface RunnerParts {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  readonly state: OwnedState
  readonly service: Service
  readonly source: Source
  readonly turns: Turns
  readonly mails: MailTurns
  readonly log: Log
  readonly keeping: Keeping
  readonly suppressions: ReturnType<typeof createSuppressions>
  readonly watcher: RunWatcher
}

export type WithWarnings = PipelineResult & { readonly warnings: readonly string[] }

interface RunParts {
  readonly options: RunOptions
  readonly id: string
  readonly circuit: Circuit
  readonly watched: WatchedRun | undefined
}

function runContext(
  pipeline: PipelineSettings,
  parts: RunnerParts,
  { options, id, circuit, watched }: RunParts,
): RunContext {
  const { signal } = options
  const { settings, clock } = parts
  const onEvent = watched === undefined ? {} : { onEvent: watched.onService }
  const plain = parts.service.session({ signal, ...onEvent })
  const noticing = noticingErased(plain, {
    ...{ state: parts.state, clock },
    found: (contact_id, print) => parts.log.warn('erased person at the service again', { contact_id, print }),
  })
  const store = statusNotes(parts.state, settings)
  const noted =
    store === undefined ? noticing : notingStatus(noticing, { store, pipeline: pipeline.name, clock })
  const session = watchedSession(noted, { signal, circuit })
  return {
    runId: id,
    pipeline,
    service: settings.service,
    state: writingTogether(parts.state),
    source: parts.source,
    session,
    circuit,
    terms: createTermDirectory(session, { state: parts.state }),
    customFieldKey: settings.service.custom_field_key,
    suppression: parts.suppressions(settings.consents.suppress),
    turns: parts.turns,
    mails: parts.mails,
    ahead: (work) => parts.service.ahead(work),
    seen: {},
    tally: createTally(id),
    clock,
    signal,
    log: parts.log,
    report(report) {
      if (report.phase !== undefined) watched?.stage(report.phase)
      watched?.report?.(report)
      options.report(report)
    },
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

/** By a person's word, so the sync log has it. */
async function noteAsked(
  { state, runId: id, pipeline, clock: { now } }: RunContext,
  { rejectsOnly, undoes, decided }: RunOptions & { readonly undoes: string | undefined },
): Promise<void> {
  const about = { at: now(), runId: id, pipeline: pipeline.name, configHash: pipeline.hash, decided }
  const note = (action: 'retry' | 'undo' | 'run', reason: string) =>
    state.note(planEntry({ action, reason }, about))
  if (rejectsOnly === true) {
    const { rejects } = await state.backlog(pipeline.name)
    await note('retry', `${rejects} rejected records are tried again`)
  } else if (decided !== undefined)
    await (undoes === undefined
      ? note('run', 'a run was asked for')
      : note('undo', `run ${undoes} is put back`))
}

/** Why the pipeline sends nothing; undefined where it is not paused. */
async function pauseOf(
  { pipeline }: RunContext,
  state: OwnedState,
  { evenPaused }: RunOptions,
): Promise<string | undefined> {
  if (evenPaused === true) return undefined
  const pause = (await state.pausedPipelines()).find((one) => one.pipeline === pipeline.name)
  return pause && pausedText(pause)
}

/** With the end of the sync log: kept outside the state, it shows later that nothing was cut off. */
async function logEnd(
  result: PipelineResult,
  { log, state }: { log: Log; state: OwnedState },
): Promise<void> {
  const ended = Object.fromEntries(LOGGED.map((name) => [name, result[name]])) as Pick<
    PipelineResult,
    (typeof LOGGED)[number]
  >
  const { entries: sync_log_entries, hash: sync_log_head } = await state.logHead()
  const code = result.code === undefined ? {} : { code: result.code }
  log.info('run ended', { ...ended, ...code, sync_log_entries, sync_log_head })
}

/** Does the work within a run, bound to the service. */
async function withinRun(
  context: RunContext,
  { parts, work }: { parts: RunnerParts; work: () => Promise<PipelineResult> },
): Promise<PipelineResult> {
  await bindAtFirstUse(parts.settings, parts.state.binding, context.session)
  return work()
}

/** One run with its log: begun, done, and entered in the log with its numbers. */
export async function loggedRun(
  pipeline: PipelineSettings,
  parts: RunnerParts,
  {
    options,
    undoes,
    work,
  }: {
    options: RunOptions
    /** The run that it puts back. */
    undoes?: string
    work: (context: RunContext) => Promise<PipelineResult>
  },
): Promise<WithWarnings> {
  const { clock, random, service } = parts
  const id = runId(clock.now(), random)
  // The summary has a line for each file that was not taken.
  const { log, warnings } = keepingWarnings(parts.log.with({ pipeline: pipeline.name, run_id: id }), [
    'file rejected',
    'source not read completely',
  ])
  log.info('run started')
  // Without a journal nothing more may leave; what is on its way is let finish.
  const trouble = new AbortController()
  const ignore = parts.state.onTrouble(() => trouble.abort())
  const circuit = createCircuit(pipeline.guards)
  const limits = limitRun(pipeline, {
    clock,
    circuit,
    ending: options.signal,
    trouble: trouble.signal,
    halting: options.halting,
    cut: () => service.cut(),
  })
  const bounded = { ...options, signal: limits.signal }
  const watched = parts.watcher.begin?.({ pipeline: pipeline.name, runId: id })
  const context = runContext(pipeline, { ...parts, log }, { options: bounded, id, circuit, watched })
  let result: PipelineResult | undefined
  try {
    const paused = await pauseOf(context, parts.state, options)
    const stop: Stop | undefined =
      paused === undefined ? await renamedStop(pipeline, parts) : { code: 'PAUSED', message: paused }
    if (stop !== undefined) circuit.halt(stop)
    result =
      stop === undefined
        ? await withinRun(context, {
            parts,
            work: async () => {
              await keepConfiguration(parts.settings, { state: parts.state, at: clock.now(), runId: id })
              await noteAsked(context, { ...options, undoes })
              return work(context)
            },
          })
        : await accountFor(context, () => Promise.resolve())
  } finally {
    watched?.end(result)
    ignore()
    limits.done()
  }
  if (circuit.stop !== undefined) options.onStop?.(circuit.stop)
  await writeOptOuts(parts.settings.consents.outbox, { state: parts.state, log })
  await logEnd(result, { log, state: parts.state })
  await parts.keeping(pipeline, { log, signal: limits.signal })
  return { ...result, warnings: warnings.map(({ text }) => text) }
}
