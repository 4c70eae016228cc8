// The cursor of an incremental fetch: the newest value of a field, and what is asked for next. Times are written back in the
// form in which the interface writes them.
import { SyncError } from '../../core/words/errors.ts'

const TIME = /^(\d{4}-\d{2}-\d{2})(?:([ T])(\d{2}:\d{2}(?::\d{2})?)(\.\d+)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/
const NUMBER = /^-?\d+$/
const DECIMAL = /^-?\d+(\.\d+)?$/
/** Above this a number of seconds would be beyond the year 5000: it counts milliseconds, up to the year 2286. */
const MILLISECONDS_FROM = 100_000_000_000
const MILLISECONDS_TO = 10_000_000_000_000
const isMilliseconds = (number: number): boolean => number >= MILLISECONDS_FROM && number < MILLISECONDS_TO

/** Milliseconds since the epoch, of a time without a zone as of UTC; undefined for what is no time. */
export function timeOf(text: string): number | undefined {
  const match = TIME.exec(text)
  if (match === null) return undefined
  const [, day = '', , time = '00:00', fraction = '', zone = 'Z'] = match
  const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone
  const ms = Date.parse(`${day}T${time}${fraction}${offset}`)
  return Number.isNaN(ms) ? undefined : ms
}

/** As the text is written: with or without fraction, zone and time of day; never later than `ms`. */
function timeLike(text: string, ms: number): string {
  const [, , separator, time = '', fraction, zone] = TIME.exec(text) ?? []
  const [day = '', rest = ''] = new Date(ms).toISOString().split('T')
  if (separator === undefined) return day
  const clock = rest.slice(0, time.length)
  return `${day}${separator}${clock}${fraction === undefined ? '' : rest.slice(8, 12)}${zone === undefined ? '' : 'Z'}`
}

export function isNewer(text: string, than: string): boolean {
  if (NUMBER.test(text) && NUMBER.test(than)) return BigInt(text) > BigInt(than)
  if (DECIMAL.test(text) && DECIMAL.test(than) && Number(text) !== Number(than))
    return Number(text) > Number(than)
  const [one, other] = [timeOf(text), timeOf(than)]
  if (one !== undefined && other !== undefined && one !== other) return one > other
  return text > than
}

/** A time that lies ahead would hide everything until then: the cursor is never later than the fetch. */
export function notAhead(text: string, nowMs: number): string {
  const ms = timeOf(text)
  if (ms !== undefined) return ms > nowMs ? timeLike(text, nowMs) : text
  if (!NUMBER.test(text)) return text
  const number = Number(text)
  return isMilliseconds(number) && number > nowMs ? String(nowMs) : text
}

/** Throws SOURCE_ANSWER for a value that is neither time nor number, where there is an overlap. */
export function withOverlap(text: string, overlapMs: number): string {
  if (overlapMs === 0) return text
  const ms = timeOf(text)
  if (ms !== undefined) return timeLike(text, ms - overlapMs)
  if (!NUMBER.test(text))
    throw new SyncError('SOURCE_ANSWER', 'source.overlap needs a time, and the cursor is none', {
      hint: 'Leave source.overlap out, or let the cursor be a field or column with a time.',
    })
  const number = Number(text)
  return String(isMilliseconds(number) ? number - overlapMs : number - Math.ceil(overlapMs / 1000))
}
