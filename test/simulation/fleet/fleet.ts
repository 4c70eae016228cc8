// One seed of the fleet, from beginning to end: workers start, exports come, and for a while things go wrong; then nothing does,
// everything must come to its end, and the service must show what it shows after one process that nothing disturbed.
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AUDIT_START } from '../../../src/core/log/audit-chain.ts'
import type { CheckStep } from '../../../src/core/log/sync-log.ts'
import { createSyncLog } from '../../../src/store/log/audit-read.ts'
import { isPrivate } from '../people.ts'
import { checkLogs, checkSyncLog } from '../records.ts'
import type { SimulatedService } from '../simulated-service.ts'
import type { Violation } from '../world.ts'
import type { SimulatedDatabase } from './database.ts'
import { createExports, type Exports } from './exports.ts'
import type { FleetProcess } from './process.ts'
import { type Course, type FleetWorld, makeFleet, workerNames } from './world.ts'

export interface FleetOutcome {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly trace: readonly string[]
  /** The same for the same course. */
  readonly hash: string
  readonly figures: FleetWorld['figures'] & { readonly requests: number; readonly contacts: number }
}

export interface Place {
  /** For what each machine keeps beside the state. */
  readonly folder: string
  readonly database: SimulatedDatabase
}

/** So often it is looked at how things stand. */
const LOOK_MS = 1000
/** Longer than RESTORED_MS (world.ts) and two leases. */
const KEPT_MS = 125_000
/** So many entries of the sync log are checked at once. */
const STEP = 1000
/** After the last trouble: longer than what is in doubt waits, and pauses that grow. */
const CALM_MS = 1_800_000

const STAMPS = /[A-D]\.canx\d+x/g

type Planned = ReadonlyMap<string, Exports>

function drop({ sources, say, figures }: FleetWorld, name: string, rows: ReturnType<Exports['next']>): void {
  figures.files += 1
  say(`${name} drops ${JSON.stringify(rows)}`)
  sources.get(name)?.drop(`export-${String(figures.files).padStart(4, '0')}.csv`, rows)
}

/** Exports come all the time. */
function planExports(world: FleetWorld): Planned {
  const { setup, chance, timeline } = world
  const planned = new Map<string, Exports>()
  for (const [place, pipeline] of setup.settings.pipelines.entries()) {
    const { name } = pipeline
    const draws = chance.stream(`exports of ${name}`)
    const exports = createExports(pipeline, draws, setup.isShared && place < 2 ? 1 : place * 100 + 1)
    planned.set(name, exports)
    const times = Array.from({ length: draws.between(1, 4) }, () => draws.int(setup.disturbedMs)).sort(
      (one, other) => one - other,
    )
    for (const at of times) timeline.after(at, () => drop(world, name, exports.next()))
  }
  return planned
}

/** Once more what is there: a record that has gone while its create was in doubt is missing again. Then nothing is left. */
async function dropAgain(world: FleetWorld, planned: Planned): Promise<void> {
  for (const [name, exports] of planned) {
    const rows = exports.again()
    drop(world, name, rows)
    for (const [stamp] of JSON.stringify(rows).matchAll(STAMPS)) world.lastNamed.add(stamp)
  }
  await settle(world)
}

type Disturbance = (world: FleetWorld, process: FleetProcess) => void

/** Those of a worker strike one that is there. */
const DISTURBANCES: readonly Disturbance[] = [
  (world, process) => world.kill(process),
  (world, process) => world.kill(process),
  pause,
  pause,
  function drain({ say }, process) {
    say(`${process.name} is asked to end`)
    process.drain()
  },
  function goAway({ chance, trouble, timeline, say }) {
    const ms = chance.pick([500, 5_000, 20_000, 40_000])
    say(`the database is away for ${ms} ms`)
    trouble.awayUntil = timeline.now() + ms
    trouble.restarts += 1
  },
  function cut({ trouble, say }) {
    say('all connections are cut')
    trouble.restarts += 1
  },
  function cutRenewer({ chance, trouble, timeline, say }, { name, life }) {
    const ms = chance.pick([6_000, 25_000])
    say(`${name} cannot renew its lease for ${ms} ms`)
    trouble.renewerCutUntil.set(life.number, timeline.now() + ms)
  },
  jumpThere,
  jumpThere,
  function jumpHere({ chance, say }, { name, life }) {
    life.clockOffMs = chance.pick([-3_600_000, -30_000, 0, 30_000, 3_600_000])
    say(`the clock of ${name} is off by ${life.clockOffMs} ms`)
  },
]

function jumpThere(world: FleetWorld, process: FleetProcess): void {
  const { chance, trouble, say } = world
  // A lease that is not renewed after the jump must end all the same.
  if (chance.happens(0.6)) world.kill(process)
  const byMs = chance.pick([-3_600_000, -20_000, 3_000, 20_000, 3_600_000])
  trouble.clockOffMs += byMs
  if (byMs > 0) trouble.forwardAt = world.timeline.now()
  else trouble.setBackAt = world.timeline.now()
  say(`the clock of the database is off by ${trouble.clockOffMs} ms`)
}

function pause({ chance, timeline, say, figures }: FleetWorld, { name, life }: FleetProcess): void {
  if (life.isPaused) return
  const ms = chance.pick([3_000, 12_000, 16_000, 40_000])
  const isAsleep = chance.happens(0.3)
  say(`${name} stands still for ${ms} ms${isAsleep ? ', and its clock with it' : ''}`)
  figures.pauses += 1
  life.pause(isAsleep)
  timeline.after(ms, () => {
    say(`${name} goes on`)
    life.goOn()
  })
}

function disturb(world: FleetWorld): void {
  const { setup, chance, timeline, processes } = world
  const draws = chance.stream('disturbances')
  for (let number = 0; number < setup.disturbances; number += 1)
    timeline.after(draws.int(setup.disturbedMs), () => {
      const alive = [...processes.values()].filter(({ life }) => !life.isOver)
      const disturbance = draws.pick(DISTURBANCES)
      const strike = (process: FleetProcess): void => {
        if (!process.life.isOver && !world.isCalm) disturbance({ ...world, chance: draws }, process)
      }
      // In the midst of a run, mostly: there it does most harm.
      if (draws.happens(0.6)) world.armed.push(strike)
      else if (alive.length > 0) strike(draws.pick(alive))
    })
}

function keepLooking(world: FleetWorld): void {
  world.timeline.after(LOOK_MS, () => {
    world.look()
    keepLooking(world)
  })
}

/** Whether nothing is left to do; asked of a worker that can say so. */
async function isDone({ processes, sources, setup, ledger }: FleetWorld): Promise<boolean> {
  const all = [...processes.values()]
  const state = all.find(({ fence, life }) => fence !== undefined && !life.isOver)?.runner?.state
  if (state === undefined || all.length < setup.workers || all.some(({ fence }) => fence === undefined))
    return false
  if ([...sources.values()].some(({ waiting }) => waiting.size > 0)) return false
  if (all.some(({ active }) => active.size > 0)) return false
  // Its connection may be one of those that were cut.
  const backlogs = await Promise.all(setup.settings.pipelines.map(({ name }) => state.backlog(name))).catch(
    () => undefined,
  )
  return (
    ledger.requests.length > 0 &&
    backlogs?.every(({ retriable, inDoubt }) => retriable + inDoubt === 0) === true
  )
}

async function settle(world: FleetWorld): Promise<void> {
  const { timeline, violated } = world
  const limit = timeline.now() + CALM_MS
  while (!(await isDone(world))) {
    if (timeline.now() > limit)
      return violated('liveness', `not done ${CALM_MS / 1000} s after the last trouble`)
    await timeline.pause(1000)
  }
}

/** By stamp: what is at the service. */
function contactsOf({ contacts, terms }: SimulatedService): ReadonlyMap<string, string> {
  const living = [...contacts.all.values()].filter(({ deleted }) => deleted === undefined)
  return new Map(
    living.map((contact) => {
      const fields = [...contact.fields].filter(([name]) => !['sync_marker', 'mail_status'].includes(name))
      const values = fields.map(([name, { value }]) => `${name}=${String(value)}`).sort()
      const names = [...contact.terms.keys()].map((term) => terms.get(term)?.name ?? '').sort()
      const stamp = values.join(' ').match(STAMPS)?.[0] ?? `contact ${contact.id}`
      return [stamp, `${values.join(' ')} terms ${names.join('|')}`]
    }),
  )
}

async function checkLog({ connect, ledger, service, violated }: FleetWorld): Promise<void> {
  const db = connect()
  try {
    await checkSyncLog(db, { ledger, terms: service.terms, violated })
    const state = createSyncLog(db)
    let step: CheckStep = { to: { seq: 0, hash: AUDIT_START }, done: false }
    while (!step.done) step = await state.checkLog(step.to, STEP)
    if (step.bad !== undefined) violated('O8', `entry ${step.bad.seq} of the sync log: ${step.bad.why}`)
    const fault = await state.checkIndexes()
    if (fault !== undefined) violated('O8', `index ${fault.table} of the sync log does not fit`)
  } finally {
    db.close()
  }
}

async function live(world: FleetWorld, { isUndisturbed }: Course): Promise<void> {
  const { setup, timeline, chance, trouble } = world
  const draws = chance.stream('starts')
  for (const [place, name] of workerNames(world).entries())
    timeline.after(place === 0 ? 0 : draws.int(10_000), () => world.start(name))
  const planned = planExports(world)
  if (!isUndisturbed) {
    disturb(world)
    timeline.after(2000, () => keepLooking(world))
  }
  await timeline.until(timeline.pause(setup.disturbedMs), setup.disturbedMs * 2)
  world.say('all is quiet from here on')
  world.isCalm = true
  world.calmAt = timeline.now()
  trouble.awayUntil = 0
  await timeline.until(settle(world), 2 * CALM_MS)
  await timeline.until(dropAgain(world, planned), 2 * CALM_MS)
  if (isUndisturbed) return
  // Long enough to see that leases are kept.
  await timeline.until(timeline.pause(Math.max(0, world.calmAt + KEPT_MS - timeline.now())), 2 * KEPT_MS)
  await timeline.until(checkLog(world), CALM_MS)
}

/** The state, with a name that is no chance. */
function found({ connect }: FleetWorld): void {
  const db = connect()
  db.exec("UPDATE meta SET value = '0123456789abcdef' WHERE name = 'instance'")
  db.close()
}

async function play(seed: number, place: Place, course: Course): Promise<FleetWorld> {
  const { isUndisturbed } = course
  const folder = mkdtempSync(join(place.folder, 'course-'))
  const world = makeFleet(seed, { ...place, folder }, course)
  // It would end a real process in the midst of everything.
  const unhandled = (error: unknown): void =>
    world.violated('fault', `unhandled: ${error instanceof Error ? (error.stack ?? error.message) : ''}`)
  process.on('unhandledRejection', unhandled)
  try {
    if (!isUndisturbed) found(world)
    await live(world, course)
  } catch (error) {
    world.violated('fault', error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  process.off('unhandledRejection', unhandled)
  for (const { life } of world.processes.values()) life.end()
  if (!isUndisturbed) place.database.clear()
  rmSync(folder, { recursive: true })
  return world
}

/** Lets one seed take its course, and that of one process that nothing disturbs. */
export async function simulateFleet(seed: number, place: Place): Promise<FleetOutcome> {
  const world = await play(seed, place, { isUndisturbed: false })
  const { violated, violations, trace, ledger, service, logged, figures, lastNamed } = world
  checkLogs(logged, isPrivate, violated)
  const [got, wanted] = [
    contactsOf(service),
    contactsOf((await play(seed, place, { isUndisturbed: true })).service),
  ]
  // What a record said last before it was gone may not have been sent while its create was in doubt.
  const shown = (stamp: string, values: string | undefined): string | undefined =>
    lastNamed.has(stamp) ? values : values?.replace(/.* terms /, '')
  for (const [stamp, values] of wanted)
    if (shown(stamp, got.get(stamp)) !== shown(stamp, values))
      violated(
        'F5',
        `${stamp} is ${got.get(stamp) ?? 'not there'}; after one undisturbed process it is ${values}`,
      )
  for (const stamp of got.keys())
    if (!wanted.has(stamp)) violated('F5', `${stamp} is there; after one undisturbed process it is not`)
  return {
    seed,
    violations,
    trace,
    hash: hash('sha256', trace.join('\n'), 'hex').slice(0, 16),
    figures: { ...figures, requests: ledger.requests.length, contacts: wanted.size },
  }
}
