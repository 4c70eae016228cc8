// Several processes at work on one state, each a worker with a lease that it renews: which of them has which pipeline. Every
// worker computes the same assignment from the same rows, so none has to be chosen to decide for the others.

import type { ErrorCode } from './words/errors.ts'

/** What the worker that has a pipeline says of it; empty where nothing is wrong, and of workers of an older version. */
export interface PipelineTrouble {
  /** Since when its run should have begun, milliseconds since the epoch. */
  readonly waitingSince?: number
  /** Its last run there ended by a fault of the state, with this code, or of the program. */
  readonly broken?: { readonly code?: ErrorCode | undefined }
}

interface RunnablePipeline extends PipelineTrouble {
  /** Of its effective settings. */
  readonly hash: string
  /** Whether its drop folder is there on this machine; true for a source that has none. */
  readonly sees: boolean
  /** When its latest run of this process ended, milliseconds since the epoch; absent of workers of an older version. */
  readonly endedAt?: number
}

/** What a worker can run: by name of the pipeline. */
export type Runnable = Readonly<Record<string, RunnablePipeline>>

/** What a worker says of itself, again and again. */
export interface WorkerReport {
  readonly labels: readonly string[]
  readonly runs: Runnable
  /** When its configuration was read, milliseconds since the epoch. */
  readonly configured: number
  /** Names of the pipelines whose runs are active there. */
  readonly doing: readonly string[]
  /** asked: no run is to be active anywhere. given: none is here, and none begins. */
  readonly rest: 'none' | 'asked' | 'given'
}

export interface FleetWorker extends WorkerReport {
  /** A number that is never used again. */
  readonly fence: number
  readonly name: string
  readonly machine: string
  readonly pid: number
  /** When the process began, milliseconds since the epoch. */
  readonly since: number
  /** How long its lease lasts without being renewed, in milliseconds. */
  readonly leaseMs: number
  /** Its lease was not renewed when that was to be: it may be gone. */
  readonly isLate: boolean
}

export interface PipelineLease {
  readonly pipeline: string
  readonly fence: number
  /** Milliseconds since the epoch. */
  readonly since: number
}

export interface FleetStanding {
  readonly workers: readonly FleetWorker[]
  readonly leases: readonly PipelineLease[]
}

/** One line of an answer. */
export interface AnswerLine {
  readonly id: number
  readonly line: string
}

/** Requests of one worker to another. */
export interface Mailbox {
  /** Its number; undefined where that worker has gone. */
  ask(to: number, request: string): Promise<number | undefined>
  /** What has been answered after that line; `isOpen` is false once the worker that was asked has gone. */
  answersTo(
    ask: number,
    after: number,
  ): Promise<{ readonly isOpen: boolean; readonly lines: readonly AnswerLine[] }>
  endAsk(ask: number): Promise<void>
  /** Requests to this worker after that one. */
  asked(after: number): Promise<readonly { readonly id: number; readonly request: string }[]>
  answer(ask: number, line: string): Promise<void>
}

/** Of a worker that makes no runs for others. */
export const GUEST: WorkerReport = { labels: [], runs: {}, configured: 0, doing: [], rest: 'none' }

/** One that follows schedules, and takes requests. */
export const isDaemon = ({ runs }: FleetWorker): boolean => Object.keys(runs).length > 0

/** One worker, as it is shown. */
export interface WorkerView extends Pick<FleetWorker, 'name' | 'machine' | 'pid' | 'since' | 'labels'> {
  /** Those that it has. */
  readonly pipelines: readonly string[]
  /** Those of them whose runs are active. */
  readonly active: readonly string[]
  /** asked: it waits until no run is active anywhere. given: it lets no run begin, because another one waits for that. */
  readonly rest: WorkerReport['rest']
}

/** The workers that follow schedules or have a pipeline, and the pipelines that none of them may run. */
export function fleetView(
  { workers, leases }: FleetStanding,
  configured: readonly string[],
): { readonly workers: readonly WorkerView[]; readonly unassigned: readonly string[] } {
  const views = workers.map(({ fence, name, machine, pid, since, labels, doing, rest, ...worker }) => {
    const pipelines = leases.filter((lease) => lease.fence === fence).map(({ pipeline }) => pipeline)
    // A command shows no runs of its own: what it has, it runs.
    const active = Object.keys(worker.runs).length === 0 ? pipelines : doing
    return {
      name,
      machine,
      pid,
      since,
      labels,
      pipelines,
      active,
      rest,
      isShown: pipelines.length > 0 || rest === 'asked' || Object.keys(worker.runs).length > 0,
    }
  })
  return {
    workers: views.filter(({ isShown }) => isShown).map(({ isShown: _, ...view }) => view),
    unassigned: workers.some(isDaemon)
      ? configured.filter((name) => eligibleWorkers(name, workers).length === 0)
      : [],
  }
}

/** By pipeline: what the worker that has it says of it. */
export function reportedTroubles({ workers, leases }: FleetStanding): ReadonlyMap<string, PipelineTrouble> {
  const byFence = new Map(workers.map(({ fence, runs }) => [fence, runs]))
  return new Map(leases.map(({ pipeline, fence }) => [pipeline, byFence.get(fence)?.[pipeline] ?? {}]))
}

/** Whether a run of a worker that was there before has ended since, other than of `own`. */
export const hasEndedElsewhere = (now: FleetStanding, before: FleetStanding, own: number): boolean =>
  before.workers.some(({ fence, runs: former }) => {
    const runs = now.workers.find((one) => one.fence === fence)?.runs ?? {}
    return (
      fence !== own &&
      Object.entries(runs).some(
        ([name, { endedAt }]) => endedAt !== undefined && endedAt !== former[name]?.endedAt,
      )
    )
  })

/** Whether another worker wants that no run is active. */
export const isRestAsked = ({ workers }: FleetStanding, own: number): boolean =>
  workers.some(({ fence, rest }) => fence !== own && rest === 'asked')

/** Whether no run can be active, and it is this worker's turn: that of the one that has asked first. */
export function isAtRest({ workers, leases }: FleetStanding, own: number): boolean {
  const isFirst = workers.every(({ fence, rest }) => rest !== 'asked' || fence >= own)
  const quiet = workers
    .filter(({ fence, rest }) => fence === own || rest !== 'none')
    .map(({ fence }) => fence)
  return isFirst && leases.every(({ fence }) => quiet.includes(fence))
}

/** Whether this worker follows schedules, and none that does has read its configuration later. */
export function isNewest({ workers }: FleetStanding, own: number): boolean {
  const daemons = workers.filter(isDaemon)
  const mine = daemons.find(({ fence }) => fence === own)
  return mine !== undefined && daemons.every(({ configured }) => configured <= mine.configured)
}

/** The part of the state by which workers know of each other. Without it a state has one owner. */
export interface Fleet extends Mailbox {
  /** The number of this worker. */
  own(): number
  /** So many states has this process at the server. */
  crowd(): number
  /** Says what this worker can run and does, removes workers whose lease has ended, and shows who is left. */
  meet(now: WorkerReport): Promise<FleetStanding>
  /** Who is there, without a word about this worker. */
  standing(): Promise<FleetStanding>
  /** Those of the pipelines that no worker has are this one's from now on; their names. None while another one wants rest. */
  take(pipelines: readonly string[], at: number): Promise<readonly string[]>
  /** Whether it is this worker's. */
  has(pipeline: string): Promise<boolean>
  /** Others may take them at once. */
  giveUp(pipelines: readonly string[]): Promise<void>
  /** All of these names, or none, are this worker's until it lets go of them; false where another one has one of them. */
  claim(names: readonly string[]): Promise<boolean>
  letGo(names: readonly string[]): Promise<void>
}

/** So many states look for news as often as one. */
const CALM = 20
/** Others wait for no worker for longer than its lease and five seconds. */
const LONGEST_LOOK_MS = 4000

/** How far apart looks are that one state makes every so many milliseconds: many make no more looks together than a few. */
export const lookEvery = (ms: number, { crowd }: Pick<Fleet, 'crowd'>): number =>
  Math.max(ms, Math.min((ms * crowd()) / CALM, LONGEST_LOOK_MS))

/** Workers that may run the pipeline: under its newest settings, and where its folder is, if any worker sees that. */
function eligibleWorkers(pipeline: string, workers: readonly FleetWorker[]): readonly FleetWorker[] {
  const listing = workers.filter(({ runs }) => Object.hasOwn(runs, pipeline))
  const newest = listing.toSorted((one, other) => other.configured - one.configured)[0]
  const inForce = newest?.runs[pipeline]?.hash
  const current = listing.filter(({ runs }) => runs[pipeline]?.hash === inForce)
  const seeing = current.filter(({ runs }) => runs[pipeline]?.sees === true)
  return seeing.length === 0 ? current : seeing
}

/** Numbers of pipelines by worker. */
type Load = Map<number, number>

const loadOf = (load: Load, fence: number): number => load.get(fence) ?? 0

/** The one of them with the fewest pipelines; of several the one that joined first. */
const leastOf = (may: readonly number[], load: Load): number | undefined =>
  may.toSorted((one, other) => loadOf(load, one) - loadOf(load, other) || one - other)[0]

interface Choice {
  readonly name: string
  /** Workers that may run it. */
  readonly may: readonly number[]
  /** Those of them that can be given it: a worker that may be gone keeps what it has, and gets nothing. */
  readonly canTake: readonly number[]
}

/** One pipeline that evens out the load: from a worker with at least two more than another one that may run it. */
function nextMove(
  choices: readonly Choice[],
  { assigned, load }: { assigned: ReadonlyMap<string, number>; load: Load },
): { readonly name: string; readonly from: number; readonly to: number } | undefined {
  for (const { name, canTake } of choices) {
    const from = assigned.get(name)
    const to = leastOf(canTake, load)
    if (from !== undefined && to !== undefined && loadOf(load, from) - loadOf(load, to) >= 2)
      return { name, from, to }
  }
  return undefined
}

/**
 * Who is to have each pipeline, by its name. A pipeline stays where it is unless that worker may not run it, or has at least
 * two more than another one that may. So the assignment of its own result is the same: nothing moves back.
 */
export function assignedTo({ workers, leases }: FleetStanding): ReadonlyMap<string, number> {
  const names = [...new Set(workers.flatMap(({ runs }) => Object.keys(runs)))].toSorted()
  const choices = names.map((name): Choice => {
    const may = eligibleWorkers(name, workers)
    const canTake = may.filter(({ isLate }) => !isLate)
    return { name, may: may.map(({ fence }) => fence), canTake: canTake.map(({ fence }) => fence) }
  })
  const owner = new Map(leases.map(({ pipeline, fence }) => [pipeline, fence]))
  const load: Load = new Map()
  const assigned = new Map<string, number>()
  const give = (name: string, fence: number): void => {
    assigned.set(name, fence)
    load.set(fence, loadOf(load, fence) + 1)
  }
  for (const { name, may } of choices) {
    const fence = owner.get(name)
    if (fence !== undefined && may.includes(fence)) give(name, fence)
  }
  for (const { name, canTake } of choices) {
    const least = leastOf(canTake, load)
    if (!assigned.has(name) && least !== undefined) give(name, least)
  }
  // Those that come last by name move first. What a worker has that may be gone stays with it.
  const late = new Set(workers.flatMap(({ fence, isLate }) => (isLate ? [fence] : [])))
  const reversed = choices.filter(({ name }) => !late.has(assigned.get(name) ?? 0)).toReversed()
  for (;;) {
    const move = nextMove(reversed, { assigned, load })
    if (move === undefined) return assigned
    load.set(move.from, loadOf(load, move.from) - 1)
    give(move.name, move.to)
  }
}
