// By when something must have arrived: a time of day on some days of the week, in a time zone. It only computes; times are
// milliseconds since the epoch.
import { DAY_MS, MINUTE_MS } from './duration.ts'

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
export type Weekday = (typeof WEEKDAYS)[number]

export interface Deadline {
  /** Minutes after midnight, local time. */
  readonly minute: number
  readonly days: readonly Weekday[]
}

/** Local time as if the zone were UTC; the machine's zone where none is given. */
function localClock(timeZone: string | undefined): (at: number) => number {
  const formatter = new Intl.DateTimeFormat('en-US', {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const parts = new Map(formatter.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  }
}

/** The moment when a local time begins; a time that a change of clocks leaves out is the moment after the gap. */
function momentOf(local: number, clock: (at: number) => number): number {
  // Zones are at most a day ahead or behind; the offset a day before and after is that on either side of any change.
  const offsets = [local - DAY_MS, local + DAY_MS].map((at) => clock(at) - at)
  const fitting = offsets.map((offset) => local - offset).filter((at) => clock(at) === local)
  return fitting.length > 0 ? Math.min(...fitting) : local - Math.min(...offsets)
}

/** The last deadline that has passed, not longer ago than eight days; undefined where no day is named. */
export function lastDeadline(
  { minute, days }: Deadline,
  timeZone: string | undefined,
  now: number,
): number | undefined {
  const clock = localClock(timeZone)
  const today = Math.floor(clock(now) / DAY_MS) * DAY_MS
  for (let back = 0; back <= 8; back += 1) {
    const day = today - back * DAY_MS
    const weekday = WEEKDAYS[new Date(day).getUTCDay()]
    if (weekday === undefined || !days.includes(weekday)) continue
    const at = momentOf(day + minute * MINUTE_MS, clock)
    if (at <= now) return at
  }
  return undefined
}
