// The daemon's life: it wakes, lets runs begin, waits while the service cannot be used, takes another configuration, and
// ends in good order. Part of the composition: it joins the rooms, and decides nothing about contacts.
import type { DaemonCondition, DaemonEvent, DaemonListener, DueStore } from '../../core/outcome/daemon.ts'
import { errorFacts } from '../../core/words/error-facts.ts'
import type { Decision } from '../../core/decision.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Clock, Random } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'
import type { Log } from '../../log/log.ts'
import { readExpression } from '../../schedule/expression.ts'
import { createRunsDue } from './runs-due.ts'
import { createDriftLooks } from './drift-looks.ts'
import { clockTicks, type Ticks } from '../../schedule/ticks.ts'
import { forwardRun } from '../decisions/fleet-asking.ts'
import type { Owner } from '../decisions/owner.ts'
import type { AccountConfiguration } from '../run/configuration.ts'
import { createDaemonRuns, type DaemonRuns, type PipelineRunner } from './daemon-runs.ts'
import { daemonLog } from './daemon-log.ts'
import { createFleetWork } from './fleet/fleet-work.ts'
import type { FleetRest } from './fleet/fleet-rest.ts'
import { createLandings } from './landings.ts'
import type { Ownership } from './fleet/ownership.ts'
import { createReloading, type Reloading } from './reloading.ts'
import type { Runner } from '../run/runner.ts'
import { createHandingOver, type HandingOver } from '../handing-over.ts'
import { createWitnessing } from '../witnessing.ts'
import { createPipelinePauses, pausedOf } from './pipeline-pauses.ts'
import { createServicePause } from './service-pause.ts'
import { openServing, type Serving } from './serving.ts'
import type { DaemonWatch, WatchDaemon } from './daemon-watch.ts'

/** What the daemon needs of a runner. */
export interface DaemonRunner
  extends PipelineRunner, Pick<Runner, 'probe' | 'reconfigure' | 'continueDrift'> {
  readonly state: DueStore &
    Pick<
      Runner['state'],
      | 'note'
      | 'noteReads'
      | 'notePause'
      | 'brakes'
      | 'termAliases'
      | 'pausedPipelines'
      | 'logHead'
      | 'instance'
      | 'lastWitness'
      | 'noteWitness'
      | 'logPage'
      | 'logEntry'
      | 'handedOver'
      | 'noteHandedOver'
    > &
    Partial<Pick<Runner['state'], 'fleet'>>
}

export interface Daemon {
  readonly port: number
  /** Reads the configuration again. An invalid one is reported, and the one in use stays. */
  reload(): void
  condition(): DaemonCondition
  /** What decisions of others need of it. */
  readonly decisions: Pick<Owner, 'settings' | 'signal'> &
    Required<Pick<Owner, 'halt' | 'onPauses' | 'onErased' | 'daemon'>>
  /** Resolves after a clean shutdown; rejects with the error that ended it. */
  ended(): Promise<void>
}

interface Parts {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Its end. */
  readonly signal: AbortSignal
  /** Reads and checks the configuration file. */
  load(): Promise<AccountConfiguration>
  readonly listeners?: readonly DaemonListener[]
  /** Metrics and alerts; there are no other watchers. */
  readonly watch?: WatchDaemon
  /** Takes decisions of the console; it has none otherwise. */
  decide?(decision: Decision, owner: Daemon['decisions']): Promise<unknown>
  /** Takes decisions that a worker had not concluded which is gone; they wait for the next start otherwise. */
  takeLeft?(owner: Daemon['decisions']): Promise<void>
  /** Where commands reach it; it says that it is started once they do. */
  openDesk?(owner: Daemon['decisions']): Promise<unknown>
  /** What it is served by; a server of its own otherwise. */
  readonly serving?: Serving
  /** What wakes it; the clock otherwise. */
  readonly ticks?: Ticks
}

/** Errors of the state after which a new process is needed; it checks the state when it opens it. */
const isFinal = (error: unknown): boolean =>
  error instanceof SyncError &&
  (error.code === 'STATE_IO' || error.code === 'STATE_UNUSABLE' || error.code === 'STATE_LOCKED')

/** Wakes as often as the schedules ask for. */
function createWaking(ticks: Ticks, onTick: () => void) {
  let rhythm: 'second' | 'minute' | undefined
  let current: { stop(): void } | undefined
  return {
    follow({ pipelines }: Settings): void {
      const wanted = pipelines.some(
        ({ schedule }) => schedule !== undefined && readExpression(schedule).hasSeconds,
      )
        ? 'second'
        : 'minute'
      if (wanted === rhythm) return
      current?.stop()
      rhythm = wanted
      current = ticks(wanted, onTick)
    },
    stop: () => current?.stop(),
  }
}

const untilAborted = async (signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

/** The listeners of the daemon: the log, and those that were passed in. `ends`: of runs, here and elsewhere. */
function createEmitter(parts: Parts, settings: () => Settings) {
  const log = daemonLog(parts.log, () => settings().service.api_key_file !== undefined)
  const listeners = [log, ...(parts.listeners ?? [])]
  const ended = new Map<string, number>()
  const emit: DaemonListener = (event) => {
    if (event.type === 'run_ended') ended.set(event.run.pipeline, event.at)
    if (event.type === 'run_broken') ended.set(event.pipeline, event.at)
    for (const listener of listeners) listener(event)
  }
  return { emit, ends: { ended: () => ended, onEndedElsewhere: () => emit({ type: 'ended_elsewhere' }) } }
}

interface OfDecisions {
  readonly log: Log
  readonly runs: DaemonRuns
  readonly reloading: Reloading
  readonly signal: AbortSignal
  readonly handing: HandingOver
  current(): Settings
  onPauses(): Promise<void>
  readonly ownership: Ownership
  readonly rest: FleetRest
  readonly runner: DaemonRunner
}

/** What decisions of other commands need: the runs, the configuration, and times when no run is active. */
function decisionsOf({
  log,
  runs,
  reloading,
  signal,
  handing,
  current,
  onPauses,
  ownership,
  rest,
  runner,
}: OfDecisions): Omit<Daemon['decisions'], 'onErased'> {
  let resting: Promise<unknown> = Promise.resolve()
  return {
    settings: current,
    signal,
    halt: (names, reason) => runs.halt(names, reason),
    onPauses,
    daemon: {
      log,
      isRunning: () => runs.running > 0,
      rest<T>(work: () => Promise<T>): Promise<T> {
        const inTurn = async (): Promise<T> => {
          await runs.hold()
          return rest.around(work).finally(() => runs.release())
        }
        const done = resting.then(inTurn, inTurn)
        resting = done.catch(() => undefined)
        return done
      },
      run: (asked, listener) =>
        ownership.isOwn(asked.pipeline)
          ? runs.ask(asked, listener)
          : forwardRun({ state: runner.state, settings: current(), asked, listener, signal }),
      reload: (decided) => reloading.now(decided),
      handOver: (again) => handing.now(again),
    },
  }
}

/** A pause of all runs stands in the state, for those who look from another process. */
function notingPause({
  runner,
  clock,
  emit,
  onFault,
  pump,
}: Pick<Parts, 'clock'> & {
  runner: DaemonRunner
  emit: DaemonListener
  onFault(error: unknown): void
  pump(): void
}): Pick<Parameters<typeof createServicePause>[0], 'onPaused' | 'onResumed'> {
  return {
    onPaused(now) {
      emit({ type: 'paused', pause: now })
      runner.state.notePause(now).catch(onFault)
    },
    onResumed(ms) {
      runner.state.notePause(undefined).catch(onFault)
      emit({ type: 'resumed', at: clock.now(), ms })
      pump()
    },
  }
}

/** What others keep of the sync log: its head, and its entries. */
function createLogCopies(
  parts: Parameters<typeof createWitnessing>[0] & Parameters<typeof createHandingOver>[0],
) {
  const [witnessing, handing] = [createWitnessing(parts), createHandingOver(parts)]
  return {
    handing,
    look(): void {
      void witnessing.look()
      void handing.look()
    },
    idle: () => Promise.all([witnessing.idle(), handing.idle()]),
  }
}

const faultListener =
  (log: Log, broken: AbortController) =>
  (error: unknown, pipeline?: string): void => {
    log.error('run aborted by an internal error', {
      ...(pipeline === undefined ? {} : { pipeline }),
      ...errorFacts(error),
    })
    if (isFinal(error)) broken.abort(error)
  }

interface Assembling extends Parts {
  readonly broken: AbortController
  takeLeft(): Promise<void>
}

/** The parts that know of each other, and the settings in use. */
async function assemble(first: Settings, runner: DaemonRunner, parts: Assembling) {
  const { broken, clock, log, random, signal } = parts
  let settings = first
  const current = (): Settings => settings
  const { emit, ends } = createEmitter(parts, current)
  const onFault = faultListener(log, broken)
  const fleet = createFleetWork({
    ...{ ...parts, ...ends, onFault, settings: current, fleet: runner.state.fleet },
    runs: () => runs,
    onLook: () => pauses.follow(),
    onChange: () => runs.renew().then(begin),
  })
  const { ownership, own } = fleet
  const shared = { clock, random, log, signal, runner, emit, onFault, settings: own }
  const pauses = await createPipelinePauses(runner, { log, runs: () => runs })
  const pause = createServicePause({
    ...{ ...shared, settings: current },
    probe: (probing) => runner.probe(probing),
    renewKey: () => reloading.renewKey(),
    ...notingPause({ ...shared, pump: () => runs.pump() }),
  })
  const runs: DaemonRuns = await createDaemonRuns({
    ...shared,
    due: runner.state,
    probe: (probing) => runner.probe(probing),
    isPaused: () => pause.current !== undefined,
    paused: pauses.now,
    readPauses: pauses.follow,
    onTrouble: (trouble) => pause.begin(trouble),
    onWell: (run) => pause.allWell(run),
    quiet: () => drift.idle(),
  })
  const drift = createDriftLooks({
    ...shared,
    mayLook: (name) => runs.isIdle && pause.current === undefined && !pauses.now().has(name),
  })
  const due = createRunsDue({ ...shared, active: () => runs.active(), want: (name) => runs.want(name) })
  const landings = createLandings({ clock, onLanded: (name) => runs.want(name) })
  const copies = createLogCopies({ clock, log, signal, state: runner.state, settings: current })
  const waking = createWaking(parts.ticks ?? clockTicks(clock), () => {
    if (ownership.isFirst()) copies.look()
    void drift.look()
    void due.look()
    landings.lookAgain()
    runs.pump()
  })
  const begin = (): void => {
    if (signal.aborted) return // What is closed is not opened again: a reload may have waited for the active runs.
    waking.follow(settings)
    landings.watch(own().pipelines)
    runs.pump()
  }
  const reloading = createReloading({
    ...{ ...shared, settings: current },
    runs,
    load: parts.load,
    async use(next) {
      settings = next
      await ownership.look()
      await runs.renew()
      begin()
    },
    onReloaded: () => pause.askNow(),
  })
  const decisions = decisionsOf({
    ...{ log, runs, runner, reloading, current, signal, ownership, onPauses: pauses.renew },
    ...{ handing: copies.handing, rest: fleet.rest },
  })
  return { begin, copies, current, decisions, landings, ownership, pause, pauses, reloading, runs, waking }
}

/** Starts it all; ends by the signal: nothing new begins, what runs is brought to its end, then everything is closed. */
export async function startDaemon(first: Settings, runner: DaemonRunner, parts: Parts): Promise<Daemon> {
  const { clock, log } = parts
  const broken = new AbortController()
  const signal = AbortSignal.any([parts.signal, broken.signal])
  const watched: { by?: DaemonWatch | undefined } = {}
  const listeners = [...(parts.listeners ?? []), (event: DaemonEvent) => watched.by?.listener(event)]
  const all = await assemble(first, runner, {
    ...{ ...parts, listeners, signal, broken },
    takeLeft: async () => parts.takeLeft?.(decisions),
  })
  const { copies, landings, ownership, pause, pauses, reloading, runs, waking } = all
  const startedAt = clock.now()
  const condition = (): DaemonCondition => ({
    running: !signal.aborted,
    stateOpen: !broken.signal.aborted,
    startedAt,
    pause: pause.current,
    refusedReload: reloading.refused,
    pipelines: runs.conditions(),
    paused: pausedOf(all.current(), pauses.now()),
    fleet: ownership.view(),
  })
  watched.by = parts.watch?.({ condition, settings: all.current, isFirst: () => ownership.isFirst() })
  const serving = parts.serving ?? openServing({ clock, log })
  const decisions: Daemon['decisions'] = { ...all.decisions, onErased: () => serving.forgetTexts() }
  const server = await serving.join({
    settings: all.current,
    log,
    condition,
    metrics: watched.by?.exposition,
    progress: () => watched.by?.progress() ?? [],
    state: runner.state,
    decide: async (decision) => parts.decide?.(decision, decisions),
  })
  await parts.openDesk?.(decisions)
  log.info('daemon started', { pipelines: first.pipelines.length, port: server.port })
  all.begin()
  ownership.begin()
  watched.by?.begin()
  const ended = async (): Promise<void> => {
    await untilAborted(signal)
    log.info('daemon stopping')
    waking.stop()
    await landings.close()
    await ownership.drain().catch(() => undefined)
    runs.dismiss()
    await runs.hold()
    await copies.idle()
    await reloading.idle()
    await watched.by?.close()
    await server.close()
    log.info('daemon stopped')
    if (broken.signal.aborted) throw broken.signal.reason
  }
  return { port: server.port, reload: () => reloading.ask(), condition, decisions, ended }
}
