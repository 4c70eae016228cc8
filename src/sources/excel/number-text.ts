// Numbers of a workbook as text: as they were typed, whole ones without exponent, dates by the calendar. Pure.
import type { NumberFormat } from './number-format.ts'

const DAY_MS = 86_400_000
/** Excel takes 1900 for a leap year: its days are counted from here on, from March 1900 on. */
const FROM_1900 = Date.UTC(1899, 11, 30)
const FROM_1904 = Date.UTC(1904, 0, 1)
/** The 29th of February 1900, which never was. */
const NO_DAY = 60
/** The last day of the year 9999. */
const LAST_DAY = 2_958_465
const DIGITS = 15

/** A number without exponent. */
function withoutExponent(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]?\d+)$/i.exec(text)
  if (match === null) return text
  const [, sign = '', whole = '', fraction = '', power = '0'] = match
  const digits = whole + fraction
  const point = whole.length + Number(power)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** What was typed: a workbook keeps 0.1 + 0.2 with 17 digits, and shows 15. Undefined for what is no number. */
function typedNumber(raw: string): string | undefined {
  // A longer number of digits alone was written by another program: what it wrote is what it meant.
  if (/^-?(0|[1-9]\d*)$/.test(raw) && raw.length <= 400) return raw
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(raw)) return undefined
  const value = Number(raw)
  return Number.isFinite(value) ? withoutExponent(String(Number(value.toPrecision(DIGITS)))) : undefined
}

const two = (value: number): string => String(value).padStart(2, '0')

const clockText = (seconds: number): string =>
  `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`

/** Undefined for what is no day of the calendar. */
function dateText(serial: number, is1904: boolean): string | undefined {
  const seconds = Math.round(serial * 86_400)
  const day = Math.floor(seconds / 86_400)
  const time = seconds - day * 86_400
  if (day < 0 || day > LAST_DAY) return undefined
  if (!is1904 && day === NO_DAY) return undefined
  if (day === 0 && time > 0) return clockText(time)
  const shift = !is1904 && day < NO_DAY ? 1 : 0
  const at = new Date((is1904 ? FROM_1904 : FROM_1900) + (day + shift) * DAY_MS)
  const date = at.toISOString().slice(0, 10)
  return time === 0 ? date : `${date} ${clockText(time)}`
}

/** The value of a cell with this format; a text that is no number stays unchanged. */
export function numberText(raw: string, format: NumberFormat, is1904: boolean): string {
  const typed = typedNumber(raw.trim())
  if (typed === undefined) return raw
  if (format.kind === 'date') return dateText(Number(raw), is1904) ?? typed
  if (format.kind === 'duration' && Number(raw) >= 0) return clockText(Math.round(Number(raw) * 86_400))
  const isPadded = (format.kind === 'zeros' || format.kind === 'prefixed') && /^\d+$/.test(typed)
  return isPadded ? typed.padStart(format.digits, '0') : typed
}

/** A cell that holds its date as text (ISO 8601): a midnight is a day. */
export function isoDateText(raw: string): string {
  const match = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.0+)?Z?)?$/.exec(raw.trim())
  if (match === null) return raw
  const [, date = '', time] = match
  return time === undefined || time === '00:00:00' ? date : `${date} ${time}`
}
