// Which pipelines this process runs. Where it is the one owner of the state: all. Where it is one of several workers: those
// that it has a lease for, as the assignment (core/fleet.ts) says; it is looked at again every second. A pipeline whose run
// is active is given up when that has ended.
import { existsSync } from 'node:fs'
import {
  assignedTo,
  type Fleet,
  type FleetStanding,
  fleetView,
  hasEndedElsewhere,
  type PipelineTrouble,
  reportedTroubles,
  isDaemon,
  lookEvery,
  type Runnable,
  type WorkerReport,
} from '../../../core/fleet.ts'
import type { FleetCondition, PipelineCondition } from '../../../core/outcome/daemon.ts'
import type { Clock } from '../../../core/ports.ts'
import type { PipelineSettings, Settings } from '../../../core/settings.ts'
import type { Log } from '../../../log/log.ts'

export interface Ownership {
  isOwn(pipeline: string): boolean
  /** Whether it does what one process has to do for all: alerts, witness, hand-over. */
  isFirst(): boolean
  /** Looks once; before the first look nothing is owned. */
  look(): Promise<void>
  /** Looks again and again, until it is ended. */
  begin(): void
  /** Takes nothing more, and gives up what is not active. */
  drain(): Promise<void>
  /** The workers as they were seen last; undefined where there is one owner. */
  view(): FleetCondition | undefined
  standing(): { readonly all: FleetStanding; readonly own: number } | undefined
}

interface Parts {
  readonly fleet: Fleet | undefined
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  settings(): Settings
  /** Names of the pipelines whose runs are active. */
  active(): readonly string[]
  /** Of those that this process runs. */
  conditions(): readonly PipelineCondition[]
  /** When the latest run that this process made of each pipeline ended. */
  ended(): ReadonlyMap<string, number>
  /** What this worker says about rest. */
  rest(): WorkerReport['rest']
  /** How things stand; called with every look. */
  onStanding(standing: FleetStanding): Promise<void>
  /** A run of another worker has ended. */
  onEndedElsewhere(): void
  /** Other pipelines are owned now. */
  onChange(): Promise<void>
  onFault(error: unknown): void
}

const LOOK_MS = 1000

/** A folder of its own; what is fetched can be had everywhere. */
function sees({ source }: PipelineSettings): boolean {
  const folder: unknown = source['folder']
  return typeof folder !== 'string' || /^(sftp|s3):/.test(folder) || existsSync(folder)
}

function troubleOf({ waitingSince, brokenAt, brokenBy: code }: PipelineCondition): PipelineTrouble {
  return {
    ...(waitingSince === undefined ? {} : { waitingSince }),
    ...(brokenAt === undefined ? {} : { broken: { code } }),
  }
}

/** What this worker may run: without `on` everything. */
function runnable({ pipelines, workers }: Settings, { conditions, ended }: Parts): Runnable {
  const troubles = new Map(conditions().map((one) => [one.name, troubleOf(one)]))
  const ends = ended()
  const endOf = (name: string) => {
    const endedAt = ends.get(name)
    return endedAt === undefined ? {} : { endedAt }
  }
  const mine = pipelines.filter(
    ({ on }) => on === undefined || on.some((label) => workers.labels.includes(label)),
  )
  return Object.fromEntries(
    mine.map((one) => [
      one.name,
      { ...troubles.get(one.name), ...endOf(one.name), hash: one.hash, sees: sees(one) },
    ]),
  )
}

const ALL: Ownership = {
  isOwn: () => true,
  isFirst: () => true,
  look: () => Promise.resolve(),
  begin: () => undefined,
  drain: () => Promise.resolve(),
  view: () => undefined,
  standing: () => undefined,
}

const isAlike = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((name) => other.has(name))

function followingFleet(fleet: Fleet, parts: Parts): Ownership {
  const { clock, log, signal, settings } = parts
  let own: ReadonlySet<string> = new Set()
  let seen: ReturnType<Ownership['standing']>
  let isDraining = false
  let configured = { of: settings(), at: clock.now() }
  const readAt = (): number => {
    const now = settings()
    if (now !== configured.of) configured = { of: now, at: clock.now() }
    return configured.at
  }

  async function lookOnce(): Promise<void> {
    const active = parts.active()
    const { labels } = settings().workers
    const runs = isDraining ? {} : runnable(settings(), parts)
    const rest = parts.rest()
    const standing = await fleet.meet({ labels, runs, configured: readAt(), doing: active, rest })
    const me = fleet.own()
    const before = seen?.all
    seen = { all: standing, own: me }
    if (before !== undefined && hasEndedElsewhere(standing, before, me)) parts.onEndedElsewhere()
    await parts.onStanding(standing)
    const held = standing.leases.filter((lease) => lease.fence === me).map(({ pipeline }) => pipeline)
    const wanted = [...assignedTo(standing)].flatMap(([name, fence]) => (fence === me ? [name] : []))
    // Of what this look takes away from the agenda a run may just begin: it is given up by the next one.
    const ended = held.filter((name) => !wanted.includes(name) && !own.has(name) && !active.includes(name))
    if (ended.length > 0) await fleet.giveUp(ended)
    const open = wanted.filter((name) => standing.leases.every(({ pipeline }) => pipeline !== name))
    const taken = open.length === 0 ? [] : await fleet.take(open, clock.now())
    const next = new Set([...held.filter((name) => wanted.includes(name)), ...taken])
    if (isAlike(next, own)) return
    own = next
    log.info('pipelines of this worker', { pipelines: own.size, workers: standing.workers.length })
    await parts.onChange()
  }

  let last: Promise<void> = Promise.resolve()
  /** One look at a time. */
  const look = (): Promise<void> => {
    const mine = last.then(lookOnce)
    last = mine.catch(() => undefined)
    return mine
  }
  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await look().catch(parts.onFault)
      await clock.sleep(lookEvery(LOOK_MS, fleet), signal)
    }
  }
  return {
    isOwn: (pipeline) => own.has(pipeline),
    isFirst: () => seen?.all.workers.find(isDaemon)?.fence === fleet.own(),
    look,
    begin: () => void follow(),
    async drain() {
      isDraining = true
      await look()
      await look()
    },
    view: () =>
      seen && {
        ...fleetView(
          seen.all,
          settings().pipelines.map(({ name }) => name),
        ),
        troubles: reportedTroubles(seen.all),
      },
    standing: () => seen,
  }
}

export const createOwnership = (parts: Parts): Ownership =>
  parts.fleet === undefined ? ALL : followingFleet(parts.fleet, parts)
