// The rules of the mapping language that need a library: loaded before a mapping is compiled, and only those that it names.
// A start without them stays quick, and mapping a record stays synchronous.
import type { FieldMapping } from '../mapping-schema.ts'
import type { PipelineSettings } from '../../settings.ts'
import type { DateReading } from './date.ts'
import type { ValueRule } from './value-rule.ts'

/** What is absent is named by no mapping of the pipeline. */
export interface RuleKit {
  readonly date?: (how: Omit<DateReading, 'fileDate'>) => ValueRule
  readonly country?: () => ValueRule
  readonly phone?: {
    readonly rule: (country: string) => ValueRule
    readonly isMobile: (number: string) => boolean
  }
}

export const NO_RULES: RuleKit = {}

type Mapped = Pick<PipelineSettings, 'map' | 'custom_fields'>

/** `at`: when the file was written, in milliseconds; two digits of a year are understood by it. */
export async function loadRuleKit({ map, custom_fields: custom }: Mapped, at: number): Promise<RuleKit> {
  const mappings = [...Object.values(map), ...Object.values(custom)]
  const isNamed = (...keys: readonly (keyof FieldMapping)[]): boolean =>
    mappings.some((mapping) => keys.some((key) => mapping[key] !== undefined))
  const [date, country, phone] = await Promise.all([
    isNamed('date') ? import('./date.ts') : undefined,
    isNamed('country') ? import('./country.ts') : undefined,
    isNamed('phone', 'phone_type_of') ? import('./phone.ts') : undefined,
  ])
  const fileDate = new Date(at).toISOString().slice(0, 10)
  return {
    ...(date && { date: (how) => date.dateRule({ ...how, fileDate }) }),
    ...(country && { country: country.countryRule }),
    ...(phone && { phone: { rule: phone.phoneRule, isMobile: phone.isMobileNumber } }),
  }
}

function loaded<Rule>(rule: Rule | undefined): Rule {
  if (rule === undefined) throw new Error('the mapping names a rule that was not loaded')
  return rule
}

const unchanged: ValueRule = (text) => text

/** The rule that the mapping names; without one a text stays as it is. */
export function valueRule(mapping: FieldMapping, kit: RuleKit): ValueRule {
  const { date, two_digit_years_until: twoDigitYearsUntil, timezone, country, phone } = mapping
  if (date !== undefined) return loaded(kit.date)({ formats: date, twoDigitYearsUntil, timezone })
  if (country === true) return loaded(kit.country)()
  return phone === undefined ? unchanged : loaded(kit.phone).rule(phone)
}

/** Undefined where the number does not say it. */
export const typeOfPhone = (number: string, kit: RuleKit): 'mobile' | undefined =>
  loaded(kit.phone).isMobile(number) ? 'mobile' : undefined
