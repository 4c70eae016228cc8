// The gauges: present counts at the moment of a scrape. All are set again each time, so that what is no longer configured
// is no longer shown. Times are seconds since the epoch, as Prometheus wants them: an age is `time() - ...`.
import type { waitingForBrakes } from '../core/change/waiting/brake.ts'
import type { DriftRound } from '../core/change/others/drift-rounds.ts'
import type { Backlog } from '../core/outcome/backlog.ts'
import type { DaemonCondition } from '../core/outcome/daemon.ts'
import type { RateUse } from '../core/log/events/service-event.ts'
import type { WorkerView } from '../core/fleet.ts'
import type { Milestones } from '../core/log/milestones.ts'
import { Gauge, type Registry } from 'prom-client'

export interface PipelineStanding extends Pick<Milestones, 'lastSuccessAt' | 'lastFile'>, Backlog {
  readonly name: string
  /** Its first run; where it has had none, the start of the daemon if it has a schedule. */
  readonly watchedSince: number | undefined
  /** Contacts that wait for a term because of a brake, by what the brake does. */
  readonly braked: ReturnType<typeof waitingForBrakes>
  /** The latest round of looks for drift, and the share that may differ. */
  readonly drift: { readonly round: DriftRound | undefined; readonly share: number } | undefined
}

export interface Standings {
  readonly pipelines: readonly PipelineStanding[]
  readonly condition: DaemonCondition
  readonly isReady: boolean
  readonly rate: RateUse
  /** Requests that a window may hold, and that a day may, as configured; undefined: no limit. */
  readonly limits: { readonly window: number; readonly day: number | undefined }
  readonly requestsOfDay: number
  readonly state: { readonly bytes: number; readonly walBytes: number }
  /** Messages of alerts that no receiver has taken yet. */
  readonly undelivered: number
  /** What of the sync log is not handed over yet, and since when (milliseconds); undefined where nothing is handed over. */
  readonly handOver: { readonly behind: number; readonly oldestAt: number | undefined } | undefined
  /** Conditions that are raised, by name, each with how many pipelines it is about. */
  readonly raised: ReadonlyMap<string, number>
}

type Row = readonly [labels: Readonly<Record<string, string>>, value: number | undefined]
type Plain = (standings: Standings) => number | undefined
type OfPipeline = (pipeline: PipelineStanding, standings: Standings) => number | undefined

const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000)
const ofCondition = (name: string, { condition }: Standings) =>
  condition.pipelines.find((pipeline) => pipeline.name === name)

const PLAIN: readonly (readonly [name: string, help: string, value: Plain])[] = [
  ['ready', 'Whether /readyz says ready.', ({ isReady }) => Number(isReady)],
  ['started_timestamp_seconds', 'When the daemon started.', ({ condition }) => seconds(condition.startedAt)],
  [
    'reload_refused',
    'Whether the last reload was refused, so that an older configuration is in use.',
    ({ condition }) => Number(condition.refusedReload !== undefined),
  ],
  [
    'rate_allowed',
    'Requests that a window allows now: fewer than configured for a while after the service throttled.',
    ({ rate }) => rate.allowed,
  ],
  ['rate_used', 'Requests in the current window.', ({ rate }) => rate.used],
  ['rate_limit', 'Requests that a window allows, as configured.', ({ limits }) => limits.window],
  ['rate_waiting', 'Calls waiting for the rate limit.', ({ rate }) => rate.waiting],
  [
    'rate_paused_seconds',
    'How long all calls are still paused because the service asked for it.',
    ({ rate }) => seconds(rate.pausedMs),
  ],
  [
    'daily_requests',
    'Requests in the last 24 hours, counted by the hour; only if a limit is set.',
    ({ limits, requestsOfDay }) => (limits.day === undefined ? undefined : requestsOfDay),
  ],
  ['daily_limit', 'Requests allowed in 24 hours; only if a limit is set.', ({ limits }) => limits.day],
  [
    'hand_over_waiting',
    'Entries of the sync log that are not handed over yet; only if audit.hand_over is set.',
    ({ handOver }) => handOver?.behind,
  ],
  [
    'hand_over_oldest_timestamp_seconds',
    'When the oldest entry was made that is not handed over yet; only if there is one.',
    ({ handOver }) => seconds(handOver?.oldestAt),
  ],
  ['alerts_undelivered', 'Alert messages not delivered yet.', ({ undelivered }) => undelivered],
]

const OF_PIPELINE: readonly (readonly [name: string, help: string, value: OfPipeline])[] = [
  ['linked', 'Records that are linked to a contact.', ({ linked }) => linked],
  ['rejects', 'Rejected records that are kept.', ({ rejects }) => rejects],
  ['held', 'Changes held for a decision.', ({ held }) => held],
  ['in_doubt', 'Operations whose outcome is unknown.', ({ inDoubt }) => inDoubt],
  ['on_its_way', 'Operations sent and waiting for their answer.', ({ onItsWay }) => onItsWay],
  ['retriable', 'Operations that the next run tries again.', ({ retriable }) => retriable],
  [
    'last_success_timestamp_seconds',
    'When the last run ended that was not aborted.',
    ({ lastSuccessAt }) => seconds(lastSuccessAt),
  ],
  [
    'watched_since_timestamp_seconds',
    'When its first run began; without one, when the daemon started, if it has a schedule.',
    ({ watchedSince }) => seconds(watchedSince),
  ],
  [
    'last_file_timestamp_seconds',
    'When the last run that found a file began.',
    ({ lastFile }) => seconds(lastFile?.at),
  ],
  [
    'next_run_timestamp_seconds',
    'When the next run is due.',
    ({ name }, all) => seconds(ofCondition(name, all)?.dueAt),
  ],
  [
    'running',
    'Whether a run is active.',
    ({ name }, all) => Number(ofCondition(name, all)?.runningSince !== undefined),
  ],
  [
    'pipeline_paused',
    'Whether an operator has paused it: it sends nothing until it is resumed.',
    ({ name }, { condition }) => Number(condition.paused.has(name)),
  ],
  [
    'overdue',
    'Whether it should have run and could not.',
    ({ name }, all) => {
      const pipeline = ofCondition(name, all)
      return Number(pipeline?.waitingSince !== undefined || pipeline?.brokenAt !== undefined)
    },
  ],
]

const DRIFT: readonly (typeof OF_PIPELINE)[number][] = [
  [
    'drift_share',
    'Of the contacts that the latest round of looks compared, the share that differs: 0 to 1.',
    ({ drift }) => {
      if (drift?.round === undefined) return undefined
      const { checked, differing } = drift.round.counts
      return checked === 0 ? 0 : differing / checked
    },
  ],
  [
    'drift_allowed_share',
    'The share of contacts that may differ, as configured.',
    ({ drift }) => drift?.share,
  ],
  [
    'drift_round_timestamp_seconds',
    'When the latest round of looks ended.',
    ({ drift }) => seconds(drift?.round?.endedAt),
  ],
]

type OfWorker = readonly [name: string, help: string, value: (worker: WorkerView) => number]

const OF_WORKER: readonly OfWorker[] = [
  [
    'worker_pipelines',
    'Pipelines that the worker has; only with a state at a server.',
    ({ pipelines }) => pipelines.length,
  ],
  ['worker_runs', 'Active runs of the worker; only with a state at a server.', ({ active }) => active.length],
  [
    'worker_started_timestamp_seconds',
    'When the worker started; only with a state at a server.',
    ({ since }) => since / 1000,
  ],
]

/** What a round has found: each contact in one of these. */
function driftRows({ name: pipeline, drift }: PipelineStanding): readonly Row[] {
  if (drift?.round === undefined) return []
  const { checked, differing, gone, kept, unanswered } = drift.round.counts
  const found = { as_sent: checked - differing - gone - kept, differing, gone, kept, unread: unanswered }
  return Object.entries(found).map(([outcome, contacts]) => [{ pipeline, outcome }, contacts])
}

type NewGauge = (name: string, help: string, ...labelNames: string[]) => Gauge

const setAll = (target: Gauge, rows: readonly Row[]): void => {
  target.reset()
  for (const [labels, value] of rows) if (value !== undefined) target.set(labels, value)
}
const setOne = (target: Gauge, value: number | undefined): void => {
  // An unknown value is not exported: a reset gauge would show 0.
  if (value === undefined) target.remove()
  else target.set(value)
}

/** Gives what sets the gauges of workers. */
function createWorkers(gauge: NewGauge): (standings: Standings) => void {
  const unassigned = gauge(
    'worker_missing_pipelines',
    'Pipelines that no worker may run; only with a state at a server.',
  )
  const ofWorker = OF_WORKER.map(([name, help, value]) => ({
    target: gauge(name, help, 'worker', 'machine'),
    value,
  }))
  return (standings) => {
    const { fleet } = standings.condition
    setOne(unassigned, fleet?.unassigned.length)
    for (const { target, value } of ofWorker)
      setAll(
        target,
        (fleet?.workers ?? []).map((one): Row => [{ worker: one.name, machine: one.machine }, value(one)]),
      )
  }
}

/** The codes of a pause: all are shown, so that a rule may ask for any. */
const PAUSES = ['SERVICE_UNREACHABLE', 'SERVICE_CONTRACT', 'SERVICE_KEY_REFUSED', 'DAILY_LIMIT'] as const

/** Gives what sets all gauges. */
export function createStandings(registry: Registry): (standings: Standings) => void {
  const gauge: NewGauge = (name, help, ...labelNames) =>
    new Gauge({ name: `contact_sync_${name}`, help, labelNames, registers: [registry] })
  const setWorkers = createWorkers(gauge)
  const plain = PLAIN.map(([name, help, value]) => ({ target: gauge(name, help), value }))
  const ofPipeline = [...OF_PIPELINE, ...DRIFT].map(([name, help, value]) => ({
    target: gauge(name, help, 'pipeline'),
    value,
  }))
  const paused = gauge('paused', 'Whether runs are paused, and why.', 'code')
  const bytes = gauge('state_bytes', 'The size of the state database, and of its write-ahead log.', 'file')
  const raised = gauge('alerts_raised', 'Conditions that were reported and still hold.', 'condition')
  const braked = gauge(
    'brake_waiting',
    'Contacts that wait for a term because of a brake, by what it does: it watches the first, or holds the rest.',
    'pipeline',
    'phase',
  )
  const contacts = gauge(
    'drift_contacts',
    'Contacts of the latest round of looks, by what was found.',
    'pipeline',
    'outcome',
  )
  return (standings) => {
    setWorkers(standings)
    setAll(
      braked,
      standings.pipelines.flatMap(({ name: pipeline, braked: waiting }) =>
        Object.entries(waiting).map(([phase, number]): Row => [{ pipeline, phase }, number]),
      ),
    )
    setAll(contacts, standings.pipelines.flatMap(driftRows))
    for (const { target, value } of plain) setOne(target, value(standings))
    for (const { target, value } of ofPipeline)
      setAll(
        target,
        standings.pipelines.map((pipeline): Row => [{ pipeline: pipeline.name }, value(pipeline, standings)]),
      )
    const { pause } = standings.condition
    setAll(
      paused,
      PAUSES.map((code): Row => [{ code }, Number(pause?.code === code)]),
    )
    setAll(bytes, [
      [{ file: 'database' }, standings.state.bytes],
      [{ file: 'wal' }, standings.state.walBytes],
    ])
    setAll(
      raised,
      [...standings.raised].map(([condition, number]): Row => [{ condition }, number]),
    )
  }
}
