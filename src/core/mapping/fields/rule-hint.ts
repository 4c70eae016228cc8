// Which rule of the mapping would read a value that its field cannot take as it is.
import type { FieldMapping } from '../mapping-schema.ts'
import { checkField } from './field-check.ts'

/** What stands between an e-mail address and a name, or another address. */
const BETWEEN = /[\s,;|<>]+/

const hasAddress = (value: string): boolean =>
  BETWEEN.test(value) && value.split(BETWEEN).some((part) => 'value' in checkField('mail', part))

function ruleHint(field: string, mapping: FieldMapping, value: string): string {
  if ((field === 'mail' || field === 'mail2') && hasAddress(value))
    return '; the rule address: 1 takes the first one of a text'
  if (field === 'date_of_birth' && mapping.date === undefined) return '; the rule date reads other forms'
  if (field === 'ba_country' && mapping.country === undefined && value.length > 2)
    return '; the rule country: true reads names and other codes'
  return ''
}

interface Problem {
  readonly code: string
  readonly problem: string
  readonly value: string
}

/** A result of reading the field, with the rule named where there is one. */
export function withRuleHint<T extends { readonly problem?: Problem }>(
  { name: field, mapping }: { readonly name: string; readonly mapping: FieldMapping },
  result: T,
): T {
  const { problem } = result
  if (problem?.code !== 'FIELD_INVALID' && problem?.code !== 'MAIL_INVALID') return result
  const text = `${problem.problem}${ruleHint(field, mapping, problem.value)}`
  return { ...result, problem: { ...problem, problem: text } }
}
