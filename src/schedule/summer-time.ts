// The hour that a zone leaves out when summer time begins. node-cron passes over what is due within it, so a pipeline
// that runs once a day would not run on that day.

/** Asked so often, no change of time is missed: they happen on the half hour. */
export const LOOK_EVERY = '*/15 * * * *'
const LOOK_EVERY_MS = 900_000

/** A stretch of local time that never was; milliseconds, as if the zone were UTC. */
export interface Gap {
  readonly from: number
  readonly to: number
}

/** Tells what a zone left out at this very moment, if it did; the machine's own zone where none is given. */
export function gapFinder(timeZone: string | undefined): (atMs: number) => Gap | undefined {
  const zone = timeZone === undefined ? {} : { timeZone }
  const formatter = new Intl.DateTimeFormat('en-US', { ...zone, timeZoneName: 'longOffset' })
  const aheadMs = (atMs: number): number => {
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(formatter.format(atMs)) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  }
  return (atMs) => {
    const before = aheadMs(atMs - LOOK_EVERY_MS)
    const now = aheadMs(atMs)
    return now > before ? { from: atMs + before, to: atMs + now } : undefined
  }
}

/** Whether anything was due in the gap. `isDue` is asked as if the zone were UTC. */
export function dueWithin({ from, to }: Gap, isDue: (date: Date) => boolean): boolean {
  for (let at = from; at < to; at += 1000) if (isDue(new Date(at))) return true
  return false
}
