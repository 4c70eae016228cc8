// Everything that `/metrics` shows. Events are counted as they happen; present counts are read at each scrape.
// Labels are names of the configuration, routes and words of this program: never an id, a file or a person.
import type { DaemonEvent, DaemonListener } from '../core/outcome/daemon.ts'
import type { ServiceListener } from '../core/log/events/service-event.ts'
import { isBeforeOthers, OUTCOMES } from '../core/outcome/summary.ts'
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createStandings, type Standings } from './standings.ts'

export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
  /** The same as data, to be joined with those of other accounts. */
  series(): Promise<Series>
  readonly onService: ServiceListener
  readonly onDaemon: DaemonListener
  /** Every series of the pipeline is there from now on, so that its first increase is seen as one. */
  readonly begin: (pipeline: string) => void
  /** A message of an alert was delivered, or could not be. */
  readonly onAlert: (outcome: 'delivered' | 'failed') => void
}

export type Series = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

const PREFIX = 'contact_sync_'

/** `broken`: ended by a fault of the state or of this program. */
const RUN_STATUSES = ['ok', 'partial', 'held', 'failed', 'broken'] as const

/** Gauges that are named as if they were counters; each is the sum of another one. */
const MISNAMED = ['resources', 'handles', 'requests'].map((what) => `${PREFIX}nodejs_active_${what}_total`)

/** `refused`: also one that could not be read, which newer ones wait for. `left`: not taken yet, because it still changes or the run was stopped. */
const FILE_STATUSES = ['done', 'refused', 'held', 'left'] as const

const REQUEST_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const WAIT_SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 5, 15, 60, 300]
const RUN_SECONDS = [0.1, 1, 5, 15, 60, 300, 900, 3600, 4 * 3600]

function createRequestMetrics(registry: Registry): ServiceListener {
  const registers = [registry]
  const requests = new Counter({
    name: `${PREFIX}requests_total`,
    help: 'Requests to the service, retries included; status "none" if no answer was received.',
    labelNames: ['endpoint', 'method', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: `${PREFIX}request_duration_seconds`,
    help: 'Time from sending a request to its complete answer, or to giving up.',
    labelNames: ['endpoint', 'method'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const waits = new Histogram({
    name: `${PREFIX}rate_wait_seconds`,
    help: 'How long requests waited: for the rate limit, for a pause of the service, for other requests in flight.',
    buckets: WAIT_SECONDS,
    registers,
  })
  const retries = new Counter({
    name: `${PREFIX}retries_total`,
    help: 'Requests that failed temporarily and were to be sent again.',
    labelNames: ['endpoint', 'method'],
    registers,
  })
  const throttled = new Counter({
    name: `${PREFIX}throttled_total`,
    help: 'Answers of the service with "too many requests".',
    registers,
  })
  const exhausted = new Counter({
    name: `${PREFIX}daily_limit_total`,
    help: 'Calls that were not sent because service.rate_limit.per_day was used up.',
    registers,
  })
  return (event) => {
    switch (event.type) {
      case 'request': {
        const { path: endpoint, method, status } = event
        requests.inc({ endpoint, method, status: String(status ?? 'none') })
        seconds.observe({ endpoint, method }, event.durationMs / 1000)
        return waits.observe(event.waitedMs / 1000)
      }
      case 'retry':
        return retries.inc({ endpoint: event.path, method: event.method })
      case 'throttled':
        return throttled.inc()
      case 'daily_limit':
        return exhausted.inc()
      case 'waiting':
        return
    }
  }
}

function createRunMetrics(registry: Registry) {
  const registers = [registry]
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name: `${PREFIX}${name}`, help, labelNames: ['pipeline', ...labels], registers })
  const runs = counter('runs_total', 'Runs that have ended.', 'status')
  const records = counter('records_total', 'Records read, each counted once, by outcome.', 'outcome')
  const files = counter('files_total', 'Files that runs found, by outcome.', 'status')
  const deleted = counter(
    'deleted_total',
    'Contacts deleted, or stripped of terms, because their record is missing.',
  )
  const terms = counter('terms_created_total', 'Terms created at the service.')
  const drift = counter(
    'drift_total',
    'Changes by others that runs found at the service: contacts deleted, fields redefined.',
  )
  const overlaps = counter('overlaps_total', 'Due runs skipped because the previous run was still active.')
  const missed = counter('missed_total', 'Due times missed while nothing could run.')
  const seconds = new Histogram({
    name: `${PREFIX}run_duration_seconds`,
    help: 'How long runs took.',
    labelNames: ['pipeline'],
    buckets: RUN_SECONDS,
    registers,
  })
  const begin = (pipeline: string): void => {
    for (const status of RUN_STATUSES) runs.inc({ pipeline, status }, 0)
    for (const outcome of OUTCOMES) records.inc({ pipeline, outcome }, 0)
    for (const status of FILE_STATUSES) files.inc({ pipeline, status }, 0)
    for (const one of [deleted, terms, drift, overlaps, missed]) one.inc({ pipeline }, 0)
  }
  const ended = ({ run }: Extract<DaemonEvent, { type: 'run_ended' }>): void => {
    const { pipeline, status } = run
    runs.inc({ pipeline, status })
    for (const outcome of OUTCOMES) records.inc({ pipeline, outcome }, run[outcome])
    for (const file of run.files)
      files.inc({ pipeline, status: isBeforeOthers(file) ? 'refused' : file.status })
    deleted.inc({ pipeline }, run.deleted)
    terms.inc({ pipeline }, run.terms_created)
    drift.inc({ pipeline }, run.drift)
    seconds.observe({ pipeline }, run.duration_ms / 1000)
  }
  return { begin, ended, runs, overlaps, missed }
}

function daemonListener(runs: ReturnType<typeof createRunMetrics>): DaemonListener {
  return (event) => {
    switch (event.type) {
      case 'run_ended':
        return runs.ended(event)
      case 'run_broken':
        return runs.runs.inc({ pipeline: event.pipeline, status: 'broken' })
      case 'overlapped':
        return runs.overlaps.inc({ pipeline: event.pipeline }, event.times)
      case 'missed':
        return runs.missed.inc({ pipeline: event.pipeline }, event.times)
      case 'reloaded':
        for (const { name } of event.settings.pipelines) runs.begin(name)
        return
      default:
        return
    }
  }
}

/** Of the process, whichever accounts it has. */
function addProcess(registry: Registry, version: string): void {
  collectDefaultMetrics({ register: registry, prefix: PREFIX })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const build = new Gauge({
    name: `${PREFIX}build_info`,
    help: 'Always 1; the version is in the labels.',
    labelNames: ['version'],
    registers: [registry],
  })
  build.set({ version }, 1)
}

/** All accounts together; their series differ by the label `account`. */
export function joinedMetrics(
  version: string,
  of: {
    accounts(): readonly Pick<Metrics, 'series'>[]
    /** Names of files. */
    broken(): readonly string[]
  },
): Pick<Metrics, 'contentType' | 'text'> {
  const registry = new Registry()
  addProcess(registry, version)
  const broken = new Gauge({
    name: `${PREFIX}configuration_file_broken`,
    help: '1 for each file of the configuration that is broken: its pipelines are not in use.',
    labelNames: ['file'],
    registers: [registry],
  })
  return {
    contentType: registry.contentType,
    async text() {
      broken.reset()
      for (const file of of.broken()) broken.set({ file }, 1)
      const all = await Promise.all(of.accounts().map(async (one) => one.series()))
      const joined = AggregatorRegistry.aggregate(all)
      return `${await registry.metrics()}\n${await joined.metrics()}`
    },
  }
}

export interface MetricsOf {
  readonly version: string
  /** Where there are several: what its series are labelled with. They have no figures of the process then. */
  readonly account?: string | undefined
}

/** `standings`: asked at every look. */
export function createMetrics(about: MetricsOf, standings: () => Promise<Standings>): Metrics {
  const registry = new Registry()
  if (about.account === undefined) addProcess(registry, about.version)
  else registry.setDefaultLabels({ account: about.account })
  const alerts = new Counter({
    name: `${PREFIX}alert_messages_total`,
    help: 'Attempts to deliver a message of an alert.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of ['delivered', 'failed']) alerts.inc({ outcome }, 0)
  const runs = createRunMetrics(registry)
  const show = createStandings(registry)
  return {
    contentType: registry.contentType,
    async text() {
      show(await standings())
      return registry.metrics()
    },
    async series() {
      show(await standings())
      return registry.getMetricsAsJSON()
    },
    begin: runs.begin,
    onService: createRequestMetrics(registry),
    onDaemon: daemonListener(runs),
    onAlert: (outcome) => alerts.inc({ outcome }),
  }
}
