// The rule for a column of dates of birth. The order of day and month is taken only where the column proves it; otherwise an
// operator is asked.
import { AUTO, type DateOrder, orderOf } from '../mapping/values/dates/date-order.ts'
import { dateRule, USUAL_PATTERNS } from '../mapping/values/dates/date.ts'
import type { ColumnReading } from './column-reading.ts'
import type { ProposedChoice, ProposedEntry } from './entry.ts'
import { shareOf, someOf } from './values.ts'

const isDayFirst = (pattern: string): boolean => pattern.indexOf('d') < pattern.indexOf('M')

/** More patterns than these are hard to read; `auto` says the same. */
const MOST_PATTERNS = 3

/** The fewest patterns that read as many values as can be read. */
function patternsFor(
  values: readonly string[],
  orderBehind: (mark: string) => DateOrder | undefined,
  fileDate: string,
): readonly string[] {
  const how = { twoDigitYearsUntil: undefined, timezone: undefined, fileDate }
  const fitting = USUAL_PATTERNS.filter(
    (pattern) =>
      !isOrdered(pattern) || orderBehind(markOf(pattern)) === (isDayFirst(pattern) ? 'day' : 'month'),
  )
  const chosen: string[] = []
  let left = values
  while (left.length > 0 && chosen.length < MOST_PATTERNS) {
    const found = fitting
      .map((pattern) => {
        const read = dateRule({ ...how, formats: [pattern] })
        return { pattern, rest: left.filter((value) => typeof read(value) !== 'string') }
      })
      .reduce((best, one) => (one.rest.length < best.rest.length ? one : best))
    if (found.rest.length === left.length) break
    chosen.push(found.pattern)
    left = found.rest
  }
  return chosen
}

/** Whether a pattern puts the day or the month first, with numbers alone. */
const isOrdered = (pattern: string): boolean => /^(?:d+.M+.|M+.d+.)/.test(pattern) && !pattern.includes('MMM')

/** What stands between its numbers. */
const markOf = (pattern: string): string => /^[dM]+(.)/.exec(pattern)?.[1] ?? ''

const formatsOf = (patterns: readonly string[]): string | readonly string[] =>
  patterns.length === 1 ? (patterns[0] ?? AUTO) : patterns.length === 0 ? AUTO : patterns

/** Two digits of a year that may belong to two centuries. */
function hasOpenCentury(values: readonly string[], fileDate: string): boolean {
  const thisYear = Number(fileDate.slice(2, 4))
  return values.some((value) => {
    const short = /^\d{1,2}[./-] ?\d{1,2}[./-] ?(\d\d)$/.exec(value)?.[1]
    return short !== undefined && Number(short) <= thisYear
  })
}

export function birthdayEntry({ column, confidence, why }: ColumnReading, fileDate: string): ProposedEntry {
  const values = someOf(column.values)
  const base = { column: column.name, field: 'date_of_birth' as const }
  const mapped = (patterns: readonly string[]) => ({ column: column.name, date: formatsOf(patterns) })
  if (typeof column.dateOrders === 'string')
    return { ...base, rule: null, field: null, confidence: 0.1, why: column.dateOrders }
  const iso = dateRule({ formats: [], twoDigitYearsUntil: undefined, timezone: undefined, fileDate })
  if (values.length === 0 || shareOf(values, (value) => typeof iso(value) === 'string') === 1)
    return { ...base, rule: { column: column.name }, confidence, why }
  const proved = column.dateOrders
  const ordered = values.flatMap((value) => orderOf(value) ?? [])
  const open = new Set(ordered.map(({ mark }) => mark).filter((mark) => proved[mark] === undefined))
  const all = [...new Set(Object.values(proved))]
  if (open.size > 0) {
    const choice = (answer: DateOrder): ProposedChoice => ({
      answer,
      means: `the ${answer} comes first`,
      rule: mapped(patternsFor(values, (mark) => proved[mark] ?? answer, fileDate)),
    })
    return {
      ...base,
      rule: mapped(patternsFor(values, (mark) => proved[mark] ?? 'day', fileDate)),
      confidence: Math.min(confidence, 0.6),
      why: 'the header says a date of birth, and no value proves whether the day or the month comes first',
      choices: [choice('day'), choice('month')],
    }
  }
  const patterns = patternsFor(values, (mark) => proved[mark], fileDate)
  const proof = all.length === 0 ? '' : `, and a value proves that the ${all.join(' or ')} comes first`
  if (hasOpenCentury(values, fileDate))
    return {
      ...base,
      rule: mapped(patterns),
      confidence: Math.min(confidence, 0.8),
      why: `${why}${proof}; years of two digits may belong to two centuries`,
    }
  return { ...base, rule: mapped(patterns), confidence, why: `${why}${proof}` }
}
