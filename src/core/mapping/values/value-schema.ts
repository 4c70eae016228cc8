// The schema of the rules for dates, countries and telephone numbers: which keys there are, and what is wrong with them
// before the first record. The libraries behind the rules are not loaded for it.
import { z } from 'zod'
import { isCountryCode } from '../country-codes.ts'
import { flag, text, timezone } from '../../words/scalars.ts'
import { dateFormatProblem, sameTextsForm } from './dates/date-format.ts'
import { AUTO } from './dates/date-order.ts'

const dateFormat = text.check((ctx) => {
  const message = ctx.value === AUTO ? undefined : dateFormatProblem(ctx.value)
  if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
})

/** Two patterns that would read the same text as two days. */
function contradiction(formats: readonly string[]): string | undefined {
  if (formats.includes(AUTO)) return 'has auto among others; write date: auto, or the patterns alone'
  const first = new Map<string, string>()
  for (const format of formats) {
    const form = sameTextsForm(format)
    const other = form === undefined ? undefined : first.get(form)
    const isOrder =
      other !== undefined &&
      other.indexOf('d') < other.indexOf('M') !== format.indexOf('d') < format.indexOf('M')
    if (isOrder)
      return `has ${other} and ${format}, which read 03/04 as two days; keep the one that the exporter uses`
    if (form !== undefined && other === undefined) first.set(form, format)
  }
  return undefined
}

const DATE_SENTENCE = 'is not a date pattern; write dd.MM.yyyy, a list of such patterns, or auto'

export const dateFormats = z
  .union(
    [
      dateFormat,
      z.array(dateFormat).min(1, { error: 'is an empty list; write patterns such as dd.MM.yyyy' }),
    ],
    {
      error: DATE_SENTENCE,
    },
  )
  .check((ctx) => {
    const message = typeof ctx.value === 'string' ? undefined : contradiction(ctx.value)
    if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
  })
  .transform((formats) => (typeof formats === 'string' ? [formats] : formats))

/** ISO codes of islands and of Antarctica: they have no telephone numbers. */
export const WITHOUT_NUMBERS: readonly string[] = ['AQ', 'BV', 'GS', 'HM', 'PN', 'TF', 'UM']

const phoneCountry = text.refine((code) => isCountryCode(code) && !WITHOUT_NUMBERS.includes(code), {
  error: 'is not a country with telephone numbers; write its two capital letters, DE say',
})

/** The keys of a field's mapping. */
export const valueRuleKeys = {
  date: dateFormats
    .optional()
    .describe(
      'Patterns of the date in Unicode letters, the first that fits: `dd.MM.yyyy`, `[d/M/yy, "d. MMMM yyyy"]`. 1980-12-31 is always read. `auto`: any usual form; the column must prove whether the day or the month comes first, and a file that contradicts what was proved is held. Default: 1980-12-31 alone.',
    ),
  two_digit_years_until: z
    .int()
    .min(0)
    .max(99)
    .optional()
    .describe(
      'With yy in date: the last year of this century; 26 makes 2026 of 26 and 1927 of 27. Default: the latest year not after the date of the file.',
    ),
  timezone: timezone
    .optional()
    .describe(
      "With date: the time zone of the source's days, `Europe/Berlin`. A time that is midnight there counts as that day, in whatever zone it is written. Default: the day as written.",
    ),
  country: flag
    .optional()
    .describe(
      'Converts to the two letters of ISO 3166-1 from a name in English, German, French, Spanish, Italian, Dutch, Polish or Portuguese, or from another code: `country: true`. Default: false.',
    ),
  phone: phoneCountry
    .optional()
    .describe(
      'Converts a telephone number to E.164, +49301234567; the country is for numbers without a code: `phone: DE`. Default: the text unchanged.',
    ),
  phone_type_of: z
    .enum(['phone', 'phone2'])
    .optional()
    .describe(
      'In place of a column: mobile if the number in that field is one, otherwise the value of `otherwise`: `phone_type: { phone_type_of: phone, otherwise: work }`. The field needs the rule phone.',
    ),
}

type ValueRuleKey = keyof typeof valueRuleKeys

type Written = Readonly<Partial<Record<ValueRuleKey | 'number' | 'lookup' | 'transform', unknown>>>

interface KeyProblem {
  readonly key: string
  readonly message: string
}

const isSet = (value: unknown): boolean => value !== undefined && value !== false

/** What is wrong between the keys of one mapping. */
export function valueRuleProblems(written: Written): KeyProblem[] {
  const problems: KeyProblem[] = []
  const rules = (['date', 'country', 'phone', 'number'] as const).filter((key) => isSet(written[key]))
  const [first, second] = rules
  if (first !== undefined && second !== undefined)
    problems.push({ key: second, message: `stands beside ${first}; a field has one of them` })
  for (const key of ['two_digit_years_until', 'timezone'] as const)
    if (written[key] !== undefined && written.date === undefined)
      problems.push({ key, message: 'has no effect without date; leave it out' })
  if (written.phone_type_of === undefined) return problems
  for (const key of ['lookup', 'transform', ...rules] as const)
    if (isSet(written[key])) problems.push({ key, message: 'has no effect with phone_type_of; leave it out' })
  return problems
}

/** The standard fields for which a rule makes a value. Custom fields may have each. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  date: ['date_of_birth'],
  country: ['ba_country'],
  phone: ['phone', 'phone2', 'fax'],
  phone_type_of: ['phone_type', 'phone2_type'],
}

/** Rules in a standard field that can hold nothing that they make. */
export const misplacedRules = (field: string, written: Written): KeyProblem[] =>
  Object.entries(FIELDS).flatMap(([key, fields]) =>
    isSet(written[key as ValueRuleKey]) && !fields.includes(field)
      ? [{ key, message: `is for ${fields.join(', ')} and custom fields; leave it out` }]
      : [],
  )
