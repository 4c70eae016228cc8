// How one field is made from a record: where its text comes from, what is done to it, and what it must be at the end.
// The same for the fields of the interface and for custom fields.
import { RE2JS } from 're2js'
import type { ColumnIndex } from './columns.ts'
import { compileExpression, type FieldExpression } from './condition.ts'
import type { ContactField, FieldValue } from './contact.ts'
import type { CustomFieldRule } from './custom-fields.ts'
import { checkField, cleanText, type FieldCheck, truncated, truncatedTo } from './field-check.ts'
import { SyncError } from '../words/errors.ts'
import { parseNumber } from '../words/number.ts'
import { compilePick, pickPairs } from './pick.ts'
import type { FieldMapping } from './mapping-schema.ts'
import type { OnInvalid, PipelineSettings } from '../settings.ts'
import { parseTemplate } from './template.ts'
import { compileTransforms } from './transforms.ts'
import { hasRule, type RuleKit, typeOfPhone, valueRule } from './values/rule-kit.ts'
import type { RuledText } from './values/value-rule.ts'

type Reader = (values: readonly string[]) => RuledText

interface FieldResult {
  readonly value?: FieldValue
  /** `value`: the text that is wrong; '' where there is none to show. */
  readonly problem?: Extract<FieldCheck, { problem: string }> & { readonly value: string }
  readonly mended?: true
  /** There is no value, and the service asks for one in a new contact. */
  readonly lacking?: true
}

export interface FieldMapper {
  /** As messages name it. */
  readonly name: string
  /** The name under which it stands in the contact. */
  readonly key: string
  readonly mapping: FieldMapping
  read(values: readonly string[]): FieldResult
}

/** What the field may hold. */
interface FieldTarget {
  readonly name: string
  readonly key: string
  readonly required: boolean
  /** Whether a blank may empty it. */
  readonly clearable: boolean
  isBlank(value: string): boolean
  check(value: string): FieldCheck
  /** The longest beginning of the value that fits; undefined where cutting makes no sense. */
  cut(value: string): string | undefined
}

/** What a field's mapping is compiled against. */
export interface FieldContext {
  readonly pipeline: PipelineSettings
  readonly header: readonly string[]
  readonly columns: ColumnIndex
  readonly kit: RuleKit
}

const NO_MATCH = Symbol('no match')

export function mappingColumns(mapping: FieldMapping): readonly string[] {
  if (mapping.column !== undefined) return [mapping.column]
  if (mapping.columns !== undefined) return mapping.columns
  if (mapping.pick !== undefined) return [mapping.pick.value]
  if (mapping.expression !== undefined) return compiledExpression(mapping.expression).columns
  return mapping.template === undefined ? [] : parseTemplate(mapping.template).columns
}

/** The configuration has been checked: only a mapping that was made otherwise can fail here. */
function compiledExpression(written: string): FieldExpression {
  const expression = compileExpression(written)
  if ('problem' in expression) throw new SyncError('CONFIG_INVALID', `expression: ${expression.problem}`)
  return expression
}

interface Cells {
  readonly header: readonly string[]
  readonly columns: ColumnIndex
  readonly cellAt: (values: readonly string[], index: number) => string
}

/** The text that an expression makes of the record's cells. */
function expressionReader(written: string, { header, columns, cellAt }: Cells): Reader {
  const expression = compiledExpression(written)
  const others = expression.usesAllColumns ? header.filter((name) => name !== '') : []
  const names = [...new Set([...others, ...expression.columns])]
  const places = names.map((name) => [name, columns.get(name) ?? header.indexOf(name)] as const)
  return (values) =>
    expression.evaluate(new Map(places.map(([name, place]) => [name, cellAt(values, place)])))
}

/** Whether a text is one that `unless` leaves out. */
function unlessTest({ unless }: FieldMapping): (text: string) => boolean {
  if (unless === undefined) return () => false
  const pattern = RE2JS.compile(unless)
  return (text) => pattern.matcher(text).find()
}

function lookupReader(mapping: FieldMapping): (value: string) => string | typeof NO_MATCH {
  const table = mapping.lookup
  if (table === undefined) return (value) => value
  const exact = new Map(Object.entries(table))
  const folded = new Map(Object.entries(table).map(([from, to]) => [cleanText(from).toLowerCase(), to]))
  return (value) => {
    if (value === '' && !exact.has('')) return ''
    const found = exact.has(value) ? exact.get(value) : folded.get(value.toLowerCase())
    if (found !== undefined) return found ?? ''
    if (mapping.otherwise !== undefined) return mapping.otherwise ?? ''
    // Beside a rule the table is for its exceptions.
    return hasRule(mapping) ? value : NO_MATCH
  }
}

/** The type of the number that another field is made of: mobile where it says so; of no number none. */
function phoneTypeReader(mapping: FieldMapping, context: FieldContext): Reader {
  const field = mapping.phone_type_of ?? 'phone'
  const { read } = compileField(field, context.pipeline.map[field] ?? {}, context)
  return (values) => {
    const number = read(values).value
    if (typeof number !== 'string' || number === '') return ''
    return typeOfPhone(number, context.kit) ?? mapping.otherwise ?? ''
  }
}

function valueReader(mapping: FieldMapping, context: FieldContext): Reader {
  const { pipeline, header, columns } = context
  const nulls = new Set(pipeline.source.null_values.map(cleanText))
  const isLeftOut = unlessTest(mapping)
  const cellAt = (values: readonly string[], index: number | undefined): string => {
    const value = cleanText(values[index ?? -1] ?? '')
    return nulls.has(value) || isLeftOut(value) ? '' : value
  }
  const cell = (values: readonly string[], column: string): string => cellAt(values, columns.get(column))
  if (mapping.template !== undefined) {
    const template = parseTemplate(mapping.template)
    return (values) => template.render((column) => cell(values, column))
  }
  if (mapping.value !== undefined) {
    const constant = String(mapping.value)
    return () => constant
  }
  if (mapping.pick !== undefined) {
    const choose = compilePick(mapping.pick, pickPairs(mapping.pick, columns.keys()))
    return (values) => choose((column) => cell(values, column))
  }
  if (mapping.phone_type_of !== undefined) return phoneTypeReader(mapping, context)
  if (mapping.expression !== undefined)
    return expressionReader(mapping.expression, { header, columns, cellAt })
  const alternatives = mappingColumns(mapping)
  return (values) => {
    for (const column of alternatives) {
      const value = cell(values, column)
      if (value !== '') return value
    }
    return ''
  }
}

/** The text as a number in its one form, where the mapping says that it is one. */
function numberReader(mapping: FieldMapping): (value: string) => string | { problem: string } {
  const { number } = mapping
  if (number === undefined) return (value) => value
  return (value) => {
    const parsed = parseNumber(value, number.decimal)
    return 'problem' in parsed ? parsed : parsed.text
  }
}

function checkedValue(target: FieldTarget, value: string, onInvalid: OnInvalid): FieldResult {
  const check = target.check(value)
  if ('value' in check) return check
  if (onInvalid === 'drop') return { mended: true }
  const cut = onInvalid === 'truncate' && check.code === 'FIELD_TOO_LONG' ? target.cut(value) : undefined
  return cut === undefined ? { problem: { ...check, value } } : { value: cut, mended: true }
}

/** Says of a required field that nothing is left of it, whether it is blank or was dropped. */
const lackingMarked =
  ({ required }: FieldTarget, read: (values: readonly string[]) => FieldResult): FieldMapper['read'] =>
  (values) => {
    const result = read(values)
    const isNothing = result.value === undefined && result.problem === undefined
    return required && isNothing ? { ...result, lacking: true } : result
  }

function compileTarget(target: FieldTarget, mapping: FieldMapping, context: FieldContext): FieldMapper {
  const { pipeline, kit } = context
  const read = valueReader(mapping, context)
  const transform = compileTransforms(mapping.transform ?? [])
  const lookup = lookupReader(mapping)
  const isLeftOut = unlessTest(mapping)
  const rule = valueRule(mapping, mappingColumns(mapping).join(', '), kit)
  const asNumber = numberReader(mapping)
  const onInvalid = mapping.on_invalid ?? pipeline.on_invalid
  const clears = target.clearable && (mapping.blank ?? pipeline.blank) === 'clear'
  const invalid = (problem: string, value = ''): FieldResult =>
    onInvalid === 'drop' ? { mended: true } : { problem: { code: 'FIELD_INVALID', problem, value } }
  return {
    name: target.name,
    key: target.key,
    mapping,
    read: lackingMarked(target, (values) => {
      const source = read(values)
      if (typeof source !== 'string') return invalid(source.problem)
      const transformed = cleanText(transform(source))
      const given = isLeftOut(transformed) ? '' : transformed
      const found = lookup(given)
      if (found === NO_MATCH) return invalid('is not in the lookup', given)
      const made = target.isBlank(found) ? found : rule(cleanText(found))
      if (typeof made !== 'string') return invalid(made.problem, found)
      const value = target.isBlank(made) ? (mapping.default ?? '') : made
      const isBlank = target.isBlank(value)
      if (isBlank && target.required)
        return clears ? invalid('is blank, and the service requires the field') : {}
      if (isBlank) return clears ? { value: '' } : {}
      const text = asNumber(cleanText(value))
      return typeof text === 'string' ? checkedValue(target, text, onInvalid) : invalid(text.problem, value)
    }),
  }
}

/** A field of the interface (interface, 2.3). */
export function compileField(field: ContactField, mapping: FieldMapping, context: FieldContext): FieldMapper {
  const check = (value: string): FieldCheck => checkField(field, value)
  const cut = (value: string): string | undefined => truncated(field, value)
  const isBlank = (value: string): boolean => value === ''
  // A blank says nothing about a consent.
  const clearable = field !== 'mail_status'
  const target = { name: field, key: field, required: false, clearable, isBlank, check, cut }
  return compileTarget(target, mapping, context)
}

/** A custom field by its definition. */
export function compileCustomField(
  rule: CustomFieldRule,
  mapping: FieldMapping,
  context: FieldContext,
): FieldMapper {
  const { size } = rule
  const cut = (value: string): string | undefined =>
    size === undefined ? undefined : truncatedTo(size, value)
  const target = {
    name: `custom_fields.${rule.name}`,
    key: rule.key,
    required: rule.required,
    clearable: true,
    isBlank: rule.isBlank,
    check: rule.check,
    cut,
  }
  return compileTarget(target, mapping, context)
}
