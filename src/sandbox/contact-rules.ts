// What the sandbox accepts as a contact: section 2.3 of the interface, to the letter. The schemas here check the
// requests, shape the answers and make the description of the interface.
import { isBlank } from '../core/words/blank.ts'
import validator from 'validator'
import { z } from 'zod'
import { isCountryCode } from '../core/mapping/country-codes.ts'
import { CONTACT_FIELDS, type FieldRule, FULL_ADDRESS_FIELDS } from '../core/mapping/contact.ts'
import { customFieldSchemas, type Definition } from './custom-fields.ts'
import { Failure } from './failure.ts'
import { sizedText } from './sized-text.ts'

export type Fields = Record<string, unknown>

const MOMENT =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d[+-](0\d|1[0-4]):[0-5]\d$/

function isRealMoment(text: string): boolean {
  if (!MOMENT.test(text)) return false
  const [year, month, day] = text.slice(0, 10).split('-').map(Number)
  const date = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day))
  return date.getUTCDate() === day
}

const isMail = (text: string): boolean =>
  validator.isEmail(text, { allow_utf8_local_part: true, ignore_max_length: true })

/** '' is let through everywhere: it is how a field is emptied. */
const orEmpty = (fits: (value: string) => boolean, problem: string) =>
  z.string({ error: 'must be text' }).refine((value) => value === '' || fits(value), problem)

function fieldSchema(rule: FieldRule): z.ZodType {
  switch (rule.kind) {
    case 'status':
      return z.literal([...rule.values, ''], { error: `must be one of ${rule.values.join(', ')}` })
    case 'choice':
      return z.enum([...rule.values, ''], { error: `must be one of ${rule.values.join(', ')}` })
    case 'country':
      return orEmpty(isCountryCode, 'must be an ISO 3166-1 alpha-2 code').meta({
        maxLength: 2,
        examples: ['DE'],
      })
    case 'datetime':
      return orEmpty(isRealMoment, 'must have the shape YYYY-MM-DDThh:mm:ss+hh:mm').meta({
        format: 'date-time',
        examples: ['1980-03-04T12:00:00+00:00'],
      })
    case 'mail':
      return sizedText(rule.size)
        .refine((value) => value === '' || isMail(value), 'must be a valid e-mail address')
        .meta({ maxLength: rule.size, format: 'email', examples: ['ada@example.com'] })
    case 'text':
      return sizedText(rule.size)
  }
}

/** A list of term ids, in a contact or as a whole body. */
export const termIds = z
  .array(z.int({ error: 'must be a term id' }).positive('must be a term id'), {
    error: 'must be a list of term ids',
  })
  .meta({ examples: [[1]] })

const given = (names: readonly string[]) => ({
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string', pattern: '\\S' }])),
})

/** The schemas of a contact where these custom fields are defined. */
export function createContactRules(definitions: readonly Definition[]) {
  const fieldSchemas = {
    ...Object.fromEntries(Object.entries(CONTACT_FIELDS).map(([name, rule]) => [name, fieldSchema(rule)])),
    ...customFieldSchemas(definitions),
  }
  const optional = Object.fromEntries(
    Object.entries(fieldSchemas).map(([name, schema]) => [name, schema.nullable().optional()]),
  )
  const fieldsSchema = () =>
    z.strictObject(
      { ...optional, terms: termIds.optional() },
      { error: (issue) => (issue.code === 'invalid_type' ? 'must be an object' : undefined) },
    )
  /** A contact as it is read: the fields that were asked for, null where they have no value. */
  const servedContact = z.strictObject({ id: z.int(), ...optional, terms: termIds.optional() })
  return {
    /** Fields as they are given for an update; every one may be left out. */
    contactFields: fieldsSchema(),
    /** A new contact. Its description says what `assertComplete` checks. */
    newContact: fieldsSchema().meta({ anyOf: [given(['mail']), given(FULL_ADDRESS_FIELDS)] }),
    newContactWithMail: fieldsSchema().meta({ anyOf: [given(['mail'])] }),
    servedContact,
    /** Names that `fields` may ask for. */
    shownFields: Object.keys(servedContact.shape) as [string, ...string[]],
  }
}

export type ContactRules = ReturnType<typeof createContactRules>

const isMissing = (value: unknown): boolean =>
  isBlank(value) || (typeof value === 'string' && value.trim() === '')

/** A contact has a mail, or a full address (interface, 4.2). */
export function assertComplete(fields: Fields, options: { mailRequired: boolean }): void {
  if (!isMissing(fields['mail'])) return
  if (options.mailRequired) throw new Failure(422, 'each contact must have a valid mail', 'contact')
  const missing = FULL_ADDRESS_FIELDS.filter((name) => isMissing(fields[name]))
  if (missing.length === 0) return
  const names = missing.join(', ')
  throw new Failure(422, `a contact needs an e-mail address, or a full address; missing: ${names}`, 'contact')
}
