// What a cron expression says. node-cron reads and checks it; what it makes of it, number by number, is all that the rest
// of the program knows, so there is one reading of every expression.
import { parse, validateDetailed } from 'node-cron'

export interface Expression {
  /** Names moments within a minute. */
  readonly hasSeconds: boolean
  /** It names every hour of the day. */
  readonly isHourly: boolean
  /** Every so many minutes, or every hour: where a stretch of local time comes twice it is due in both. */
  readonly keepsGoing: boolean
  /** With six fields and every number written out. */
  readonly plain: string
}

const FIELDS: Readonly<Record<string, string>> = {
  dayOfMonth: 'day of month',
  dayOfWeek: 'day of week',
}

/** What is wrong with it, as far as it can be seen field by field; undefined where nothing is. */
export function expressionProblem(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression)
  if (valid) return undefined
  const [{ field, value = '', message } = { field: 'expression', message: 'cannot be read' }] = errors
  if (message.includes('impossible')) return 'names a time that never occurs'
  const what = field === 'expression' ? message : `invalid value for ${FIELDS[field] ?? field}: ${value}`
  return `is not a cron expression: ${what}`
}

/** Days that are not limited stay a star: an expression with both kinds of days is due on either. */
const days = (values: readonly (number | string)[], all: number): string =>
  values.length === all && values.every((value) => typeof value === 'number') ? '*' : values.join(',')

/** Throws for what `expressionProblem` finds. */
export function readExpression(expression: string): Expression {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = parse(expression)
  const isHourly = hour.length === 24
  const written = expression.trim().split(/\s+/)
  const minuteAsWritten = written.at(written.length === 6 ? 1 : 0) ?? ''
  return {
    hasSeconds: second.length > 1 || second[0] !== 0,
    isHourly,
    keepsGoing: isHourly || minuteAsWritten.startsWith('*'),
    plain: [
      second.join(','),
      minute.join(','),
      hour.join(','),
      days(dayOfMonth, 31),
      month.join(','),
      days(dayOfWeek, 7),
    ].join(' '),
  }
}
