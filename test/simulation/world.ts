// The world of one seed: time, the service with its ledger, the network before it, sources, others, and the program that is
// alive just now.
import { join } from 'node:path'
import { type Chance, chanceFrom } from './chance.ts'
import { type Claims, watchClaims } from './claims.ts'
import { createForms, type Forms, withHash } from './changing.ts'
import { hasStatus, watchRaises } from './consent.ts'
import type { Corrected } from './correcting.ts'
import type { Erasure } from './erasing.ts'
import { type FaultPlan, noFaults, swarmFaults } from './faults.ts'
import { createForeigners, type Foreigners } from './foreigners.ts'
import { tryCopies } from './impostors.ts'
import { type HandTerms, watchHandTerms } from './hand-terms.ts'
import { createHands, type Hands, keepingEdits } from './hands.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { createNetwork } from './network.ts'
import { HEADER } from './people.ts'
import {
  copyState,
  type Program,
  type ProgramDeps,
  removeState,
  startProgram,
  type StateFolder,
} from './program.ts'
import { drawSetup, LATEST_MS, type Setup, TIMEOUT_MS } from './setup.ts'
import { createSimulatedService, type SimulatedService } from './simulated-service.ts'
import { createPulledSource, type PulledSource } from './simulated-pull.ts'
import { createSimulatedSource, type SimulatedSource } from './simulated-source.ts'
import { createTimeline, type Timeline } from './timeline.ts'
import type { BegunRun, UndoneRun } from './undoing.ts'
import { watchEffects } from './watch.ts'
import { watchWithdrawals, type Withdrawals } from './withdrawals.ts'
import { createWorkload, type Workload } from './workload.ts'

export interface Violation {
  readonly oracle: string
  readonly text: string
}

/** What is not left to the seed. */
export interface Schedule {
  readonly faults?: FaultPlan
  /** The points at which the lives end, in turn; no further life crashes. */
  readonly crashes?: readonly number[]
  readonly setup?: (drawn: Setup) => Setup
  readonly days?: number
  /** Between two of them. */
  readonly nightMs?: number
  readonly isQuiet?: boolean
  /** The sources are asked for their records, and give them badly. */
  readonly isPulled?: boolean
  /** Every pipeline keeps what users edit at the service, and they do it all the time. */
  readonly isEdited?: boolean
  /** An admin changes the configuration from day to day. */
  readonly isChanged?: boolean
  /** A person undoes runs. */
  readonly isUndone?: boolean
  /** People ask to be erased. */
  readonly isErased?: boolean
  /** A person sets values right. */
  readonly isCorrected?: boolean
  /** Before the quiet time an older backup takes the place of the state, and is rebuilt. */
  readonly isRestored?: boolean
}

/** Everything that there is while one seed takes its course. */
export interface World {
  readonly chance: Chance
  readonly schedule: Schedule
  readonly setup: Setup
  readonly timeline: Timeline
  readonly ledger: Ledger
  readonly service: SimulatedService
  readonly claims: Claims
  readonly sources: ReadonlyMap<string, SimulatedSource>
  /** The settings in force, which are those of the end only then. */
  readonly forms: Forms
  /** Those of them that are asked for their records. */
  readonly pulled: ReadonlyMap<string, PulledSource>
  readonly workloads: ReadonlyMap<string, Workload>
  readonly foreigners: Foreigners
  /** Where edits by hand are kept. */
  readonly hands: Hands | undefined
  readonly withdrawals: Withdrawals
  readonly handTerms: HandTerms
  /** The files of the outbox by name; undefined where there is none. */
  readonly outbox: Map<string, string> | undefined
  readonly violations: Violation[]
  readonly overruled: Set<string>
  /** In the order in which they began, over all lives. */
  readonly begun: BegunRun[]
  readonly undoneRuns: UndoneRun[]
  readonly erasures: Erasure[]
  readonly corrections: Corrected[]
  /** Pipelines of which a person has released anything. */
  readonly released: Set<string>
  readonly violated: (oracle: string, text: string) => void
  readonly trace: string[]
  readonly say: (text: string) => void
  readonly logged: string[]
  readonly deps: ProgramDeps
  readonly folder: StateFolder
  faults: FaultPlan
  revokedUntil: number
  /** By how much the wall clock of the program's machine is off, and when it jumped last. */
  clockOffMs: number
  clockJumpedAt: number
  /** How many requests had been sent when the state was copied. */
  copiedAt: number
  /** Requests of which a restored backup knows nothing. */
  lost: [after: number, upTo: number]
  foreignRate: number
  /** Nothing goes wrong any more, and no one else works at the service. */
  isCalm: boolean
  crashRate: number
  program: Program
  lives: number
  points: number
  crashes: number
  runs: number
  files: number
}

/** What was sent, given and seen since the backup is known to nobody: what remains is that no contact is made twice. */
const isPromisedAfterRestore = (oracle: string, text: string): boolean =>
  oracle === 'O1' ? text.includes('is doubled') : !['O2', 'O3', 'terms', 'hands', 'consent'].includes(oracle)

/** Now and then a file cannot be moved: how long that lasts, for the next file of the pipeline. */
function stuckFor(pipeline: string, chance: Chance): () => number {
  const draws = chance.stream(`stuck ${pipeline}`)
  return () => (draws.happens(0.12) ? draws.pick([60_000, 7_200_000, 36_000_000]) : 0)
}

export function makeWorld(seed: number, folder: StateFolder, schedule: Schedule): World {
  const chance = chanceFrom(seed)
  const timeline = createTimeline(chance.stream('time'))
  const drawn = drawSetup(chance.stream('setup'))
  const given = schedule.setup?.(drawn) ?? drawn
  const edited = schedule.isEdited === true ? keepingEdits(given, chance.stream('edited')) : given
  const setup =
    schedule.isChanged === true ? { ...edited, pipelines: edited.pipelines.map(withHash) } : edited
  const ledger = createLedger()
  const service = createSimulatedService(ledger, setup.habits, chance.stream('service behaviour'))
  const claims = watchClaims(ledger, service.contacts)
  const violations: Violation[] = []
  const overruled = new Set<string>()
  const begun: BegunRun[] = []
  const undoneRuns: UndoneRun[] = []
  const trace: string[] = []
  const logged: string[] = []
  const say = (text: string): void => void trace.push(`${timeline.now() - START} ${text}`)
  const START = timeline.now()
  const violated = (oracle: string, text: string): void => {
    if (whole.lost[1] > 0 && !isPromisedAfterRestore(oracle, text)) return
    violations.push({ oracle, text })
    say(`VIOLATION ${oracle}: ${text}`)
  }
  const names = setup.pipelines.map(({ name }) => name)
  const isCalm = (): boolean => whole.faults === noFaults
  const pulled = new Map(
    (schedule.isPulled === true ? setup.pipelines : []).map((pipeline) => [
      pipeline.name,
      createPulledSource({
        now: timeline.now,
        chance: chance.stream(`pull ${pipeline.name}`),
        isFull: pipeline.mode === 'full',
        keyColumn: HEADER.indexOf(pipeline.key === undefined ? 'mail' : 'no'),
        isQuiet: isCalm,
        life: () => whole.lives,
        stuckFor: stuckFor(pipeline.name, chance),
        violated,
        say,
      }),
    ]),
  )
  const sources = new Map(
    names.map((name) => [
      name,
      pulled.get(name) ??
        createSimulatedSource(timeline.now, {
          stuckFor: stuckFor(name, chance),
          isCalm,
          life: () => whole.lives,
        }),
    ]),
  )
  const workloads = new Map(
    setup.pipelines.map((pipeline) => [
      pipeline.name,
      createWorkload(pipeline, chance.stream(`work ${pipeline.name}`), {
        isShared: setup.isShared,
        now: timeline.now,
      }),
    ]),
  )
  const swarm = chance.stream('swarm')
  const world: Omit<World, 'deps' | 'foreigners' | 'hands' | 'handTerms' | 'withdrawals' | 'program'> = {
    chance: swarm,
    schedule,
    setup,
    timeline,
    ledger,
    service,
    claims,
    sources,
    forms: createForms(timeline.now),
    pulled,
    workloads,
    violations,
    overruled,
    begun,
    undoneRuns,
    erasures: [],
    corrections: [],
    released: new Set(),
    violated,
    trace,
    say,
    logged,
    folder,
    outbox: setup.hasOutbox ? new Map() : undefined,
    faults: schedule.faults ?? swarmFaults(chance.stream('faults')).plan,
    revokedUntil: 0,
    clockOffMs: 0,
    clockJumpedAt: 0,
    copiedAt: 0,
    isCalm: schedule.isQuiet === true,
    foreignRate: schedule.isQuiet === true ? 0 : swarm.pick([0, 0, 1, 4]),
    crashRate: schedule.isQuiet === true ? 0 : swarm.pick([0, 0.3, 0.6, 0.9]),
    lives: 0,
    points: 0,
    crashes: 0,
    lost: [0, 0],
    runs: 0,
    files: 0,
  }
  const mails = (): string[] =>
    [...sources.values()].flatMap(({ opened, waiting }) =>
      [...opened, ...waiting.values()].flatMap(({ rows }) =>
        rows.flatMap((row) => (row[1]?.includes('@') === true ? [row[1]] : [])),
      ),
    )
  const foreigners = createForeigners(service, timeline, chance.stream('others'), mails, {
    withStatus: setup.pipelines.some(hasStatus),
    trace: say,
  })
  const network = createNetwork({
    timeline,
    ledger,
    service,
    limits: {
      timeoutMs: TIMEOUT_MS,
      latestMs: LATEST_MS,
      requests: setup.service.rate_limit.requests,
      perMs: setup.service.rate_limit.per,
    },
    chance: chance.stream('network'),
    faults: () => whole.faults,
    isRevoked: () => timeline.now() < whole.revokedUntil,
    isClockOff: () => whole.clockOffMs !== 0,
    violated,
    trace: say,
  })
  const deps: ProgramDeps = {
    timeline,
    ledger,
    chance: chance.stream('program'),
    service: setup.service,
    pipelines: setup.pipelines,
    outbox: world.outbox,
    begun,
    violated,
    sources,
    wall: () => timeline.now() + whole.clockOffMs,
    transport: (life) => network.transport(life),
    log: (line) => logged.push(line),
    trace: say,
  }
  const watched = { ledger, service, claims, pipelines: setup.pipelines, sources, violated }
  watchRaises(watched)
  const withdrawals = watchWithdrawals({ ...watched, outbox: world.outbox })
  const handTerms = watchHandTerms({ ...watched, undoneRuns, forms: world.forms })
  watchEffects({ ...watched, overruled, undoneRuns, handTerms })
  const hands =
    schedule.isEdited === true
      ? createHands({
          ...{ ledger, service, pipelines: setup.pipelines, terms: handTerms, violated, say },
          ...{ now: timeline.now, chance: chance.stream('hands') },
        })
      : undefined
  const whole = { ...world, foreigners, hands, handTerms, withdrawals, deps } as World
  return whole
}

/** Opens the state for another life: as it was left, or as it is when it is new. */
export function beginLife(world: World): void {
  const { folder, chance, schedule } = world
  const file = join(folder.path, `state-${world.lives}.db`)
  copyState(world.lives === 0 ? folder.template : world.program.file, file)
  if (world.lives > 0) {
    world.points += world.program.life.points
    world.program.drop()
    tryCopies(world)
    removeState(world.program.file)
  }
  const drawn = chance.happens(world.crashRate) ? chance.between(1, chance.pick([30, 150, 500])) : undefined
  const crashAt = schedule.crashes === undefined ? drawn : schedule.crashes[world.lives]
  const yields = chance.pick([0, 0, 0.2])
  world.lives += 1
  world.program = startProgram(world.deps, { file, number: world.lives }, { crashAt, yields })
}
