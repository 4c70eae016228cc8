// The rules of the mapping language that need a library: loaded before a mapping is compiled, and only those that it names.
// A start without them stays quick, and mapping a record stays synchronous.
import type { FieldMapping } from '../mapping-schema.ts'
import type { PipelineSettings } from '../../settings.ts'
import { AUTO, type DateOrders, type OrderEvidence } from './dates/date-order.ts'
import type { DateReading } from './dates/date.ts'
import { evidenceDates } from './evidence-columns.ts'
import { nthAddress } from './addresses.ts'
import type { NamePart } from './text-schema.ts'
import type { ValueRule } from './value-rule.ts'

interface DateWish extends Omit<DateReading, 'fileDate'> {
  /** As its proofs are kept. */
  readonly column: string
}

/** What is absent is named by no mapping of the pipeline. */
export interface RuleKit {
  readonly date?: (wish: DateWish) => ValueRule
  readonly country?: () => ValueRule
  readonly name?: (part: NamePart) => ValueRule
  readonly phone?: {
    readonly rule: (country: string) => ValueRule
    readonly isMobile: (number: string) => boolean
  }
}

export const NO_RULES: RuleKit = {}

type Mapped = Pick<PipelineSettings, 'map' | 'custom_fields'>

const mappingsOf = ({ map, custom_fields: custom }: Mapped): readonly FieldMapping[] => [
  ...Object.values(map),
  ...Object.values(custom),
  ...evidenceDates({ map }),
]

/** Whether the order of day and month has to be found before the records can be mapped. */
export const asksForOrders = (pipeline: Mapped): boolean =>
  mappingsOf(pipeline).some(({ date }) => date?.includes(AUTO))

interface About {
  /** When the file was written, in milliseconds; two digits of a year are understood by it. */
  readonly writtenAt: number
  /** What the columns with `date: auto` have proved. */
  readonly orders?: DateOrders
}

export async function loadRuleKit(pipeline: Mapped, { writtenAt, orders = {} }: About): Promise<RuleKit> {
  const mappings = mappingsOf(pipeline)
  const isNamed = (...keys: readonly (keyof FieldMapping)[]): boolean =>
    mappings.some((mapping) => keys.some((key) => mapping[key] !== undefined))
  const [date, auto, country, phone, name] = await Promise.all([
    isNamed('date') ? import('./dates/date.ts') : undefined,
    asksForOrders(pipeline) ? import('./dates/auto-date.ts') : undefined,
    isNamed('country') ? import('./country.ts') : undefined,
    isNamed('phone', 'phone_type_of') ? import('./phone.ts') : undefined,
    isNamed('name') ? import('./names.ts') : undefined,
  ])
  const fileDate = new Date(writtenAt).toISOString().slice(0, 10)
  const dateRuleFor = ({ column, ...how }: DateWish): ValueRule => {
    const reading = { ...how, fileDate }
    return how.formats.includes(AUTO)
      ? loaded(auto).autoDateRule(reading, orders[column] ?? {})
      : loaded(date).dateRule(reading)
  }
  return {
    ...(date && { date: dateRuleFor }),
    ...(country && { country: country.countryRule }),
    ...(name && { name: (part) => (text) => name.namePart(text, part) }),
    ...(phone && { phone: { rule: phone.phoneRule, isMobile: phone.isMobileNumber } }),
  }
}

/** The same rules, but that texts of columns with `date: auto` are noted and make nothing. */
export function witnessing(kit: RuleKit, evidence: OrderEvidence): RuleKit {
  const date = (wish: DateWish): ValueRule => {
    if (!wish.formats.includes(AUTO)) return loaded(kit.date)(wish)
    return (text) => {
      evidence.note(wish.column, text)
      return ''
    }
  }
  return { ...kit, date }
}

function loaded<Rule>(rule: Rule | undefined): Rule {
  if (rule === undefined) throw new Error('the mapping names a rule that was not loaded')
  return rule
}

const unchanged: ValueRule = (text) => text

export const hasRule = ({ date, country, phone, name, address }: FieldMapping): boolean =>
  [date, phone, name, address].some((rule) => rule !== undefined) || country === true

/** The rule that the mapping names; without one a text stays unchanged. `column`: where its texts come from. */
export function valueRule(mapping: FieldMapping, column: string, kit: RuleKit): ValueRule {
  const { date, two_digit_years_until: twoDigitYearsUntil, timezone, country, phone, name, address } = mapping
  if (date !== undefined) return loaded(kit.date)({ formats: date, twoDigitYearsUntil, timezone, column })
  if (country === true) return loaded(kit.country)()
  if (name !== undefined) return loaded(kit.name)(name)
  if (address !== undefined) return (text) => nthAddress(text, address)
  return phone === undefined ? unchanged : loaded(kit.phone).rule(phone)
}

/** Undefined where the number does not say it. */
export const typeOfPhone = (number: string, kit: RuleKit): 'mobile' | undefined =>
  loaded(kit.phone).isMobile(number) ? 'mobile' : undefined
