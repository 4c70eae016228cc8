// A key that is made of mapped fields (`key: { fields: [mail, first_name] }`): several persons of one mail. Its values are
// compared in a form that forgives what services do to them; the key is that form, readable in rejects, log and `--key`.
import { hash } from 'node:crypto'
import { type Contact, mailKey } from '../contact.ts'
import type { PipelineSettings } from '../../settings.ts'

/** The fields of the key; the mail is among them. */
export type HouseholdFields = NonNullable<PipelineSettings['household']>

const plain = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase()

/** A birthday at noon in any offset is that day. */
function day(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString().slice(0, 10)
}

function comparedForm(field: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (text.trim() === '') return ''
  if (field === 'mail' || field === 'mail2') return mailKey(text)
  return field === 'date_of_birth' ? day(text) : plain(text)
}

/** The values of the key as they are compared, of a record or of a contact that the service shows. */
export const householdValues = (
  contact: Readonly<Record<string, unknown>>,
  fields: HouseholdFields,
): readonly string[] => fields.map((field) => comparedForm(field, contact[field]))

/** Undefined where a field of it is blank: the record would be ambiguous. `\` and `|` in values are escaped. */
export function householdKey(contact: Contact, fields: HouseholdFields): string | undefined {
  const values = householdValues(contact, fields)
  if (values.includes('')) return undefined
  return values.map((value) => value.replace(/[\\|]/g, '\\$&')).join('|')
}

/** Fields of the key for which the contact has nothing. */
export const blankOf = (contact: Contact, fields: HouseholdFields): readonly string[] =>
  fields.filter((_, index) => householdValues(contact, fields)[index] === '')

const RULE_LENGTH = 22

/** What decides which key a record has; undefined for a key of columns. */
export function householdRule({ household, map }: PipelineSettings): string {
  const rules = (household ?? []).map((field) => [field, map[field]])
  return hash('sha256', JSON.stringify(rules), 'base64').slice(0, RULE_LENGTH)
}
