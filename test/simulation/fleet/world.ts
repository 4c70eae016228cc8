// The world of one seed of the fleet: time, the service and its ledger, the database, the sources, and the processes that are
// alive just now.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Chance, chanceFrom } from '../chance.ts'
import type { Connection } from '../../../src/store/file/connection.ts'
import { isPassing } from '../../../src/app/daemon/fleet/rejoining.ts'
import { connectToServer } from '../../../src/store/postgres/connection.ts'
import { type Claims, watchClaims } from '../claims.ts'
import { createLedger, isWrite, type Ledger } from '../ledger.ts'
import { createNetwork } from '../network.ts'
import { createSimulatedService, type SimulatedService } from '../simulated-service.ts'
import { createSimulatedSource, type SimulatedSource } from '../simulated-source.ts'
import { createTimeline, type Timeline } from '../timeline.ts'
import { watchEffects } from '../watch.ts'
import type { Violation } from '../world.ts'
import { type AskFault, channelsOf, type Way } from './channel.ts'
import type { SimulatedDatabase } from './database.ts'
import { createLife, type Life } from './life.ts'
import { watchIdleness, watchRequests, watchWaiting } from './oracles.ts'
import { type FleetProcess, startProcess } from './process.ts'
import { drawFleet, type FleetSetup, LATEST_MS, TIMEOUT_MS } from './setup.ts'

export interface FleetWorld {
  readonly chance: Chance
  readonly setup: FleetSetup
  readonly timeline: Timeline
  readonly database: SimulatedDatabase
  readonly ledger: Ledger
  readonly service: SimulatedService
  readonly claims: Claims
  readonly sources: ReadonlyMap<string, SimulatedSource>
  readonly violations: Violation[]
  readonly violated: (oracle: string, text: string) => void
  readonly trace: string[]
  readonly say: (text: string) => void
  readonly logged: string[]
  /** Stamps of records that are in the last exports. */
  readonly lastNamed: Set<string>
  /** By name of the worker. */
  readonly processes: Map<string, FleetProcess>
  /** What goes wrong with the ways to the database. */
  readonly trouble: {
    awayUntil: number
    restarts: number
    clockOffMs: number
    /** When it was set forward last, and when a worker joined last. */
    forwardAt: number
    joinedAt: number
    /** When it was set back last: leases begin again. */
    setBackAt: number
    /** How long all stood still so far while a statement was slow. */
    slowMs: number
    /** By number of the process: until when it renews nothing. */
    readonly renewerCutUntil: Map<number, number>
  }
  readonly figures: { starts: number; deaths: number; pauses: number; asks: number; files: number }
  /** What happens to the next workers that write to the service, in turn, a moment after their request has left. */
  readonly armed: ((process: FleetProcess) => void)[]
  /** Nothing goes wrong any more. */
  isCalm: boolean
  /** When that was. */
  calmAt: number
  start(name: string): void
  kill(process: FleetProcess): void
  leases(): ReadonlyMap<string, number>
  /** A connection of a worker that does nothing, to look at the state as it is; it must be closed. */
  connect(): Connection & { close(): void }
  /** Judges what is to be seen just now. */
  look(): void
}

/** Without what makes a course another one. */
export interface Course {
  readonly isUndisturbed: boolean
}

/** So long after the last trouble each worker has joined, and keeps its lease. */
const RESTORED_MS = 90_000
/** An answer takes longer, or is just there. */
const STRIKES_WITHIN_MS = 700
/** Who looks, and is no worker. */
const NOBODY = 0
const PLACE = { path: '', url: 'postgres://simulated/', schema: 'contact_sync' }

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `worker-${index + 1}`)

export const workerNames = ({ setup }: FleetWorld): readonly string[] => names(setup.workers)

function wayOf(
  world: Pick<FleetWorld, 'timeline' | 'database' | 'trouble' | 'say' | 'setup' | 'figures'>,
  { chance, isCalm, onFault }: { chance: Chance; isCalm(): boolean; onFault(life: Life): void },
): Way {
  const { timeline, database, trouble, say, setup, figures } = world
  const { rates } = setup
  function drawn(isCommit: boolean): AskFault | undefined {
    if (chance.happens(isCommit ? rates.commit : rates.statement))
      return { kind: chance.pick(['lost', 'answer lost']) }
    if (!chance.happens(rates.slow)) return undefined
    const ms = chance.pick([200, 1500, 4000])
    return { kind: 'slow', ...(chance.happens(0.5) ? { beforeMs: ms } : { afterMs: ms }) }
  }
  return {
    database,
    timeline,
    chance,
    now: () => timeline.now() + trouble.clockOffMs,
    get restarts() {
      return trouble.restarts
    },
    get isAway() {
      return timeline.now() < trouble.awayUntil
    },
    fault(life, isCommit) {
      figures.asks += 1
      const fault = isCalm() || life.number === NOBODY ? undefined : drawn(isCommit)
      // The process dies with it.
      if (fault !== undefined && fault.kind !== 'slow' && chance.happens(0.3)) onFault(life)
      return fault
    },
    isRenewerCut: ({ number }) => timeline.now() < (trouble.renewerCutUntil.get(number) ?? 0),
    spent: (ms) => void (trouble.slowMs += ms),
    say,
  }
}

export function makeFleet(
  seed: number,
  { folder, database }: { folder: string; database: SimulatedDatabase },
  { isUndisturbed }: Course,
): FleetWorld {
  const chance = chanceFrom(seed).stream('fleet')
  const timeline = createTimeline(chance.stream('time'))
  const drawn = drawFleet(chance.stream('setup'), join(folder, 'state.db'))
  const setup = isUndisturbed ? { ...drawn, workers: 1, serviceFaults: [] } : drawn
  const START = timeline.now()
  const [trace, logged, violations]: [string[], string[], Violation[]] = [[], [], []]
  const say = (text: string): void => void trace.push(`${timeline.now() - START} ${text}`)
  const violated = (oracle: string, text: string): void => {
    violations.push({ oracle, text })
    say(`VIOLATION ${oracle}: ${text}`)
  }
  const { settings, habits, serviceFaults, rates } = setup
  const { pipelines } = settings
  const ledger = createLedger()
  const service = createSimulatedService(ledger, habits, chance.stream('service behaviour'))
  const claims = watchClaims(ledger, service.contacts)
  const sources = new Map(pipelines.map(({ name }) => [name, createSimulatedSource(timeline.now)]))
  const strikes = chance.stream('strikes')
  const network = createNetwork({
    ...{ timeline, ledger, service, trace: say },
    limits: {
      timeoutMs: TIMEOUT_MS,
      latestMs: LATEST_MS,
      requests: settings.service.rate_limit.requests,
      perMs: settings.service.rate_limit.per,
    },
    chance: chance.stream('network'),
    // What an update that comes late brings, nobody can undo.
    faults: () => (entry) =>
      world.isCalm
        ? undefined
        : serviceFaults.find(
            ({ kind, rate }) => strikes.happens(rate) && (kind !== 'late' || entry.method === 'POST'),
          )?.kind,
    isRevoked: () => false,
    violated(oracle, text) {
      // What a worker that joins then cannot know.
      const untilMs = settings.service.rate_limit.per + TIMEOUT_MS
      const isUnknown =
        trouble.joinedAt > trouble.forwardAt && timeline.now() < trouble.forwardAt + 2 * untilMs
      if (!isUnknown) violated(oracle, text)
    },
    // A pause ends by the clock of the database.
    isForgotten: (since) => trouble.forwardAt > since,
    isClockOff: () => [...world.processes.values()].some(({ life }) => life.clockOffMs !== 0),
  })
  watchEffects({
    ...{ ledger, service, claims, pipelines, sources, violated },
    overruled: new Set(),
    undoneRuns: [],
    handTerms: { isReleased: () => false },
  })
  const trouble = {
    awayUntil: 0,
    restarts: 0,
    clockOffMs: 0,
    forwardAt: -Infinity,
    setBackAt: -Infinity,
    joinedAt: 0,
    slowMs: 0,
    renewerCutUntil: new Map<number, number>(),
  }
  const figures = { starts: 0, deaths: 0, pauses: 0, asks: 0, files: 0 }
  const base = { chance, setup, timeline, database, ledger, service, claims, sources }
  const told = { violations, violated, trace, say, logged, trouble, figures }
  const begunAt = new Map<string, number>()
  const watched = watchRequests({ ledger, claims, service, violated })
  const looks = [
    watchIdleness(
      pipelines.map(({ name }) => name),
      violated,
    ),
    ...(serviceFaults.length > 0
      ? []
      : [
          watchWaiting(
            pipelines.map(({ name }) => name),
            (name) => (sources.get(name)?.waiting.size ?? 0) > 0,
            violated,
          ),
        ]),
  ]
  const way = wayOf(
    { ...base, ...told },
    {
      chance: chance.stream('ways'),
      isCalm: () => world.isCalm,
      onFault: (life) => {
        const process = [...world.processes.values()].find((one) => one.life === life)
        if (process !== undefined) world.kill(process)
      },
    },
  )
  const again = chance.stream('restarts')
  function onEnd(process: FleetProcess, error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : ''
    say(`${process.name} ends${text === '' ? '' : `: ${text.split('\n')[0] ?? ''}`}`)
    if (error !== undefined && !isPassing(world.setup.settings, error)) violated('fault', text)
    if (world.processes.get(process.name) !== process) return
    process.life.end()
    startLater(process.name)
  }
  function startLater(name: string): void {
    world.processes.delete(name)
    timeline.after(again.pick([1_000, 5_000, 25_000]), () => {
      if (!world.processes.has(name)) world.start(name)
    })
  }
  const world: FleetWorld = {
    ...base,
    ...told,
    lastNamed: new Set(),
    processes: new Map(),
    armed: [],
    isCalm: isUndisturbed,
    calmAt: Infinity,
    start(name) {
      figures.starts += 1
      const path = join(folder, name)
      mkdirSync(path, { recursive: true })
      // One process that nothing disturbs has its state in a file.
      const own = { ...(isUndisturbed ? {} : PLACE), path: join(path, 'state.db') }
      const process = startProcess(
        {
          ...{ timeline, chance, way, sources, say, onEnd, lateRate: isUndisturbed ? 0 : rates.late },
          transport: network.transport(1),
          settings: { ...settings, state: own, workers: { name, labels: [] } },
          log: (line) => logged.push(line),
          begun: (pipeline) => begunAt.set(pipeline, timeline.now()),
          joined() {
            trouble.joinedAt = timeline.now()
            const calmMs = timeline.now() - world.calmAt
            if (calmMs > RESTORED_MS)
              violated('F6', `${name} joins ${calmMs / 1000} s after the last trouble`)
          },
          sent: (by, fence) => {
            if (isUndisturbed) return
            watched({ process: by.life.number, fence, leases: world.leases() })
            const last = ledger.requests.at(-1)
            const act = last !== undefined && isWrite(last) ? world.armed.shift() : undefined
            if (act !== undefined) timeline.after(strikes.int(STRIKES_WITHIN_MS), () => act(by))
          },
        },
        { name, number: figures.starts },
      )
      world.processes.set(name, process)
    },
    kill(process) {
      say(`${process.name} dies`)
      figures.deaths += 1
      process.life.end()
      process.usableSince = undefined
      startLater(process.name)
    },
    connect() {
      const plan = { number: NOBODY, timeline, chance, lateRate: 0, latestMs: 0 }
      const joining = { name: 'nobody', machine: 'nowhere', pid: 0, since: 0, leaseMs: 600_000, alone: false }
      return connectToServer(PLACE, joining, channelsOf(way, createLife(plan)))
    },
    leases: () =>
      new Map(
        database
          .read('SELECT pipeline, fence FROM pipeline_lease', way.now())
          .map(([pipeline, fence]) => [pipeline ?? '', Number(fence)]),
      ),
    look() {
      const usable = [...world.processes.values()].filter(
        ({ life, fence, isDraining }) => !life.isOver && !life.isPaused && fence !== undefined && !isDraining,
      )
      for (const process of world.processes.values())
        if (!usable.includes(process)) process.usableSince = undefined
        else process.usableSince ??= timeline.now()
      if (way.isAway) for (const process of usable) process.usableSince = timeline.now()
      if (usable.length === 0) return
      const seen = {
        now: timeline.now(),
        slowMs: trouble.slowMs,
        setBackAt: trouble.setBackAt,
        begunAt,
        leases: world.leases(),
        processes: [...world.processes.values()],
        usable,
      }
      for (const look of looks) look(seen)
    },
  }
  return world
}
