// `date`: the day that a text names, as 1980-12-31. It is read by the patterns that the mapping gives, the first that fits,
// and otherwise only where the day is unambiguous: in the form of ISO 8601. What no pattern fits is never guessed.
import { DateTime, FixedOffsetZone } from 'luxon'
import { compileDateFormat, type DateParts } from './date-format.ts'
import { monthNumber } from './month-names.ts'
import type { RuledText, ValueRule } from '../value-rule.ts'

export interface DateReading {
  readonly formats: readonly string[]
  /** 26: 26 is 2026, and 27 is 1927. Unset: the latest year that is not after the file. */
  readonly twoDigitYearsUntil: number | undefined
  /** Where the days of the source are: midnight there, written in another zone, is the day that begins there. */
  readonly timezone: string | undefined
  /** The file's own date, 2026-11-22. */
  readonly fileDate: string
}

const ISO = ['yyyy-MM-dd', "yyyy-MM-dd'T'HH:mm:ssXXX", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"].map(compileDateFormat)

/** Longer than any date; what takes time grows with the text. */
export const LONGEST_DATE = 80

/** Zeros and what stands between them; a day without its year. */
const NOTHING = /^[-\s0./:,TZ]+$|^--\d{1,2}-?\d{1,2}$|^---\d{1,2}$/

/** Whether a text is how exporters write that they have no date. */
export const saysNothing = (text: string): boolean => NOTHING.test(text)

/** How exporters write that they know no date: the lowest and highest of a program, and the zero of a spreadsheet. */
const UNKNOWN_DAYS: ReadonlySet<string> = new Set([
  '0001-01-01',
  '4501-01-01',
  '9999-12-31',
  '1899-12-30',
  '1900-01-00',
])
/** The year that address books write for a birthday of which they know day and month alone. */
const UNKNOWN_YEAR = 1604

/** Those that exporters use: what a hint and a proposal are made of. */
export const USUAL_PATTERNS = [
  'd.M.yyyy',
  'd/M/yyyy',
  'M/d/yyyy',
  'd-M-yyyy',
  'M-d-yyyy',
  'yyyy/M/d',
  'yyyy-M-d',
  'yyyyMMdd',
  'd. MMMM yyyy',
  'd MMMM yyyy',
  'MMMM d, yyyy',
  'd-MMM-yyyy',
  'd.M.yy',
  'd/M/yy',
  'M/d/yy',
  'd-MMM-yy',
  'd.M.yyyy H:mm',
  'd.M.yyyy H:mm:ss',
  'd/M/yyyy H:mm',
  'd/M/yyyy H:mm:ss',
  'M/d/yyyy h:mm a',
  'M/d/yyyy h:mm:ss a',
  'yyyy-MM-dd H:mm',
  'yyyy-MM-dd H:mm:ss',
  'yyyy-MM-dd H:mm:ss X',
]

const USUAL = USUAL_PATTERNS.map((pattern) => ({ pattern, read: compileDateFormat(pattern) }))

const twoDigits = (count: number): string => String(count).padStart(2, '0')

const dayText = (year: number, month: number, day: number): string =>
  `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`

function yearOf(
  { year, short = '' }: DateParts,
  monthAndDay: readonly [number, number],
  how: DateReading,
): number {
  if (year !== undefined) return Number(year)
  const two = Number(short)
  const { twoDigitYearsUntil: until, fileDate } = how
  if (until !== undefined) return two + (two <= until ? 2000 : 1900)
  const century = Math.floor(Number(fileDate.slice(0, 4)) / 100) * 100
  return dayText(century + two, ...monthAndDay) <= fileDate ? century + two : century - 100 + two
}

const hourOf = ({ hour = '0', half }: DateParts): number =>
  half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/iu.test(half) ? 12 : 0)

/** Minutes east of Greenwich; undefined where the text names no offset. */
function offsetOf({ offset }: DateParts): number | undefined {
  if (offset === undefined) return undefined
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):?(\d\d)?$/u.exec(offset) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/** The day that begins in the zone at the moment that the text names; undefined where none does. */
function dayBegunIn(
  zone: string,
  written: readonly [number, number, number],
  parts: DateParts,
): string | undefined {
  const offset = offsetOf(parts)
  const [hour, minute, second] = [hourOf(parts), Number(parts.minute ?? 0), Number(parts.second ?? 0)]
  // Midnight as it is written is the beginning of the day that is written, wherever that is.
  if (offset === undefined || (hour === 0 && minute === 0 && second === 0)) return undefined
  const [year, month, day] = written
  const moment = DateTime.fromObject(
    { year, month, day, hour, minute, second },
    { zone: FixedOffsetZone.instance(offset) },
  ).setZone(zone)
  // Where summer time begins at midnight, the day begins at one.
  const isBeginning = moment.valueOf() === moment.startOf('day').valueOf()
  return isBeginning ? (moment.toISODate() ?? undefined) : undefined
}

/** `''` for a day that stands for none; undefined where the parts are of no day of the calendar. */
export function dayOf(parts: DateParts, how: DateReading): string | undefined {
  const month = parts.word === undefined ? Number(parts.month) : monthNumber(parts.word)
  if (month === undefined) return undefined
  const day = Number(parts.day)
  const year = yearOf(parts, [month, day], how)
  const text = dayText(year, month, day)
  if (UNKNOWN_DAYS.has(text) || year === UNKNOWN_YEAR || (month === 0 && day === 0)) return ''
  // Years of three digits are two that were filled up with zeros.
  if (year < 1000 || !DateTime.utc(year, month, day).isValid) return undefined
  return (
    (how.timezone === undefined ? undefined : dayBegunIn(how.timezone, [year, month, day], parts)) ?? text
  )
}

const isDay = (parts: DateParts | undefined, how: DateReading): boolean =>
  parts !== undefined && dayOf(parts, how) !== undefined

/** `29221`, from 1927 to 2118. */
const SERIAL = /^[1-7]\d{4}(?:[.,]\d+)?$/

/** Of a text that is no date: the form in which a spreadsheet keeps one. */
export const serialHint = (text: string): string =>
  SERIAL.test(text.trim())
    ? '; a spreadsheet may have made it of a date: format the column as a date there, and export it again'
    : ''

function hintFor(text: string, how: DateReading): string {
  const fitting = USUAL.filter(({ read }) => isDay(read(text), how)).map(({ pattern }) => pattern)
  return fitting.length === 0 ? serialHint(text) : `; ${fitting.slice(0, 2).join(' or ')} would read it`
}

const quoted = (formats: readonly string[]): string => formats.map((format) => `"${format}"`).join(', ')

/** Compiles the patterns; each has been checked. */
export function dateRule(how: DateReading): ValueRule {
  const readers = [...how.formats.map(compileDateFormat), ...ISO]
  const problem = `${how.formats.length === 1 ? 'does not fit' : 'fits none of'} ${quoted(how.formats)}`
  return (text): RuledText => {
    if (text.length > LONGEST_DATE) return { problem }
    if (saysNothing(text)) return ''
    let hasFitted = false
    for (const read of readers) {
      const parts = read(text)
      if (parts === undefined) continue
      const day = dayOf(parts, how)
      if (day !== undefined) return day
      hasFitted = true
    }
    return { problem: `${hasFitted ? 'is not a day of the calendar' : problem}${hintFor(text, how)}` }
  }
}
