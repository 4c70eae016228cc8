// A value that a person gives for a field, checked as the mapping checks those of the source.
import { CONTACT_FIELD_NAMES, type ContactField } from '../contact.ts'
import type { CustomFieldRules } from '../custom-fields.ts'
import type { FieldMapping } from '../mapping-schema.ts'
import { type RuleKit, valueRule } from '../values/rule-kit.ts'
import type { RuledText } from '../values/value-rule.ts'
import { checkField, cleanText, type FieldCheck } from './field-check.ts'

const isContactField = (name: string): name is ContactField =>
  (CONTACT_FIELD_NAMES as readonly string[]).includes(name)

/** `field` as messages name it; `key`: as a contact has it. Undefined where there is no such field. */
export function acceptedValue(
  field: string,
  text: string,
  { rules }: CustomFieldRules,
): { readonly key: string; readonly check: FieldCheck } | undefined {
  const value = cleanText(text)
  if (isContactField(field)) return { key: field, check: value === '' ? { value } : checkField(field, value) }
  const rule = rules.find(({ name }) => `custom_fields.${name}` === field)
  return rule && { key: rule.key, check: rule.isBlank(value) ? { value: '' } : rule.check(value) }
}

/**
 * The text in the form that the field's rule gives numbers; what is none has a problem. The other rules of a mapping read forms of
 * the source, which the service does not take.
 */
export function givenText({ phone }: FieldMapping, text: string, kit: RuleKit): RuledText {
  const value = cleanText(text)
  return phone === undefined || value === '' ? text : valueRule({ phone }, '', kit)(value)
}
