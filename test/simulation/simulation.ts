// One seed, from beginning to end: days on which exports come, things go wrong and the program dies; then a quiet time in
// which everything must come to an end; then once more the same, which must change nothing.
import { hash } from 'node:crypto'
import type { PipelineSettings } from '../../src/core/settings.ts'
import type { PipelineResult } from '../../src/sync/run.ts'
import { checkNobodyIsRaised, hasStatus, waitingRecords } from './consent.ts'
import { correctSomething } from './correcting.ts'
import { checkErased, eraseSomeone, isErasedContact } from './erasing.ts'
import { noFaults } from './faults.ts'
import { checkFinals } from './finals.ts'
import { checkGuard } from './guards.ts'
import { removeCopies, tryAliases } from './impostors.ts'
import { isWrite, type RequestEntry } from './ledger.ts'
import { changeSettings } from './changing.ts'
import { operate } from './operator.ts'
import { backUp, restore } from './restoring.ts'
import { isPrivate, personIn } from './people.ts'
import { removeState, type StateFolder } from './program.ts'
import { checkLogs, checkResult, checkState } from './records.ts'
import { LATEST_MS, TIMEOUT_MS } from './setup.ts'
import { undoRuns } from './undoing.ts'
import { beginLife, makeWorld, type Schedule, type Violation, type World } from './world.ts'

export type { Schedule, Violation } from './world.ts'

export interface Outcome {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly trace: readonly string[]
  /** The same for the same course. */
  readonly hash: string
  readonly figures: {
    readonly requests: number
    readonly points: number
    readonly runs: number
    readonly crashes: number
  }
}

const RUN_LIMIT_MS = 24 * 3_600_000
const DAY_MS = 3_600_000
const MOST_ROUNDS = 10

interface Ended {
  readonly results: readonly PipelineResult[]
  readonly isCrashed: boolean
}

/** Users who edit contacts while the run goes on, where edits are kept. */
function handsIn(world: World): void {
  const { hands, timeline, chance, runs } = world
  if (hands === undefined || world.isCalm) return
  const draws = chance.stream(`hands ${runs}`)
  const acts = draws.int(6)
  for (let act = 0; act < acts; act += 1)
    timeline.after(draws.int(draws.pick([1_000, 5_000, 300_000])), () => {
      if (!world.isCalm) hands.act()
    })
}

async function runOnce(world: World, pipelines: readonly PipelineSettings[]): Promise<Ended> {
  const { program, timeline, chance } = world
  const abort = new AbortController()
  if (world.crashRate > 0 && chance.happens(0.08)) {
    const after = chance.int(30_000)
    timeline.after(after, () => {
      world.say('the run is asked to end')
      abort.abort()
    })
  }
  const acts = world.foreignRate === 0 ? 0 : chance.int(world.foreignRate + 1)
  for (let act = 0; act < acts; act += 1)
    timeline.after(chance.int(chance.pick([3_000, 300_000])), () => {
      if (world.foreignRate > 0) world.foreigners.act()
    })
  handsIn(world)
  world.runs += pipelines.length
  const before = world.ledger.requests.length
  const end = (isSure: boolean): void => {
    world.withdrawals.ended(before, isSure)
    if (!isSure) world.handTerms.brokeOff(before)
  }
  const aliases = chance.stream(`aliases ${world.runs}`)
  if (aliases.happens(0.01)) timeline.after(aliases.int(20_000), () => tryAliases(world))
  const both = Promise.all(pipelines.map((pipeline) => program.run(world.forms.now(pipeline), abort.signal)))
  const crash = program.life.crashed.then((point) => ({ point }))
  const ended = await timeline.until(Promise.race([both, crash]), RUN_LIMIT_MS)
  if ('point' in ended) {
    world.say(`CRASH ${ended.point}`)
    world.crashes += 1
    end(false)
    beginLife(world)
    return { results: [], isCrashed: true }
  }
  end(!abort.signal.aborted)
  for (const result of ended) {
    checkResult(result, world.violated)
    checkGuard(result, world)
  }
  return { results: ended, isCrashed: false }
}

/** As the daemon does it: both at a time, or one after the other; again after every crash. */
async function runAll(world: World): Promise<readonly PipelineResult[]> {
  const { setup, chance, timeline } = world
  const together = chance.happens(0.6)
  const groups = together ? [setup.pipelines] : chance.shuffled(setup.pipelines).map((one) => [one])
  const all: PipelineResult[] = []
  for (const group of groups) {
    for (;;) {
      const { results, isCrashed } = await runOnce(world, group)
      all.push(...results)
      if (!isCrashed) break
      await timeline.until(timeline.pause(chance.pick([2_000, 20_000, 400_000])), RUN_LIMIT_MS)
    }
  }
  return all
}

/** A last row that breaks off within its last value, the tags; the key before it is whole, as far as can be decided. */
function cutLast(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const last = rows.at(-1)
  return last === undefined ? rows : rows.with(-1, last.with(-1, last.at(-1)?.slice(0, 1) ?? ''))
}

function drop(world: World, name: string, whole: readonly (readonly string[])[], cutAfter?: number): void {
  world.files += 1
  // What is asked for record by record does not end within one.
  const isLastCut =
    !world.pulled.has(name) && world.crashRate > 0 && world.chance.stream(`cut ${world.files}`).happens(0.1)
  const rows = isLastCut ? cutLast(whole) : whole
  if (isLastCut) world.say('the last row breaks off')
  const file = `export-${String(world.files).padStart(4, '0')}.csv`
  world.say(`${name} drops ${file}: ${JSON.stringify(rows)}${cutAfter === undefined ? '' : ' (cut off)'}`)
  world.sources.get(name)?.drop(file, rows, { cutAfter, isLastCut })
}

/** Longer than every wait for a lost request: two jumps in one of these are not what can be survived. */
const CALM_MS = 600_000
const JUMPS_MS = [-31_536_000_000, -3_600_000, -90_000, 90_000, 3_600_000, 31_536_000_000]

function jump(world: World): void {
  const { timeline, chance } = world
  if (!world.setup.isClockWild || world.schedule.isQuiet === true) return
  const draws = chance.stream(`clock ${world.files}`)
  if (!draws.happens(0.8)) return
  timeline.after(draws.int(draws.pick([3_000, 30_000, 200_000])), () => {
    if (timeline.now() < world.clockJumpedAt + CALM_MS) return
    world.clockJumpedAt = timeline.now()
    world.clockOffMs = world.clockOffMs === 0 ? draws.pick(JUMPS_MS) : 0
    world.say(`the clock is off by ${world.clockOffMs / 1000} s`)
  })
}

async function day(world: World): Promise<void> {
  const { chance, timeline, setup } = world
  changeSettings(world)
  if (setup.permission === 'by days')
    world.service.ignoresStatus = chance.stream(`permission ${world.files}`).happens(0.5)
  jump(world)
  for (const { name } of setup.pipelines) {
    const next = world.workloads.get(name)?.nextDay()
    if (next !== undefined) drop(world, name, next.rows, next.cutAfter)
  }
  if (world.schedule.isQuiet !== true && chance.happens(0.06))
    timeline.after(chance.int(5_000), () => {
      world.say('the key is revoked for a while')
      world.revokedUntil = timeline.now() + chance.pick([2_000, 600_000])
    })
  await runAll(world)
  if (chance.happens(0.5)) await runAll(world)
  if (chance.happens(0.5)) await operate(world, { isThorough: false })
  await undoRuns(world)
  await eraseSomeone(world)
  await correctSomething(world)
  await world.hands?.release(world.program.state)
  await timeline.until(timeline.pause(chance.pick([10_000, DAY_MS])), RUN_LIMIT_MS)
  const { nightMs } = world.schedule
  if (nightMs !== undefined) await timeline.until(timeline.pause(nightMs), nightMs + RUN_LIMIT_MS)
  // What evidence proves depends on the day.
  if (setup.pipelines.some(({ map }) => map['mail_status']?.require_evidence === true))
    if (chance.stream(`night ${world.files}`).happens(0.6))
      await timeline.until(timeline.pause(RUN_LIMIT_MS), 2 * RUN_LIMIT_MS)
}

/** Without faults, until nothing is left to do; gives up after so many rounds. */
async function calmDown(world: World): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const began = world.deps.wall()
    const results = await runAll(world)
    await operate(world, { isThorough: round > 0 })
    await world.timeline.until(world.timeline.pause(200_000), RUN_LIMIT_MS)
    if (await isDone(world, results, began)) return
  }
  world.violated('liveness', `not done after ${MOST_ROUNDS} quiet rounds`)
}

/** `began`: what was released before, and is still held after the runs since, is held by something else. */
async function isDone(world: World, results: readonly PipelineResult[], began: number): Promise<boolean> {
  for (const { name } of world.setup.pipelines) {
    const { retriable, inDoubt } = await world.program.state.backlog(name)
    const plans = await world.program.state.heldPlans([name])
    const releasable = plans.filter(
      ({ left, number, releasedAt }) => left === number && (releasedAt ?? began) >= began,
    ).length
    const cursor = await world.program.state.cursor(name)
    const unread = world.pulled.get(name)?.unread(cursor?.value) ?? 0
    const waiting = world.sources.get(name)?.waiting.size ?? 0
    if (retriable + inDoubt + releasable + waiting + unread > 0) return false
  }
  return results.every((result) => result.code === undefined && result.failed === 0)
}

/** The pipelines that have an export to be dropped again: one that is empty by now would say nothing. */
function dropMended(world: World): ReadonlySet<string> {
  const dropped = new Set<string>()
  for (const { name } of world.setup.pipelines) {
    const rows = world.workloads.get(name)?.mended() ?? []
    const taken = rows.filter((row) => !world.service.refuses.has(personIn(row[8]) ?? -1))
    if (taken.length === 0) continue
    drop(world, name, taken)
    dropped.add(name)
  }
  return dropped
}

/** Written to a contact that is alone with its mail since another one was deleted: until then its record waited. */
function isFreed({ path }: RequestEntry, since: readonly RequestEntry[], { service }: World): boolean {
  const mailOf = (of: string): unknown =>
    service.contacts.all.get(Number(of.split('/')[2]))?.fields.get('mail')?.value
  const mail = mailOf(path)
  return mail !== undefined && since.some((one) => one.method === 'DELETE' && mailOf(one.path) === mail)
}

/** Mails of creates that are held while another record of their export is about to take the mail. */
async function heldMails({ setup, program }: World): Promise<ReadonlySet<string>> {
  const mails = new Set<string>()
  for (const { name } of setup.pipelines)
    for await (const { kind, fields } of program.state.held([name]))
      if (kind === 'create' && typeof fields['mail'] === 'string') mails.add(fields['mail'])
  return mails
}

/** It is about one of these mails: the other record did not get it, so that the next export finds it free. */
function isLetGo({ path, body }: RequestEntry, mails: ReadonlySet<string>, { service }: World): boolean {
  const text = JSON.stringify(body)
  const shown = service.contacts.all.get(Number(path.split('/')[2]))?.fields.get('mail')?.value
  return [...mails].some((mail) => mail === shown || text.includes(`"${mail}"`))
}

/** A create of a person whom the service does not take: it is tried again as often as the source gives the record. */
const isInVain = ({ method, body }: RequestEntry, { service }: World): boolean =>
  method === 'POST' && service.refuses.has(personIn(JSON.stringify(body)) ?? -1)

/**
 * The last exports once more, whole and right: first they may change something, then nothing but what has now been missing
 * often enough, and in the end nothing at all.
 */
async function oncemore(world: World): Promise<void> {
  const missingIn = Math.max(...world.setup.pipelines.map(({ guards }) => guards.deletes_missing_in))
  const began = world.ledger.requests.length
  for (let pass = 0; ; pass += 1) {
    const before = world.ledger.requests.length
    const held = await heldMails(world)
    const mended = dropMended(world)
    if (pass === 0) await calmDown(world)
    else await runAll(world)
    const requests = world.ledger.requests.slice(before)
    const sent = requests.filter((request) => isWrite(request) && !isInVain(request, world))
    if (pass > 0 && sent.length === 0) return judge(world, mended)
    const isGoing = sent.every(
      (request) =>
        request.method === 'DELETE' ||
        request.path.startsWith('/terms') ||
        isFreed(request, world.ledger.requests.slice(began), world) ||
        isLetGo(request, held, world),
    )
    if (pass > missingIn || (pass > 0 && !isGoing)) {
      const what = sent.map(({ method, path }) => `${method} ${path}`).join(', ')
      return world.violated('O5', `${sent.length} writes for what was settled: ${what}`)
    }
    if (pass > 0) await calmDown(world)
  }
}

async function judge(world: World, mended: ReadonlySet<string>): Promise<void> {
  const { ledger, service, claims, setup, sources, erasures, corrections, violated, program } = world
  await checkFinals({
    ledger,
    service,
    claims,
    pipelines: setup.pipelines,
    sources,
    state: program.state,
    now: world.timeline.now,
    ...{ mended, erasures, corrections, violated },
  })
  checkErased({ ledger, claims, pipelines: setup.pipelines, sources, erasures, violated })
  await world.hands?.checkListed(program.state)
  for (const [name, source] of world.pulled) source.checkCursor((await program.state.cursor(name))?.value)
  const isErased =
    erasures.length === 0 ? undefined : (contact: number): boolean => isErasedContact(contact, world)
  await checkState({ file: program.file, ledger, terms: service.terms, lost: world.lost, isErased, violated })
}

/** A few quiet runs as long as the key lacks the permission; then it gets it, and an export comes that shows it. */
async function grantPermission(world: World): Promise<void> {
  const { setup, service, timeline, ledger, claims, sources, erasures, violated, say } = world
  const pipelines = setup.pipelines.filter(hasStatus)
  if (pipelines.length === 0) return
  if (service.ignoresStatus) {
    for (let round = 0; round < 4; round += 1) {
      await runAll(world)
      await timeline.until(timeline.pause(200_000), RUN_LIMIT_MS)
    }
    const waiting = await waitingRecords(setup.pipelines, world.program.state)
    checkNobodyIsRaised({ ledger, service, claims, pipelines, sources, erasures, violated }, waiting)
    service.ignoresStatus = false
    say('the key may set mail_status from here on')
  }
  for (const { name } of pipelines) {
    const rows = world.workloads.get(name)?.witnessed() ?? []
    drop(world, name, rows)
  }
}

async function live(world: World): Promise<void> {
  beginLife(world)
  world.service.ignoresStatus = world.setup.permission === 'in the end'
  const { chance, schedule, service, timeline } = world
  for (const name of ['T1', 'T2', 'T3', 'T4', 'Ä5', 'All'])
    if (chance.happens(0.5) || world.setup.pipelines.some(({ terms }) => !terms.create_missing))
      service.makeTerm(name, '', { who: 'foreign', at: timeline.now(), request: 0 })
  if (schedule.isQuiet !== true && chance.happens(0.25)) service.refuses.add(chance.between(1, 6))
  const days = schedule.days ?? chance.between(1, 4)
  const backedUp = chance.stream('backup').int(days)
  for (let number = 0; number < days; number += 1) {
    await day(world)
    if (number === backedUp) backUp(world)
  }
  world.say('all is quiet from here on')
  world.faults = noFaults
  world.revokedUntil = 0
  world.foreignRate = 0
  world.isCalm = true
  world.crashRate = 0
  for (const pipeline of world.setup.pipelines) world.forms.set(pipeline)
  if (schedule.crashes === undefined) world.program.life.spare()
  await timeline.until(timeline.pause(LATEST_MS + TIMEOUT_MS + DAY_MS), RUN_LIMIT_MS)
  if (schedule.isRestored === true) {
    dropMended(world)
    await restore(world)
  }
  await grantPermission(world)
  await calmDown(world)
  // What another form left out, was undone, or was set right while something else waited, comes with the next export.
  if (schedule.isChanged !== true && schedule.isUndone !== true && schedule.isCorrected !== true)
    await judge(world, new Set())
  await oncemore(world)
}

/** Lets one seed take its course. Never throws for what the program does. */
export async function simulate(seed: number, folder: StateFolder, schedule: Schedule = {}): Promise<Outcome> {
  const world = makeWorld(seed, folder, schedule)
  try {
    await live(world)
  } catch (error) {
    world.violated('fault', error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  checkLogs(world.logged, isPrivate, world.violated)
  world.points += world.program.life.points
  world.program.drop()
  removeState(world.program.file)
  removeCopies(world)
  return {
    seed,
    violations: world.violations,
    trace: world.trace,
    hash: hash('sha256', world.trace.join('\n'), 'hex').slice(0, 16),
    figures: {
      requests: world.ledger.requests.length,
      points: world.points,
      runs: world.runs,
      crashes: world.crashes,
    },
  }
}
