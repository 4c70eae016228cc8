// What a plan reaches, as text: how many changes by field, by term and by country, the largest first.
import { type Plan, plannedChanges } from '../../core/change/plan/plan.ts'
import { number, plural } from '../../core/words/format.ts'
import { firstOf } from './change-text.ts'

/** The names with their numbers, largest first. */
const ranked = (totals: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] =>
  totals.filter(([, count]) => count > 0).toSorted(([, one], [, other]) => other - one)

const withNumbers = (totals: readonly (readonly [string, number])[]): readonly string[] =>
  totals.map(([name, count]) => `${name} ${number(count)}`)

/** At most so many lines, and one that says how many are left out. */
function fewLines(lines: readonly string[], most: number, what: string): readonly string[] {
  if (lines.length <= most) return lines
  return [...lines.slice(0, most), `  and ${number(lines.length - most)} more ${what}`]
}

function fieldLines({ byField, actions, counts }: Plan, most: number): readonly string[] {
  const fields = Object.entries(byField)
  const updates = ranked(fields.map(([field, { update }]) => [field, update]))
  const creates = ranked(fields.map(([field, { create }]) => [field, create]))
  const changed = updates.map(
    ([field, count]) => `  ${field} changes for ${number(count)} of ${plural(counts.read, 'record')}`,
  )
  const made = `  ${plural(actions.create, 'new contact')}: ${firstOf(withNumbers(creates), most)}`
  return [...fewLines(changed, most, 'fields'), ...(actions.create === 0 ? [] : [made])]
}

function termLines({ byTerm, otherTerms }: Plan, most: number): readonly string[] {
  const terms = Object.entries(byTerm).toSorted(
    ([, one], [, other]) => other.add + other.remove - one.add - one.remove,
  )
  const lines = terms.map(([name, { add, remove }]) => {
    const given = add === 0 ? [] : [`added to ${number(add)}`]
    const taken = remove === 0 ? [] : [`removed from ${number(remove)}`]
    return `  term ${name}: ${[...given, ...taken].join(', ')}`
  })
  const others = otherTerms === 0 ? [] : [`  other terms, added or removed: ${number(otherTerms)} times`]
  return [...fewLines(lines, most, 'terms'), ...others]
}

function countryLine(plan: Plan, most: number): readonly string[] {
  const countries = ranked(Object.entries(plan.byCountry))
  if (countries.length === 0) return []
  const without = plannedChanges(plan) - countries.reduce((sum, [, count]) => sum + count, 0)
  const none = without === 0 ? '' : `; no country ${number(without)}`
  return [`  changes by country: ${firstOf(withNumbers(countries), most)}${none}`]
}

/** At most so many fields, terms and countries are named. */
export const reachText = (plan: Plan, most: number): readonly string[] => [
  ...fieldLines(plan, most),
  ...termLines(plan, most),
  ...countryLine(plan, most),
]
