// The cursor of an incremental fetch: the newest value of a field, and what is asked for next. Times are written back in the
// form in which the interface writes them.
import { SyncError } from '../../core/words/errors.ts'
import { isObject, textOf } from '../json/values.ts'
import { valueAtPath } from './answer.ts'

const TIME = /^(\d{4}-\d{2}-\d{2})(?:([ T])(\d{2}:\d{2}(?::\d{2})?)(\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?$/
const NUMBER = /^-?\d+$/
/** Above this a number of seconds would be beyond the year 5000: it counts milliseconds, up to the year 2286. */
const MILLISECONDS_FROM = 100_000_000_000
const MILLISECONDS_TO = 10_000_000_000_000
const isMilliseconds = (number: number): boolean => number >= MILLISECONDS_FROM && number < MILLISECONDS_TO

/** Milliseconds since the epoch, of a time without a zone as of UTC; undefined for what is no time. */
function timeOf(text: string): number | undefined {
  const match = TIME.exec(text)
  if (match === null) return undefined
  const [, day = '', , time = '00:00', fraction = '', zone = 'Z'] = match
  const ms = Date.parse(`${day}T${time}${fraction}${zone}`)
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
  const [one, other] = [timeOf(text), timeOf(than)]
  if (one !== undefined && other !== undefined && one !== other) return one > other
  return text > than
}

export interface Newest {
  note(record: unknown): void
  /** Undefined where no record had the field. */
  value(): string | undefined
  /** Throws SOURCE_ANSWER where there were records, and none of them had the field. */
  assertFound(): void
}

/** `from`: the cursor so far. */
export function watchNewest(field: string, from: string | undefined): Newest {
  let newest = from
  let isSeen = false
  let isFound = false
  return {
    note(record) {
      isSeen = true
      const text = isObject(record) ? textOf(valueAtPath(record, field)) : ''
      if (text === '') return
      isFound = true
      if (newest === undefined || isNewer(text, newest)) newest = text
    },
    value: () => newest,
    assertFound() {
      if (!isSeen || isFound) return
      throw new SyncError('SOURCE_ANSWER', `since.field: no record has ${field}`)
    },
  }
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
    throw new SyncError('SOURCE_ANSWER', 'source.overlap needs a time, and since.field holds none', {
      hint: 'Leave source.overlap out, or name a field with a time in source.since.field.',
    })
  const number = Number(text)
  return String(isMilliseconds(number) ? number - overlapMs : number - Math.ceil(overlapMs / 1000))
}
