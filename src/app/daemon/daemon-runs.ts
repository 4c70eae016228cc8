// The runs of the daemon: begun as the agenda says, as many at a time as may be, and entered as done when they have come
// to their end. It has no timer: it is told when to look.
import type {
  DaemonListener,
  DueStore,
  EndedRun,
  Pause,
  PipelineCondition,
} from '../../core/outcome/daemon.ts'
import { type ErrorCode, SyncError, unlessOfLimit } from '../../core/words/errors.ts'
import { HOUR_MS, MINUTE_MS } from '../../core/words/duration.ts'
import type { Stop } from '../../core/outcome/circuit.ts'
import type { PipelinePause } from '../../core/decision.ts'
import type { Clock } from '../../core/ports.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { type Agenda, type AgendaEntry, createAgenda, type Turn } from '../../schedule/agenda.ts'
import { createDueTimes } from '../../schedule/due-times.ts'
import type { AskedRun, RunListener } from '../decisions/owner.ts'
import type { RunOptions, WithWarnings } from '../run/run.ts'
import type { Runner } from '../run/runner.ts'
import { type AskedRuns, createAskedRuns, type WaitingRun } from './asked-runs.ts'
import type { CompleteRun } from './service-pause.ts'

/** Its runs reject only for faults of this program or of the state. */
export type PipelineRunner = Pick<Runner, 'run' | 'undo'>

export interface DaemonRuns {
  /** Begins what may begin now. */
  pump(): void
  want(name: string): void
  /** A run that a person waits for. */
  ask(asked: AskedRun, listener: RunListener): Promise<WithWarnings>
  /** Ends the active runs of these pipelines in good order; resolves when they have ended. */
  halt(pipelines: readonly string[], reason: string): Promise<void>
  /** The daemon ends: what was asked for and has not begun is not made. */
  dismiss(): void
  /** Starts nothing more, and resolves when no run is active. */
  hold(): Promise<void>
  /** After `hold`. */
  release(): void
  readonly running: number
  /** Names of the pipelines whose runs are active. */
  active(): readonly string[]
  /** No run is active, and runs may start. */
  readonly isIdle: boolean
  /** Takes the pipelines of the settings in use. */
  renew(): Promise<void>
  conditions(): readonly PipelineCondition[]
}

type Trouble = Pick<Pause, 'code' | 'reason'>

interface Parts {
  readonly clock: Clock
  readonly runner: PipelineRunner
  readonly due: DueStore
  /** The end of the daemon. */
  readonly signal: AbortSignal
  readonly emit: DaemonListener
  settings(): Settings
  isPaused(): boolean
  /** Pipelines that an operator has paused, by name, as read last. */
  paused(): ReadonlyMap<string, PipelinePause>
  /** Reads them again: another worker may have paused one since. */
  readPauses(): Promise<void>
  /** What is wrong with the service, asked by one cheap read; undefined: nothing. */
  probe(signal: AbortSignal): Promise<Trouble | undefined>
  /** The service could not be used. */
  onTrouble(trouble: Trouble): void
  onWell(run: CompleteRun): void
  /** Resolves when nothing else asks the service: looks end once nothing may start. */
  quiet(): Promise<void>
  /** A fault of the state or of this program; `pipeline` where it was a run's. */
  onFault(error: unknown, pipeline: string): void
}

interface Broken {
  readonly at: number
  readonly code: ErrorCode | undefined
}

/** A file that has landed is not announced again: when its run, or what failed of it, is to be tried again. */
interface Retry {
  /** How many in a row. */
  readonly times: number
  /** By the monotonic clock. */
  readonly at: number | undefined
}

const PAUSING: readonly ErrorCode[] = [
  'SERVICE_UNREACHABLE',
  'SERVICE_CONTRACT',
  'SERVICE_KEY_REFUSED',
  'DAILY_LIMIT',
]

/** What is wrong with the service as a whole, by what stopped a run. */
function troubleOf(stop: Stop | undefined): Trouble | undefined {
  if (stop === undefined || !PAUSING.includes(stop.code)) return undefined
  return { code: stop.code as Pause['code'], reason: stop.message }
}

const scheduleOf = ({ schedule = '', timezone = '' }: PipelineSettings): string =>
  `${schedule} ${timezone}`.trim()

/** What is known of each schedule; one that is new begins now. */
async function readEntries(settings: Settings, due: DueStore, now: number): Promise<AgendaEntry[]> {
  const known = new Map((await due.dueDone()).map((done) => [done.pipeline, done]))
  const entries: AgendaEntry[] = []
  for (const pipeline of settings.pipelines) {
    const { name, schedule: expression, timezone } = pipeline
    const schedule = scheduleOf(pipeline)
    if (expression === undefined) {
      entries.push({ name, schedule, dueTimes: undefined, doneUpTo: now })
      continue
    }
    const done = known.get(name)
    const isKnown = done?.schedule === schedule
    const doneUpTo = isKnown ? done.doneUpTo : now
    if (!isKnown) await due.rememberDue({ pipeline: name, schedule, doneUpTo })
    entries.push({ name, schedule, dueTimes: createDueTimes(expression, timezone), doneUpTo })
  }
  return entries
}

/** If probes succeed but one pipeline's runs fail so often in a row, only that pipeline is paused. */
const MOST_IN_A_ROW = 3

interface Course extends Parts {
  readonly agenda: Agenda
  /** By pipeline: how many runs in a row found the service unusable. */
  readonly inARow: Map<string, number>
  readonly broken: Map<string, Broken>
  /** Of pipelines that watch their folders. */
  readonly retries: Map<string, Retry>
  readonly asked: AskedRuns
  readonly active: Map<string, ActiveRun>
}

interface ActiveRun {
  readonly halting: AbortController
  readonly ended: Promise<void>
}

function look({ agenda, emit }: Course, now: number): void {
  for (const { type, pipeline, times } of agenda.look(now))
    emit(type === 'overlapped' ? { type, pipeline, at: now, times } : { type, pipeline, at: now })
}

/** What keeps all runs from beginning; a run's own trouble, which others need not have, is none. */
async function commonTrouble(
  name: string,
  stop: Stop | undefined,
  { inARow, probe, signal }: Course,
): Promise<Trouble | undefined> {
  const trouble = troubleOf(stop)
  if (trouble === undefined) {
    inARow.delete(name)
    return undefined
  }
  const times = (inARow.get(name) ?? 0) + 1
  inARow.set(name, times)
  if (times > MOST_IN_A_ROW) return undefined
  // The key may lack a right that only this pipeline needs.
  return trouble.code === 'SERVICE_KEY_REFUSED' ? probe(signal) : trouble
}

/** A minute after the first one, then after twice as long, up to an hour. */
const gapMs = (times: number): number => Math.min(HOUR_MS, MINUTE_MS * 2 ** (times - 1))

function retryLater(
  { name, watch }: PipelineSettings,
  { clock, retries }: Course,
  { isGettingFurther }: { isGettingFurther: boolean },
): void {
  const times = isGettingFurther ? 1 : (retries.get(name)?.times ?? 0) + 1
  if (watch) retries.set(name, { times, at: clock.monotonic() + gapMs(times) })
}

/** For the next run, though it does not change any more; or the source itself, with whatever waits there. */
const isLeft = ({ file, status, code }: EndedRun['files'][number]): boolean =>
  (file === '' || status === 'left') && code !== undefined

async function endRun(
  pipeline: PipelineSettings,
  { run, stop, begunAt }: { run: EndedRun; stop: Stop | undefined; begunAt: number },
  course: Course,
): Promise<void> {
  const { agenda, broken, clock, due, emit, settings, signal } = course
  const { name } = pipeline
  const trouble = await commonTrouble(name, stop, course)
  const isCutOff = (signal.aborted && run.status === 'failed') || stop?.code === 'PAUSED'
  const hasFailed = run.failed + (run.deletes_failed ?? 0) > 0
  const isUnfinished = stop !== undefined || hasFailed || run.files.some(isLeft)
  // It is wanted again: as long as the pause is not known here, it would begin at once, and over and over.
  if (stop?.code === 'PAUSED') await course.readPauses()
  // What became due during the run is counted as overlapping, not as missed.
  look(course, clock.now())
  const doneUpTo = agenda.end(name, trouble !== undefined || isCutOff)
  broken.delete(name)
  if (isUnfinished && trouble === undefined && !isCutOff)
    retryLater(pipeline, course, { isGettingFurther: stop?.code === 'MAX_DURATION' })
  else course.retries.delete(name)
  emit({ type: 'run_ended', at: clock.now(), run })
  if (trouble !== undefined) return course.onTrouble(trouble)
  if (isCutOff) return
  if (stop === undefined) course.onWell({ begunAt, requests: run.requests })
  // A reload may have given it another schedule meanwhile.
  const now = settings().pipelines.find((one) => one.name === name) ?? pipeline
  if (now.schedule !== undefined)
    await due.rememberDue({ pipeline: name, schedule: scheduleOf(now), doneUpTo })
}

function breakRun(pipeline: PipelineSettings, thrown: unknown, course: Course): void {
  const { agenda, broken, clock, emit, onFault } = course
  const { name } = pipeline
  agenda.end(name, false)
  const error = unlessOfLimit(thrown)
  const code = error instanceof SyncError ? error.code : undefined
  const at = clock.now()
  broken.set(name, { at, code })
  retryLater(pipeline, course, { isGettingFurther: false })
  emit({ type: 'run_broken', pipeline: name, at, code })
  onFault(error, name)
}

/** The run itself, as the schedule or a person asks for it. */
function runOnce(
  pipeline: PipelineSettings,
  waiting: WaitingRun | undefined,
  options: Pick<RunOptions, 'signal' | 'halting' | 'onStop'>,
  { runner }: Course,
): Promise<WithWarnings> {
  const { asked, listener } = waiting ?? {}
  if (asked === undefined || listener === undefined)
    return runner.run(pipeline, { ...options, wait: false, report: () => undefined })
  const how = { ...options, decided: listener.decided, report: (now: Report) => listener.report(now) }
  return asked.kind === 'undo'
    ? runner.undo(pipeline, asked.undo, {
        ...how,
        wait: false,
        evenPaused: asked.evenPaused,
        left: (one) => listener.left(one),
      })
    : runner.run(pipeline, { ...how, wait: true, rejectsOnly: asked.kind === 'rejects' })
}

function wantAgain({ agenda, clock, retries }: Course, now: number): void {
  for (const [name, one] of retries) {
    if (one.at === undefined || one.at > clock.monotonic()) continue
    retries.set(name, { ...one, at: undefined })
    agenda.want(name, now)
  }
}

type Report = Parameters<RunListener['report']>[0]

async function launch(
  { name, cause, missed }: Turn,
  course: Course,
  halting: AbortController,
): Promise<void> {
  const { agenda, asked, clock, emit, settings, signal } = course
  const pipeline = settings().pipelines.find((one) => one.name === name)
  const waiting = asked.take(name)
  if (pipeline === undefined) {
    waiting?.failed(new SyncError('USAGE', `there is no pipeline ${name} any more`))
    return void agenda.end(name, false)
  }
  const at = clock.now()
  emit({ type: 'run_started', pipeline: name, cause, at })
  if (missed > 0) emit({ type: 'missed', pipeline: name, at, times: missed })
  let stop: Stop | undefined
  try {
    const onStop = (given: Stop): void => void (stop = given)
    const run = await runOnce(pipeline, waiting, { signal, halting: halting.signal, onStop }, course)
    await endRun(pipeline, { run, stop, begunAt: at }, course)
    waiting?.done(run)
  } catch (error) {
    breakRun(pipeline, error, course)
    waiting?.failed(error)
  }
  if (asked.has(name)) agenda.ask(name, clock.now())
}

export async function createDaemonRuns(parts: Parts): Promise<DaemonRuns> {
  const { clock, due, settings } = parts
  const agenda = createAgenda(await readEntries(settings(), due, clock.now()))
  const broken = new Map<string, Broken>()
  const active = new Map<string, ActiveRun>()
  const asked = createAskedRuns((name) => {
    agenda.ask(name, clock.now())
    pump()
  })
  const course: Course = { ...parts, agenda, broken, retries: new Map(), inARow: new Map(), asked, active }
  /** How many wait until no run is active. */
  let holds = 0
  /** What a person asked for is tried whether or not the service answers; a pause by an operator is said by the run itself. */
  const mayBegin = (name: string): boolean =>
    asked.has(name) || (!parts.isPaused() && !parts.paused().has(name))

  function pump(): void {
    if (parts.signal.aborted) return
    const now = clock.now()
    look(course, now)
    wantAgain(course, now)
    while (holds === 0 && agenda.running < settings().max_parallel) {
      const turn = agenda.begin(now, mayBegin)
      if (turn === undefined) return
      const halting = new AbortController()
      const ended = launch(turn, course, halting).finally(() => {
        active.delete(turn.name)
        pump()
      })
      active.set(turn.name, { halting, ended })
    }
  }

  return {
    pump,
    want(name) {
      agenda.want(name, clock.now())
      pump()
    },
    ask: asked.ask,
    async halt(names, reason) {
      const those = names.flatMap((name) => active.get(name) ?? [])
      for (const { halting } of those) halting.abort(reason)
      await Promise.all(those.map(({ ended }) => ended))
    },
    dismiss: asked.dismiss,
    async hold() {
      holds += 1
      await Promise.all([...[...active.values()].map(({ ended }) => ended), parts.quiet()])
    },
    release() {
      holds -= 1
      pump()
    },
    get running() {
      return agenda.running
    },
    active: () => [...active.keys()],
    get isIdle() {
      return holds === 0 && agenda.running === 0
    },
    async renew() {
      agenda.replace(await readEntries(settings(), due, clock.now()))
    },
    conditions: () =>
      agenda.standings().map((one) => ({
        ...one,
        // One that is paused is not late.
        waitingSince: parts.paused().has(one.name) ? undefined : one.waitingSince,
        brokenAt: parts.paused().has(one.name) ? undefined : broken.get(one.name)?.at,
        brokenBy: broken.get(one.name)?.code,
      })),
  }
}
