// `date: auto`: a day in any usual form. Where the form leaves the order of day and month open, the column must have proved
// it; a text that could be two days is refused.
import { compileDateFormat, type DateParts } from './date-format.ts'
import { dateAndTime, type DateOrder, orderOf } from './date-order.ts'
import { type DateReading, dayOf, LONGEST_DATE, saysNothing, serialHint } from './date.ts'
import type { RuledText, ValueRule } from '../value-rule.ts'

/** Unambiguous forms: day and month cannot be confused. */
const CERTAIN = [
  'yyyy-M-d',
  'yyyy/M/d',
  'yyyy.M.d',
  'yyyyMMdd',
  'd. MMMM yyyy',
  'd MMMM yyyy',
  'd-MMM-yyyy',
  'd MMM yy',
  'd-MMM-yy',
  'MMMM d, yyyy',
  'MMMM d yyyy',
  'EEEE, d. MMMM yyyy',
  'EEEE, d MMMM yyyy',
  'EEEE, MMMM d, yyyy',
  'EEE d MMM yyyy',
  'EEE MMM d yyyy',
  "d 'de' MMMM 'de' yyyy",
].map(compileDateFormat)

const ORDERED: Readonly<Record<DateOrder, string>> = { day: 'd.M.', month: 'M.d.' }

const TIMES = [
  'H:mm',
  'H:mm:ss',
  'H:mm:ss.S',
  'h:mm a',
  'h:mm:ss a',
  'H:mm:ssX',
  'H:mm:ss X',
  'H:mm:ss.SX',
  'H:mmX',
].map(compileDateFormat)

type Reader = (text: string) => DateParts | undefined

const firstOf = (readers: readonly Reader[], text: string): DateParts | undefined => {
  for (const read of readers) {
    const parts = read(text)
    if (parts !== undefined) return parts
  }
  return undefined
}

/** Readers of `31.12.1980` and its like, with any mark between the numbers. */
function orderedReaders(order: DateOrder): (date: string, mark: string) => DateParts | undefined {
  const readers = [`${ORDERED[order]}yyyy`, `${ORDERED[order]}yy`].map(compileDateFormat)
  return (date, mark) => firstOf(readers, date.replaceAll(' ', '').replaceAll(mark, '.'))
}

const BY_ORDER = { day: orderedReaders('day'), month: orderedReaders('month') }

const OPEN =
  'may have the day or the month first, and no value of the column proves which; write the pattern in place of auto'

/** `orders`: what the column has proved, by what stands between the numbers. */
export function autoDateRule(
  how: Omit<DateReading, 'formats'>,
  orders: Readonly<Record<string, DateOrder>>,
): ValueRule {
  const reading: DateReading = { ...how, formats: [] }
  return (text): RuledText => {
    const problem = `is no date${serialHint(text)}`
    if (text.length > LONGEST_DATE) return { problem }
    if (saysNothing(text)) return ''
    const { date, time } = dateAndTime(text)
    const timeParts = time === undefined ? {} : firstOf(TIMES, time)
    if (timeParts === undefined) return { problem }
    const day = (parts: DateParts | undefined): string | undefined =>
      parts && dayOf({ ...parts, ...timeParts }, reading)
    const ordered = orderOf(date)
    if (ordered === undefined) return day(firstOf(CERTAIN, date)) ?? { problem }
    const { mark } = ordered
    const order = orders[mark] ?? ordered.order
    if (order !== undefined)
      return day(BY_ORDER[order](date, mark)) ?? { problem: 'is not a day of the calendar' }
    const [one, other] = [day(BY_ORDER.day(date, mark)), day(BY_ORDER.month(date, mark))]
    if (one === other) return one ?? { problem: 'is not a day of the calendar' }
    return { problem: OPEN }
  }
}
