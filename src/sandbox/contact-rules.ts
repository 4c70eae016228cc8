// What the sandbox accepts as a contact: section 2.3 of the interface, to the letter.
import countries from 'i18n-iso-countries'
import validator from 'validator'
import {
  characterCount,
  CONTACT_FIELDS,
  type ContactField,
  type FieldRule,
  FULL_ADDRESS_FIELDS,
} from '../core/contact.ts'
import { checkCustomField } from './custom-fields.ts'
import { Failure } from './failure.ts'

export type Fields = Record<string, unknown>

const MOMENT = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d[+-]\d{2}:\d{2}$/

const isRule = (name: string): name is ContactField => Object.hasOwn(CONTACT_FIELDS, name)

export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

function isRealMoment(text: string): boolean {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number)
  const date = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day))
  return MOMENT.test(text) && date.getUTCDate() === day
}

function isValidMail(text: string): boolean {
  return validator.isEmail(text, { allow_utf8_local_part: true, ignore_max_length: true })
}

function ruleProblem(rule: FieldRule, value: unknown): string | undefined {
  if (rule.kind === 'status')
    return rule.values.some((status) => status === Number(value))
      ? undefined
      : `must be one of ${rule.values.join(', ')}`
  if (typeof value !== 'string') return 'must be text'
  switch (rule.kind) {
    case 'choice':
      return rule.values.includes(value) ? undefined : `must be one of ${rule.values.join(', ')}`
    case 'country':
      return /^[A-Z]{2}$/.test(value) && countries.alpha2ToNumeric(value) !== undefined
        ? undefined
        : 'must be an ISO 3166-1 alpha-2 code'
    case 'datetime':
      return isRealMoment(value) ? undefined : 'must have the shape YYYY-MM-DDThh:mm:ss+hh:mm'
    case 'mail':
      if (!isValidMail(value)) return 'must be a valid e-mail address'
      return characterCount(value) > rule.size ? `has more than ${rule.size} characters` : undefined
    case 'text':
      return characterCount(value) > rule.size ? `has more than ${rule.size} characters` : undefined
  }
}

function checkTerms(value: unknown): void {
  const isList = Array.isArray(value) && value.every((id) => Number.isSafeInteger(id) && Number(id) > 0)
  if (!isList) throw new Failure(422, 'terms must be a list of term ids')
}

/** Every field given is known and fits; throws 422 with the field's name otherwise. */
export function checkFields(fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'terms') checkTerms(value)
    else if (isRule(name)) {
      const wrong = isBlank(value) ? undefined : ruleProblem(CONTACT_FIELDS[name], value)
      if (wrong !== undefined) throw new Failure(422, `${name} ${wrong}`)
    } else if (!checkCustomField(name, value)) throw new Failure(422, `there is no field ${name}`)
  }
}

/** A new contact needs a valid mail, or a full address (interface, 4.2). */
export function checkNewContact(fields: Fields, options: { mailRequired: boolean }): void {
  checkFields(fields)
  if (!isBlank(fields['mail'])) return
  if (options.mailRequired) throw new Failure(422, 'each contact must have a valid mail')
  const missing = FULL_ADDRESS_FIELDS.filter((name) => isBlank(fields[name]))
  if (missing.length > 0)
    throw new Failure(422, `a contact needs a mail, or a full address; missing: ${missing.join(', ')}`)
}
