// When a pipeline is due. node-cron reads the expression (expression.ts). croner says which local times it names after or
// before a given one: node-cron answers that for the present moment alone, leaves out a time within the hour that clocks
// skip, and one of every hour where they go back. Here it is decided at which moments the local times are, where clocks
// change:
// - A local time that is left out is due at the first moment after the gap. A schedule of every hour loses nothing where
//   its runs stay as close together as ever, and is not run once more.
// - A local time that comes twice is due the first time, but for schedules of every hour or every so many minutes, which
//   keep going.
import { Cron } from 'croner'
import { expressionProblem, readExpression } from './expression.ts'
import { createZone, LARGEST_CHANGE_MS, type Zone } from './local-time.ts'

export interface DueTimes {
  /** The first due time after that moment, in milliseconds since the epoch; undefined: none comes any more. */
  next(afterMs: number): number | undefined
}

/** Local times that an expression names. */
interface LocalTimes {
  next(afterMs: number): number | undefined
  previous(beforeMs: number): number | undefined
  /** It names every hour of the day. */
  readonly isHourly: boolean
  /** Where a stretch of local time comes twice it is due in both. */
  readonly keepsGoing: boolean
}

const MODE = { paused: true, mode: '5-or-6-parts', timezone: 'UTC' } as const

function localTimes(expression: string): LocalTimes {
  const { plain, isHourly, keepsGoing } = readExpression(expression)
  const cron = new Cron(plain, MODE)
  return {
    next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime(),
    previous: (beforeMs) => cron.previousRuns(1, new Date(beforeMs))[0]?.getTime(),
    isHourly,
    keepsGoing,
  }
}

/** What is wrong with a cron expression, or undefined. */
export function scheduleProblem(expression: string): string | undefined {
  const problem = expressionProblem(expression)
  if (problem !== undefined) return problem
  try {
    const next = new Cron(readExpression(expression).plain, MODE).nextRun(new Date(0))
    return next === null ? 'names a time that never occurs' : undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return `is not a cron expression: ${message.replace(/^Cron\w+: /, '').replace(/^./, (first) => first.toLowerCase())}`
  }
}

/** The clocks change from this local time to that one. */
interface Gap {
  readonly from: number
  readonly to: number
}

/** Whether what is due within the gap would be lost. `missing` is the first local time of it. */
function isLost(missing: number, gap: Gap, times: LocalTimes): boolean {
  if (!times.isHourly) return true
  const before = times.previous(gap.from)
  const after = times.next(gap.to - 1)
  if (before === undefined || after === undefined) return true
  const apart = after - before - (gap.to - gap.from)
  return apart > missing - before
}

/** The local time up to which everything has been due already, where clocks have gone back a short while ago. */
function alreadyPassed(atMs: number, zone: Zone): number {
  const ahead = zone.ahead(atMs)
  const before = zone.ahead(atMs - LARGEST_CHANGE_MS)
  if (before <= ahead) return -Infinity
  return zone.changeBetween(atMs - LARGEST_CHANGE_MS, atMs) + before
}

/** Throws for what `scheduleProblem` finds, and RangeError for an unknown zone. */
export function createDueTimes(expression: string, timezone: string | undefined): DueTimes {
  const times = localTimes(expression)
  const zone = createZone(timezone)
  return {
    next(afterMs) {
      // croner has whole seconds.
      let cursor = Math.floor(afterMs / 1000) * 1000
      for (;;) {
        const ahead = zone.ahead(cursor)
        const passed = times.keepsGoing ? -Infinity : alreadyPassed(cursor, zone)
        const local = times.next(Math.max(cursor + ahead, passed - 1000))
        if (local === undefined) return undefined
        const moment = local - ahead
        if (zone.ahead(moment) === ahead) return moment
        const at = zone.changeBetween(cursor, moment)
        const gap: Gap = { from: at + ahead, to: at + zone.ahead(at) }
        if (local < gap.to && isLost(local, gap, times)) return at
        if ((gap.to > gap.from || times.keepsGoing) && isDueAt(gap, times)) return at
        cursor = at
      }
    },
  }
}

/** Whether the new local time of the change is itself one that the expression names. */
const isDueAt = ({ to }: Gap, times: LocalTimes): boolean => times.next(to - 1000) === to
