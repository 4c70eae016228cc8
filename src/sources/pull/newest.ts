// The cursor of an incremental fetch: the newest value of a field, and what is asked for next. Times are written back in the
// form in which the interface writes them.
import { SyncError } from '../../core/words/errors.ts'

const TIME = /^(\d{4}-\d{2}-\d{2})(?:([ T])(\d{2}:\d{2}(?::\d{2})?)(\.\d+)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/
const NUMBER = /^-?\d+$/
const DECIMAL = /^-?\d+(\.\d+)?$/
/** Above this a number of seconds would be beyond the year 5000: it counts milliseconds, up to the year 2286. */
const MILLISECONDS_FROM = 100_000_000_000
/** September 2001. */
const SECONDS_FROM = 1_000_000_000
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

function isNewer(text: string, than: string): boolean {
  if (NUMBER.test(text) && NUMBER.test(than)) return BigInt(text) > BigInt(than)
  if (DECIMAL.test(text) && DECIMAL.test(than) && Number(text) !== Number(than))
    return Number(text) > Number(than)
  const [one, other] = [timeOf(text), timeOf(than)]
  if (one !== undefined && other !== undefined && one !== other) return one > other
  return text > than
}

type Kind = 'time' | 'number' | 'text'

function kindOf(text: string): Kind {
  if (timeOf(text) !== undefined) return 'time'
  return DECIMAL.test(text) ? 'number' : 'text'
}

/** Whether a cursor is a text that only compares with others of its kind. */
export const isTextCursor = (text: string): boolean => kindOf(text) === 'text'

/** Ids of letters and digits may by chance be digits alone: so rarely that they do not make numbers of the others. */
const TEXTS_PER_NUMBER = 10

function usualKind({ time, number, text }: Readonly<Record<Kind, number>>): Kind {
  if (time > 0 && time >= number) return 'time'
  return number > 0 && number * TEXTS_PER_NUMBER >= text ? 'number' : 'text'
}

/** A number that may count seconds since the epoch, from 2001 until now. */
const isPastSecond = (text: string, nowMs: number): boolean =>
  NUMBER.test(text) && Number(text) >= SECONDS_FROM && Number(text) <= nowMs / 1000

export interface NewestValue {
  note(text: string): void
  /** Undefined where there is none. A time that lies ahead would hide everything until then: it is never later than `nowMs`. */
  value(): string | undefined
}

interface NewestOf {
  /** The cursor so far: where it is a time or a number, other values do not move it. */
  readonly from: string | undefined
  /** When the fetch began. */
  readonly nowMs: number
  /** Numbers are times where they look like it, and are never ids of rows. */
  readonly mayCountTime: boolean
}

/** The newest of many values. One that is not of the kind of the others, `n/a` among times, is passed over. */
export function createNewest({ from, nowMs, mayCountTime }: NewestOf): NewestValue {
  const newest = new Map<Kind, string>()
  const counts = { time: 0, number: 0, text: 0 }
  let isSeconds = false
  const take = (text: string): Kind => {
    const kind = kindOf(text)
    const before = newest.get(kind)
    if (before === undefined || isNewer(text, before)) newest.set(kind, text)
    isSeconds ||= mayCountTime && kind === 'number' && isPastSecond(text, nowMs)
    return kind
  }
  const known = from === undefined ? 'text' : take(from)
  return {
    note(text) {
      counts[take(text)] += 1
    },
    value() {
      const kind = known === 'text' ? usualKind(counts) : known
      const found = newest.get(kind)
      if (found === undefined || (kind === 'number' && !mayCountTime)) return found
      return notAhead(found, nowMs, isSeconds)
    },
  }
}

function notAhead(text: string, nowMs: number, isSeconds: boolean): string {
  const ms = timeOf(text)
  if (ms !== undefined) return ms > nowMs ? timeLike(text, nowMs) : text
  if (!NUMBER.test(text)) return text
  const number = Number(text)
  if (isMilliseconds(number)) return number > nowMs ? String(nowMs) : text
  const now = Math.floor(nowMs / 1000)
  // A number of changes that has grown beyond it has no neighbours in the past.
  return isSeconds && number > now && number < MILLISECONDS_FROM ? String(now) : text
}

/** Throws SOURCE_ANSWER for a value that is neither time nor number, where there is an overlap. */
export function assertOverlaps(text: string, overlapMs: number): void {
  if (overlapMs === 0 || !isTextCursor(text)) return
  throw new SyncError('SOURCE_ANSWER', 'source.overlap needs a time, and the cursor is none', {
    hint: 'Leave source.overlap out, or let the cursor be a field or column with a time.',
  })
}

/** What is asked for; undefined, which is everything, for a text, from which no overlap can be taken. */
export function withOverlap(text: string, overlapMs: number): string | undefined {
  if (overlapMs === 0) return text
  const ms = timeOf(text)
  if (ms !== undefined) return timeLike(text, ms - overlapMs)
  if (!DECIMAL.test(text)) return undefined
  const number = Number(text)
  return String(isMilliseconds(number) ? number - overlapMs : number - Math.ceil(overlapMs / 1000))
}
