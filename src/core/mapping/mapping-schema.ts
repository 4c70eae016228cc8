// The schema of the mapping language: how one contact field is made (`map`).
// It checks what can be known before the first record: forms, constants, transforms and their options.
import { z } from 'zod'
import { CONTACT_FIELDS, type ContactField } from './contact.ts'
import { constantProblem } from './cel/constants.ts'
import { consentKeys, evidenceProblems } from './values/evidence-schema.ts'
import type { DeepReadonly } from '../words/deep-readonly.ts'
import { flag, text } from '../words/scalars.ts'
import { transformList } from './fields/transform-schema.ts'
import { misplacedNames, textRuleKeys, textRuleProblems } from './values/text-schema.ts'
import { misplacedRules, valueRuleKeys, valueRuleProblems } from './values/value-schema.ts'

const WAYS = ['column', 'columns', 'value', 'template', 'pick', 'expression', 'phone_type_of'] as const

function templateProblem(template: string): string | undefined {
  const rest = template.replace(/\{\{|\}\}/g, '')
  if (/[{}]/.test(rest.replace(/\{[^{}]+\}/g, '')))
    return 'has an unmatched brace; write {Column}, and {{ or }} for the braces themselves'
  if (!/\{[^{}]+\}/.test(rest)) return 'names no column; write {Column}, or use value for a fixed text'
  return undefined
}

const template = text.check((ctx) => {
  const message = templateProblem(ctx.value)
  if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
})

/** A form of a column's name: `*` stands for its number. */
const numbered = text.refine((form) => form.split('*').length === 2, {
  error: 'has not exactly one *; write it where the number stands, "Phone * - Value"',
})

const pickRule = z.strictObject({
  label: z
    .union(
      [
        numbered,
        z.array(numbered).min(1, { error: 'is an empty list; name the columns that hold the label' }),
      ],
      {
        error: 'has the wrong form; write "Phone * - Type", or a list of such names',
      },
    )
    .transform((forms) => (typeof forms === 'string' ? [forms] : forms))
    .describe(
      'The column that says what a value is, with `*` for the number; or several, of which the first in the file counts.',
    ),
  value: numbered.describe('The column with the value; `*` is the same number.'),
  of: z
    .array(text)
    .min(1, { error: 'is an empty list; name the labels to take, the best first' })
    .describe('Labels, the best first; case, blanks and hyphens are ignored; `*` stands for any text.'),
  except: z.array(text).prefault([]).describe('Labels that never count, in the same form.'),
})

export const handEdits = z.enum(['overwrite', 'keep', 'ask'])

export const onInvalid = z.enum(['reject', 'drop', 'truncate'])
export const blank = z.enum(['keep', 'clear'])

const mappingKeys = z
  .strictObject({
    column: text
      .optional()
      .describe('The column to take. The short form `mail: E-Mail` is `mail: { column: E-Mail }`.'),
    columns: z
      .array(text)
      .min(1, { error: 'is an empty list; name the columns to try, in order' })
      .optional()
      .describe('Several columns: the first that is not blank. At least one of them must be in the file.'),
    value: z.union([z.string(), z.number()]).optional().describe('The same value for every record.'),
    template: template
      .optional()
      .describe(
        'Text with columns inserted, `"{Position}, {Department}"`; a blank column leaves no stray text behind.',
      ),
    pick: pickRule
      .optional()
      .describe('One of several numbered columns, chosen by the label in the column beside it.'),
    optional: flag
      .optional()
      .describe(
        'A file may lack the column, `fax: { column: Fax, optional: true }`; then the field is not part of the mapping for that file, and is not changed. Default: false.',
      ),
    transform: transformList
      .optional()
      .describe('Transforms for the value, in order: a name, `{ name: options }`, or a list of these.'),
    lookup: z
      .record(z.string(), z.string().nullable())
      .refine((table) => Object.keys(table).length > 0, { error: 'is empty; list values as `from: to`' })
      .optional()
      .describe('A table from source values to field values, after the transforms; `null` makes it blank.'),
    otherwise: z
      .string()
      .nullable()
      .optional()
      .describe(
        'With lookup: for values that the table lacks. `null`: blank. Without it they are invalid, or left to the rule date, country or phone. With phone_type_of: for numbers that do not say that they are mobile.',
      ),
    default: z.string().optional().describe('For blank values.'),
    on_invalid: onInvalid.optional().describe("The pipeline's on_invalid, for this field only."),
    blank: blank.optional().describe("The pipeline's blank, for this field only."),
    hand_edits: handEdits.optional().describe("The pipeline's hand_edits, for this field only."),
    number: z
      .union(
        [flag, z.strictObject({ decimal: z.enum([',', '.']).describe('The decimal mark of the source.') })],
        {
          error: 'is neither true nor { decimal: "," } or { decimal: "." }',
        },
      )
      .transform((number): { decimal?: ',' | '.' } | undefined =>
        typeof number !== 'boolean' ? number : number ? {} : undefined,
      )
      .optional()
      .describe(
        'Numbers as people write them. A number that could be thousands or decimals is invalid unless `decimal` decides.',
      ),
    ...valueRuleKeys,
    ...textRuleKeys,
    ...consentKeys,
    split: text.optional().describe('Of a custom field with several values: what stands between them.'),
    size: z
      .int()
      .min(8)
      .max(255)
      .optional()
      .describe('Of a custom text field: how many characters the service takes, 8 to 255.'),
  })
  .check((ctx) => {
    const { value } = ctx
    const say = (message: string, path: string[] = []) =>
      ctx.issues.push({ code: 'custom', input: value, path, message })
    const ways = WAYS.filter((way) => value[way] !== undefined)
    if (ways.length === 0)
      say(
        'does not say where the value comes from; give one of column, columns, value, template, pick and expression',
      )
    if (ways.length > 1) say(`has ${ways.join(' and ')} at once; keep one of them`)
    if (value.otherwise !== undefined && value.lookup === undefined && value.phone_type_of === undefined)
      say('has no effect without lookup; use default for blank values', ['otherwise'])
    for (const { key, message } of [...valueRuleProblems(value), ...textRuleProblems(value)])
      say(message, [key])
  })

/** One field's mapping, as every field has it. */
const anyMapping = z
  .union([text, mappingKeys], {
    error: 'is not a mapping; write the name of a column, or { column: NAME } with more beside it',
  })
  .meta({ id: 'FieldMapping' })

/** How one contact field is made. Exactly one of column, columns, value, template and pick is there. */
export type FieldMapping = DeepReadonly<z.output<typeof mappingKeys>>
/** A value among numbered pairs of columns; `*` is the same number in label and value. */
export type PickRule = NonNullable<FieldMapping['pick']>

/** The short form is the mapping of a column. */
const inFull = (written: z.output<typeof anyMapping>): z.output<typeof mappingKeys> =>
  typeof written === 'string' ? { column: written } : written

const customMapping = anyMapping
  .check((ctx) => {
    const written = ctx.value
    if (typeof written === 'string') return
    for (const { key, message } of evidenceProblems('', written))
      ctx.issues.push({ code: 'custom', input: written, path: [key], message })
  })
  .transform(inFull)

/** A field's mapping whose constants are checked against what the field may hold (interface, 2.3). */
function mappingFor(field: ContactField) {
  const checked = anyMapping.check((ctx) => {
    const written = ctx.value
    if (typeof written === 'string') return
    for (const name of ['split', 'size'] as const)
      if (written[name] !== undefined)
        ctx.issues.push({
          code: 'custom',
          input: written[name],
          path: [name],
          message: 'is for custom fields only; leave it out',
        })
    const problems = [misplacedRules, misplacedNames, evidenceProblems].flatMap((find) =>
      find(field, written),
    )
    for (const { key, message } of problems)
      ctx.issues.push({ code: 'custom', input: written, path: [key], message })
    const constants: [readonly string[], string | number | null | undefined][] = [
      [['value'], written.value],
      [['default'], written.default],
      [['otherwise'], written.otherwise],
      ...Object.entries(written.lookup ?? {}).map(([from, to]): [string[], string | null] => [
        ['lookup', from],
        to,
      ]),
    ]
    for (const [path, constant] of constants) {
      const issue = constantProblem(field, constant)
      if (issue !== undefined)
        ctx.issues.push({ code: 'custom', input: constant, path: [...path], message: issue })
    }
  })
  return checked.transform(inFull)
}

function fieldText(field: ContactField): string {
  const rule = CONTACT_FIELDS[field]
  switch (rule.kind) {
    case 'text':
      return `Text of up to ${rule.size} characters.`
    case 'mail':
      return `An e-mail address of up to ${rule.size} characters.`
    case 'choice':
    case 'status':
      return `One of ${rule.values.join(', ')}.`
    case 'country':
      return 'Two letters, ISO 3166-1 alpha-2.'
    case 'datetime':
      return 'A date: 1980-12-31, or with time and offset.'
  }
}

const optionalField = (field: ContactField) => mappingFor(field).optional().describe(fieldText(field))

const fields = Object.fromEntries(
  (Object.keys(CONTACT_FIELDS) as ContactField[]).map((field) => [field, optionalField(field)]),
) as Record<ContactField, ReturnType<typeof optionalField>>

/** `map`: contact fields by name, and custom fields. */
export const mapSchema = z
  .strictObject({
    ...fields,
    custom_fields: z
      .record(text, customMapping)
      .optional()
      .describe('Custom fields of the service, by their names, each mapped like a field.'),
  })
  .check((ctx) => {
    const { custom_fields: custom = {}, ...standard } = ctx.value
    const all = [
      ...Object.entries(standard).map(([field, mapping]) => [[field], mapping] as const),
      ...Object.entries(custom).map(([field, mapping]) => [['custom_fields', field], mapping] as const),
    ]
    for (const [path, mapping] of all) {
      const of = mapping?.phone_type_of
      if (of === undefined || standard[of]?.phone !== undefined) continue
      const message = `needs the rule phone at ${of}; write ${of}: { column: ..., phone: DE }`
      ctx.issues.push({ code: 'custom', input: of, path: [...path, 'phone_type_of'], message })
    }
  })
