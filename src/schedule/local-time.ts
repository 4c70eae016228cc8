// A zone's clocks: how far they are ahead of UTC, and the moments at which they change.
// A local time is written as milliseconds, as if the zone were UTC.
import { HOUR_MS } from '../core/words/duration.ts'

export interface Zone {
  /** How far local time is ahead of UTC at that moment, in milliseconds. */
  ahead(atMs: number): number
  /** The moment in (from, to] from which on the clocks are others; there must be one. */
  changeBetween(fromMs: number, toMs: number): number
}

/** No change of clocks is bigger; the day that Samoa left out is long past. */
export const LARGEST_CHANGE_MS = 3 * HOUR_MS

/** The machine's own zone where none is named. Throws RangeError for a name that is none. */
export function createZone(timeZone: string | undefined): Zone {
  const named = timeZone === undefined ? {} : { timeZone }
  const formatter = new Intl.DateTimeFormat('en-US', { ...named, timeZoneName: 'longOffset' })
  const ahead = (atMs: number): number => {
    const found = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(formatter.format(atMs))
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = found ?? []
    const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
    return (sign === '-' ? -size : size) * 1000
  }
  return {
    ahead,
    changeBetween(fromMs, toMs) {
      const before = ahead(fromMs)
      let [low, high] = [fromMs, toMs]
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2)
        if (ahead(middle) === before) low = middle
        else high = middle
      }
      return high
    },
  }
}
