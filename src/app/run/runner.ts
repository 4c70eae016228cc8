// What `start` and `run` hold while they live: the state, the service and the log.
import { isDeepStrictEqual } from 'node:util'
import { stopWithout } from '../../core/outcome/circuit.ts'
import type { Pause } from '../../core/outcome/daemon.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Clock, Random, ServiceSession, Source } from '../../core/ports.ts'
import type { RunWatcher } from '../../core/log/run-watcher.ts'
import type { RateUse, ServiceListener } from '../../core/log/events/service-event.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { UndoOptions } from '../../core/log/undo.ts'
import type { Log } from '../../log/log.ts'
import type { Transport } from '../../service/http.ts'
import { createService, type Service } from '../../service/service.ts'
import { createSource } from '../../sources/registry.ts'
import type { OpenChannel } from '../../store/postgres/channel.ts'
import { openState, type OwnedState } from '../../store/state-store.ts'
import { createTokenVault } from '../../store/tokens.ts'
import type { LeftAloneListener, RunContext } from '../../sync/context.ts'
import { createRejectSource } from '../../sync/plan/reject-source.ts'
import { runPipeline } from '../../sync/run.ts'
import { runUndo } from '../../sync/undo.ts'
import { lookInRound, type RoundLook, type RoundLooking } from './service/drift-round.ts'
import { leasedTo, sharedTurns } from './workers/turns.ts'
import { createKeeping } from './keeping.ts'
import { systemClock, systemRandom } from '../../system.ts'
import { createSuppressions } from './suppression.ts'
import { sharedWindow } from './service/rate-window.ts'
import { claimOwner } from './renamed.ts'
import { loggedRun, type RunnerParts, type RunOptions, type WithWarnings } from './run.ts'
import { assertOfService, bindAtFirstUse } from './service/service-binding.ts'
import { logService } from './service/service-log.ts'
import { createThreadShares, type ThreadShare } from './thread-share.ts'

export interface Runner {
  readonly log: Log
  run(pipeline: PipelineSettings, options: RunOptions): Promise<WithWarnings>
  /** Reverts what a run of the pipeline did; `left` is called with what stays. */
  undo(
    pipeline: PipelineSettings,
    undo: UndoRequest,
    options: RunOptions & { left: LeftAloneListener },
  ): Promise<WithWarnings>
  readonly state: OwnedState
  /** How the rate limit stands, over all runs. */
  rate(): RateUse
  /** Asks the service one cheap question, once; what is wrong with it, or undefined. */
  probe(signal: AbortSignal): Promise<Pick<Pause, 'code' | 'reason'> | undefined>
  /**
   * Binds a state that an older version left unbound to the service, before a run does. Throws OTHER_SERVICE where it is
   * another one; where it does not answer, the first run asks again.
   */
  bind(signal: AbortSignal): Promise<void>
  /** Continues with these settings; with another connection to the service only while no run is active. */
  reconfigure(settings: Settings): Promise<void>
  /** Continues the round of looks for drift, or begins the one that is due. */
  continueDrift(pipeline: PipelineSettings, looking: RoundLooking): Promise<RoundLook>
  close(): Promise<void>
}

/** What a simulated world puts in the place of the real one. */
export interface Machine {
  readonly clock: Clock
  readonly random: Random
  /** In place of HTTP. */
  readonly transport?: Transport
  /** In place of a connection to a PostgreSQL server. */
  readonly channel?: OpenChannel
  /** In place of the sources that pipelines name. */
  source?(pipeline: PipelineSettings): Source
}

/** Which run is to be put back, and whose contact alone: by key, mail or id. */
export interface UndoRequest extends UndoOptions {
  readonly run: string
  readonly contact: string | undefined
}

/** Whether the service answers and takes the key, by looking for a term. */
async function probe(service: Service, signal: AbortSignal): ReturnType<Runner['probe']> {
  const result = await service.session({ signal, attempts: 1 }).termById(1)
  // That there is no such term, or that it may not be seen so, is an answer, too.
  if (result.kind === 'ok' || result.kind === 'absent' || result.kind === 'refused') return undefined
  const { code, message: reason } = stopWithout(result)
  return { code: code as Pause['code'], reason }
}

async function bindIfThere(
  settings: Settings,
  { state, reads }: { state: OwnedState; reads: ServiceSession },
): Promise<void> {
  try {
    await bindAtFirstUse(settings, state.binding, reads)
  } catch (error) {
    if (!(error instanceof SyncError) || error.code === 'OTHER_SERVICE') throw error
  }
}

const REAL: Machine = { clock: systemClock, random: systemRandom }

/** Gives what makes the client for these settings: over one state, and watched. */
function serviceOver(
  machine: Machine,
  { state, watcher, log }: { state: OwnedState; watcher: RunWatcher; log: Log },
): (settings: Settings) => Service {
  const logged = logService(log)
  const onEvent: ServiceListener = (event) => {
    logged(event)
    watcher.onService?.(event)
  }
  const owned = { slots: state.slots, formerWindow: state.formerWindow, clock: machine.clock }
  return (settings) => {
    const onAlone = (reason: string): void => onEvent({ type: 'alone', reason })
    return createService(settings.service, {
      ...machine,
      // A simulated world has no other processes but those with a state at a server.
      ...(machine === REAL || state.slots !== undefined ? sharedWindow(settings, onAlone, owned) : {}),
      onEvent,
    })
  }
}

/** Throws OTHER_SERVICE, and leaves the state to others. */
function closeIfOfOther(settings: Settings, state: OwnedState): void {
  try {
    assertOfService(settings, state.binding)
  } catch (error) {
    void state.close()
    throw error
  }
}

interface Opening {
  readonly log: Log
  readonly pid: number
  readonly thorough: boolean
  readonly machine?: Machine
  readonly watcher?: RunWatcher
  /** The number of the worker that this process was before, where it joins again. */
  readonly former?: number | undefined
  /** Where other accounts run in the same process. */
  readonly share?: ThreadShare
}

/**
 * Opens state and service for running. Throws STATE_LOCKED, STATE_UNUSABLE, STATE_OLDER or OTHER_SERVICE. `thorough` checks the whole state first.
 */
export function openRunner(first: Settings, options: Opening): Runner {
  const { log, pid, thorough, machine = REAL, watcher = {}, former } = options
  const { clock, channel } = machine
  const share = options.share ?? createThreadShares(clock)(first.account)
  const opening = { pid, since: clock.now(), thorough, worker: first.workers.name, former, channel }
  const state = openState(first.state, opening)
  closeIfOfOther(first, state)
  const shared = share.shared(state)
  const serviceFor = serviceOver(machine, { state, watcher, log })
  let settings = first
  let service = serviceFor(first)
  const tokens = createTokenVault(first.state)
  const suppressions = createSuppressions(state)
  const { turns, mails } = sharedTurns(state.fleet, clock)
  const lease = leasedTo(state.fleet, clock)
  const leased: typeof lease = (pipeline, work) => share.during(() => lease(pipeline, work))
  let keeping = createKeeping(first.keep, { state, clock })
  const partsFor = (source: Source): RunnerParts => ({
    ...machine,
    ...{ settings, service, source, turns, mails, log, keeping, suppressions, watcher },
    state: shared,
  })
  return {
    log,
    state: shared,
    rate: () => service.rate(),
    run(pipeline, runOptions) {
      const source =
        runOptions.rejectsOnly === true
          ? createRejectSource(state, pipeline.name)
          : (machine.source?.(pipeline) ??
            createSource(pipeline.source, { clock, tokens, owner: claimOwner(pipeline, settings, state) }))
      const { wait } = runOptions
      const work = (context: RunContext) => runPipeline(context, { wait })
      return leased(pipeline.name, () => loggedRun(pipeline, partsFor(source), { options: runOptions, work }))
    },
    undo(pipeline, undo, undoOptions) {
      const entries = state.entriesOfRun(undo.run, undo.contact)
      const work = (context: RunContext) =>
        runUndo({ ...undo, entries }, { ...context, leftAlone: undoOptions.left })
      const source = createSource(pipeline.source, { clock })
      return leased(pipeline.name, () =>
        loggedRun(pipeline, partsFor(source), { options: undoOptions, undoes: undo.run, work }),
      )
    },
    probe: (signal) => probe(service, signal),
    continueDrift: (pipeline, looking) =>
      lookInRound(pipeline, { ...machine, settings, service, state, log }, looking),
    bind: (signal) => bindIfThere(settings, { state, reads: service.session({ signal, attempts: 1 }) }),
    async reconfigure(next) {
      const old = settings
      settings = next
      if (!isDeepStrictEqual(next.keep, old.keep)) keeping = createKeeping(next.keep, { state, clock })
      if (isDeepStrictEqual(next.service, old.service)) return
      await service.close()
      service = serviceFor(next)
    },
    async close() {
      // No run is active: what may be in flight is a query whose answer is no longer needed.
      service.cut()
      await service.close().finally(() => state.close())
    },
  }
}
