// Who watches the daemon: metrics follow its events and are asked for how things stand; alerts look after each of them,
// and every minute for what time alone brings about.
import { type BrakeStanding, waitingForBrakes } from '../../core/change/waiting/brake.ts'
import { currentBacklog } from '../../core/outcome/backlog.ts'
import { readiness } from '../../console/health.ts'
import {
  type DaemonCondition,
  type DaemonEvent,
  type DaemonListener,
  isRunActive,
} from '../../core/outcome/daemon.ts'
import type { Clock } from '../../core/ports.ts'
import type { RunProgress } from '../../core/outcome/run-progress.ts'
import type { RunWatcher } from '../../core/log/run-watcher.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { Log } from '../../log/log.ts'
import { createMetrics, type Metrics } from '../../metrics/metrics.ts'
import type { PipelineStanding, Standings } from '../../metrics/standings.ts'
import { stateSizes } from '../../store/info.ts'
import { createServiceVerdict } from '../alerting/alert-facts.ts'
import { type Alerting, createAlerting } from '../alerting/alerting.ts'
import type { ToldDirectly } from '../alerting/alert-parts.ts'
import { recordsThatAsk } from '../asked-edits.ts'
import { handOverStanding } from '../hand-over-standing.ts'
import { requestsOfDay } from '../run/service/rate-window.ts'
import type { Runner } from '../run/runner.ts'
import { createProgressWatch } from './progress-watch.ts'

/** What of the daemon is watched. */
interface Watched {
  condition(): DaemonCondition
  /** Those in use. */
  settings(): Settings
  /** Of several workers one looks after alerts. Absent: there is one owner. */
  isFirst?(): boolean
}

export interface DaemonWatch {
  readonly listener: DaemonListener
  readonly exposition: Metrics
  /** Of its active runs. */
  progress(): readonly RunProgress[]
  /** From now on alerts are looked after. */
  begin(): void
  close(): Promise<void>
}

export type WatchDaemon = (daemon: Watched) => DaemonWatch

const LOOK_EVERY_MS = 60_000
/** A receiver that fails at once is not asked at once again. */
const SHORTEST_MS = 1_000

type Observed = Pick<Runner, 'state' | 'rate'>

interface Scraped {
  readonly state: Runner['state']
  readonly condition: DaemonCondition
  readonly brakes: readonly BrakeStanding[]
}

async function pipelineStanding(
  pipeline: PipelineSettings,
  { state, condition, brakes }: Scraped,
): Promise<PipelineStanding> {
  const { name, schedule, drift } = pipeline
  const milestones = await state.milestones(name)
  const watchedSince = milestones.firstRunAt ?? (schedule === undefined ? undefined : condition.startedAt)
  const backlog = currentBacklog(await state.backlog(name), isRunActive(condition, name))
  const [round] = drift === undefined ? [] : await state.driftRounds(name, 1)
  const compared = drift === undefined ? undefined : { round, share: drift.share }
  const braked = waitingForBrakes(brakes, name)
  const held = backlog.held + (await recordsThatAsk(pipeline, state))
  return { name, ...backlog, held, ...milestones, watchedSince, braked, drift: compared }
}

async function standings(
  runner: Observed,
  { condition, settings }: Watched,
  clock: Clock,
): Promise<Standings> {
  const all = settings()
  const { pipelines, service, state } = all
  const now = condition()
  const rows: PipelineStanding[] = []
  const scraped = { state: runner.state, condition: now, brakes: await runner.state.brakes() }
  for (const pipeline of pipelines) rows.push(await pipelineStanding(pipeline, scraped))
  return {
    pipelines: rows,
    condition: now,
    isReady: readiness(now).ready,
    rate: runner.rate(),
    limits: { window: service.rate_limit.requests, day: service.rate_limit.per_day },
    requestsOfDay: requestsOfDay(all, clock.now()) ?? 0,
    state: stateSizes(state),
    handOver: await handOverStanding(all, runner.state),
    ...(await runner.state.alertFigures()),
  }
}

/** Polls until the signal is aborted, while there are listeners. */
async function keepLooking(
  alerting: Alerting,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await alerting.look()
    const inMs = ((await alerting.nextAt()) ?? Infinity) - clock.now()
    await clock.sleep(Math.min(Math.max(inMs, SHORTEST_MS), LOOK_EVERY_MS), signal)
  }
}

/** After these, something may begin or be over. */
const LOOKED_AFTER: readonly DaemonEvent['type'][] = [
  'run_ended',
  'run_broken',
  'ended_elsewhere',
  'paused',
  'resumed',
  'reloaded',
  'reload_refused',
]

function watchAlerts(
  runner: Observed,
  daemon: Watched,
  parts: { clock: Clock; log: Log; metrics: Metrics; told: Map<string, ToldDirectly> },
) {
  const ending = new AbortController()
  const { signal } = ending
  const service = createServiceVerdict()
  const { settings } = daemon
  const alerting = createAlerting({
    ...parts,
    ...daemon,
    state: runner.state,
    service,
    signal,
    onDelivery: parts.metrics.onAlert,
  })
  let looking: Promise<void> | undefined
  const begin = (): void => {
    if (settings().alerts.length > 0) looking ??= keepLooking(alerting, { clock: parts.clock, signal })
  }
  return {
    begin,
    listener(event: DaemonEvent): void {
      service.listen(event)
      if (event.type === 'reloaded') begin()
      if (looking !== undefined && LOOKED_AFTER.includes(event.type)) void alerting.look()
    },
    async close(): Promise<void> {
      ending.abort()
      await looking
      // What the last runs changed is written down; it is sent by the next start.
      if (looking !== undefined) await alerting.look()
    },
  }
}

/** Of one account, through all its daemons: one that has lost its state at a server is followed by another one. */
export interface Watching {
  /** Of the runner. */
  readonly watcher: RunWatcher
  ofDaemon(runner: Observed, log: Log): WatchDaemon
}

interface WatchingParts {
  readonly clock: Clock
  readonly version: string
  readonly tracing: RunWatcher
  readonly account?: string | undefined
}

/** Made before the runner: its calls to the service are counted from the first. */
function openWatching({ clock, version, account, ...parts }: WatchingParts): Watching {
  const { begin, current } = createProgressWatch(clock, parts.tracing)
  const told = new Map<string, ToldDirectly>()
  let ask: (() => Promise<Standings>) | undefined
  const metrics = createMetrics({ version, account }, async () => {
    if (ask === undefined) throw new Error('asked before there is a daemon')
    return ask()
  })
  return {
    watcher: { onService: metrics.onService, begin },
    ofDaemon: (runner, log) => (daemon) => {
      for (const { name } of daemon.settings().pipelines) metrics.begin(name)
      ask = () => standings(runner, daemon, clock)
      const alerts = watchAlerts(runner, daemon, { clock, log, metrics, told })
      return {
        exposition: metrics,
        progress: current,
        begin: alerts.begin,
        close: alerts.close,
        listener(event) {
          metrics.onDaemon(event)
          alerts.listener(event)
        },
      }
    },
  }
}

/** The same for an account each time: its counters go on, and what receivers were told is remembered. `isNamed`: figures bear the account's name. */
export function createWatchings(
  parts: Omit<WatchingParts, 'account'>,
  isNamed: boolean,
): (account: string) => Watching {
  const all = new Map<string, Watching>()
  return (account) => {
    const one = all.get(account) ?? openWatching({ ...parts, account: isNamed ? account : undefined })
    all.set(account, one)
    return one
  }
}
