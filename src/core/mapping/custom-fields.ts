// Custom fields: from the service's definitions (interface, 2.2) to what the mapper checks and sends. The list of types
// is open; a type that is not known passes its text through, with a warning.
import { CONTACT_FIELDS } from './contact.ts'
import { checkSize, checkText, cleanText, type FieldCheck } from './fields/field-check.ts'
import { hash } from 'node:crypto'
import type { CustomFieldDefinition } from '../ports.ts'
import type { FieldMapping } from './mapping-schema.ts'
import type { PipelineSettings } from '../settings.ts'
import { nearest } from '../words/nearest.ts'

export interface CustomFieldRule {
  readonly name: string
  /** The key under which it stands in a contact. */
  readonly key: string
  readonly required: boolean
  /** Characters; undefined where the value is no text of limited size. */
  readonly size: number | undefined
  /** Whether nothing is left of a text: a selection of separators alone selects nothing. */
  isBlank(value: string): boolean
  check(value: string): FieldCheck
}

export interface CustomFieldRules {
  readonly rules: readonly CustomFieldRule[]
  /** Changes whenever a definition changes by which values are made. */
  readonly print: string
}

export const NO_CUSTOM_FIELDS: CustomFieldRules = { rules: [], print: '' }

/** The largest size of a custom text field (interface, 8). */
const LARGEST = 255

type Form = 'text' | 'integer' | 'number' | 'single' | 'multiple' | 'confirmation'

const FORMS: Readonly<Record<string, Form>> = {
  text: 'text',
  text_textfield: 'text',
  text_textarea: 'text',
  email: 'text',
  url: 'text',
  date: 'text',
  date_popup: 'text',
  integer: 'integer',
  number_integer: 'integer',
  number: 'number',
  float: 'number',
  number_float: 'number',
  options_select: 'single',
  selection: 'single',
  options_buttons: 'multiple',
  checkbox_confirmation: 'confirmation',
}

function formOf({ type, multiple }: CustomFieldDefinition): Form | undefined {
  // Types are the service's own words: one may be called like what every object has.
  const form = Object.hasOwn(FORMS, type) ? FORMS[type] : undefined
  // Only selections know one value and several (interface, 2.3); a text is one text, whatever else is said of it.
  if (form !== 'single' && form !== 'multiple') return form
  if (multiple === undefined) return form
  return multiple ? 'multiple' : 'single'
}

const isOne = (form: Form | undefined): boolean => form !== undefined && form !== 'multiple'

const invalid = (problem: string): FieldCheck => ({ code: 'FIELD_INVALID', problem })

function checkNumber(
  value: string,
  { isInteger, isRead }: { isInteger: boolean; isRead: boolean },
): FieldCheck {
  const shape = isInteger ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/
  const hint = isRead ? '' : '; number: true reads other ways of writing'
  if (!shape.test(value)) return invalid(`is no ${isInteger ? 'integer' : 'number with a dot'}${hint}`)
  const number = Number(value)
  return Number.isSafeInteger(Math.trunc(number))
    ? { value: number }
    : invalid('is too large to be sent exactly')
}

const YES = new Set(['1', 'true', 'yes', 'ja', 'x'])
const NO = new Set(['0', 'false', 'no', 'nein'])

function checkConfirmation(value: string): FieldCheck {
  const word = value.toLowerCase()
  if (YES.has(word)) return { value: 1 }
  return NO.has(word) ? { value: 0 } : invalid('is neither yes nor no; use a lookup to decide')
}

const selected = (value: string, split: string | undefined): string[] =>
  (split === undefined ? [value] : value.split(split)).map(cleanText).filter((part) => part !== '')

/** In one order, because a selection has none: the same values in another order are no change. */
const checkSelection = (value: string, split: string | undefined): FieldCheck => ({
  value: [...new Set(selected(value, split))].sort(),
})

function checkForm(form: Form | undefined, mapping: FieldMapping): (value: string) => FieldCheck {
  switch (form) {
    case 'integer':
    case 'number':
      return (value) =>
        checkNumber(value, { isInteger: form === 'integer', isRead: mapping.number !== undefined })
    case 'confirmation':
      return checkConfirmation
    case 'multiple':
      return (value) => checkSelection(value, mapping.split)
    case 'single':
    case 'text':
    case undefined:
      return (value) => checkSize(value, mapping.size ?? LARGEST)
  }
}

/** The definitions that the pipeline maps, by name. */
export function mappedDefinitions(
  pipeline: PipelineSettings,
  definitions: readonly CustomFieldDefinition[],
): readonly CustomFieldDefinition[] {
  return definitions.filter(({ name }) => Object.hasOwn(pipeline.custom_fields, name))
}

export interface CustomFieldFindings extends CustomFieldRules {
  /** What keeps the pipeline from running. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** So many names are a help; more are a wall. */
const FEW = 12

function unknownText(name: string, definitions: readonly CustomFieldDefinition[]): string {
  const names = definitions.map((one) => one.name)
  const near = nearest(name, names)
  const more = names.length > FEW ? ` and ${names.length - FEW} more; contact-sync fields lists them` : ''
  const known = names.length === 0 ? 'it has none' : `it has ${names.slice(0, FEW).join(', ')}${more}`
  const hint = near === undefined ? `; ${known}` : `; did you mean ${near}?`
  return `map.custom_fields.${name}: the service has no such field${hint}`
}

/** The key under which a custom field stands in a contact. */
export const customFieldKeyOf = (
  { name, id }: Pick<CustomFieldDefinition, 'name' | 'id'>,
  keyTemplate: string,
): string => keyTemplate.replaceAll('{field_name}', name).replaceAll('{field_id}', String(id))

function ruleFor(
  definition: CustomFieldDefinition,
  mapping: FieldMapping,
  keyTemplate: string,
): CustomFieldRule {
  const form = formOf(definition)
  const rule = checkForm(form, mapping)
  const key = customFieldKeyOf(definition, keyTemplate)
  const isText = form === 'text' || form === 'single' || form === undefined
  return {
    name: definition.name,
    key,
    required: definition.required,
    size: isText ? (mapping.size ?? LARGEST) : undefined,
    isBlank: (value) => value === '' || (form === 'multiple' && selected(value, mapping.split).length === 0),
    check: (value) => checkText(value, rule),
  }
}

function collisions(rules: readonly CustomFieldRule[]): string[] {
  return rules.flatMap(({ name, key }, index) => {
    const other = rules.slice(0, index).find((rule) => rule.key === key)?.name
    const taken =
      Object.hasOwn(CONTACT_FIELDS, key) || key === 'id' || key === 'terms'
        ? 'a field of every contact'
        : other
    return taken === undefined
      ? []
      : [`map.custom_fields.${name}: its key "${key}" is that of ${taken}; see service.custom_field_key`]
  })
}

/** Holds what the pipeline maps against the definitions; every problem and warning at once, each a sentence. */
export function customFieldFindings(
  pipeline: PipelineSettings,
  definitions: readonly CustomFieldDefinition[],
  keyTemplate: string,
): CustomFieldFindings {
  const mapped = mappedDefinitions(pipeline, definitions)
  const unknown = Object.keys(pipeline.custom_fields).filter(
    (name) => !mapped.some((one) => one.name === name),
  )
  const rules = mapped.map((definition) =>
    ruleFor(definition, pipeline.custom_fields[definition.name] ?? {}, keyTemplate),
  )
  const strange = mapped.filter((definition) => formOf(definition) === undefined)
  const notSplit = mapped.filter(
    (one) => pipeline.custom_fields[one.name]?.split !== undefined && isOne(formOf(one)),
  )
  const missing = definitions.filter((one) => one.required && !mapped.includes(one))
  // By name: the service may list the same definitions in another order.
  const decisive = mapped
    .map(({ name, id, type, required, multiple }, index) => {
      const key = rules[index]?.key
      return [name, type, required, multiple, key, id]
    })
    .sort(([left], [right]) => (String(left) < String(right) ? -1 : 1))
  return {
    rules,
    print: rules.length === 0 ? '' : hash('sha256', JSON.stringify(decisive), 'hex'),
    problems: [...unknown.map((name) => unknownText(name, definitions)), ...collisions(rules)],
    warnings: [
      ...strange.map(
        ({ name, type }) =>
          `custom field ${name} has the type ${type}, which is not known; its text is sent unchanged`,
      ),
      ...notSplit.map(
        ({ name, type }) =>
          `custom field ${name} takes one value (${type}): split has no effect, the text is sent whole`,
      ),
      ...missing.map(
        ({ name }) => `custom field ${name} is required by the service, and the pipeline does not map it`,
      ),
    ],
  }
}

/** What changed about a definition since it was seen last; undefined: nothing that matters. */
export function definitionChange(
  before: CustomFieldDefinition,
  now: CustomFieldDefinition,
): string | undefined {
  const names = ['id', 'type', 'required', 'multiple', 'label', 'description'] as const
  const changed = names.filter((name) => before[name] !== now[name])
  const said = changed.map((name) => `${name} from ${String(before[name])} to ${String(now[name])}`)
  return said.length === 0 ? undefined : said.join(', ')
}
