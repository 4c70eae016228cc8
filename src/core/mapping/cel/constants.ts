// Whether a constant of the mapping (a value, a default, a lookup's result) can be in its contact field.
// What the service would refuse for every record is better said before the first one. The full check of
// values from records is the mapper's.
import { isCountryCode } from '../country-codes.ts'
import { CONTACT_FIELDS, characterCount, type ContactField, type FieldRule } from '../contact.ts'

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2}))?$/
const MAIL = /^[^\s@]+@[^\s@]+$/

function sizeProblem(value: string, size: number): string | undefined {
  const count = characterCount(value)
  return count > size ? `has ${count} characters; the field takes ${size}` : undefined
}

function ruleProblem(rule: FieldRule, value: string): string | undefined {
  switch (rule.kind) {
    case 'text':
      return sizeProblem(value, rule.size)
    case 'mail':
      return MAIL.test(value)
        ? sizeProblem(value, rule.size)
        : 'is not an e-mail address; write name@example.com'
    case 'choice':
      return rule.values.includes(value.toLowerCase())
        ? undefined
        : `cannot be in this field; it takes ${rule.values.join(', ')}`
    case 'status':
      return rule.values.map(String).includes(value)
        ? undefined
        : `cannot be in this field; it takes ${rule.values.join(', ')}`
    case 'country':
      return isCountryCode(value.toUpperCase())
        ? undefined
        : 'is not a country code; write two letters such as DE'
    case 'datetime':
      return DATE.test(value) ? undefined : 'is not a date; write 1980-12-31, or 1980-12-31T00:00:00+01:00'
  }
}

/** Stands for the sentence that only the file's own text can complete. */
export const NEEDS_QUOTES = 'needs quotes'

/** A sentence, or that a number stands where text is meant; undefined where all is well. */
export function constantProblem(
  field: ContactField,
  constant: string | number | null | undefined,
): string | undefined {
  if (constant === undefined || constant === null || constant === '') return undefined
  const rule = CONTACT_FIELDS[field]
  if (typeof constant === 'number' && rule.kind !== 'status') return NEEDS_QUOTES
  return ruleProblem(rule, String(constant).trim())
}
