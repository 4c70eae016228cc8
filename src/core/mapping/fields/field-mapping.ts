// How one field is made from a record: where its text comes from, what is done to it, and what it must be at the end.
// The same for the fields of the interface and for custom fields.
import { RE2JS } from 're2js'
import type { ColumnIndex } from '../columns.ts'
import { compileExpression, type FieldExpression } from '../cel/condition.ts'
import type { ContactField, FieldValue } from '../contact.ts'
import type { CustomFieldRule } from '../custom-fields.ts'
import { checkField, cleanText, type FieldCheck, truncated, truncatedTo } from './field-check.ts'
import { withRuleHint } from './rule-hint.ts'
import { SyncError } from '../../words/errors.ts'
import { parseNumber } from '../../words/number.ts'
import { compilePick, pickPairs } from './pick.ts'
import type { FieldMapping, PickRule } from '../mapping-schema.ts'
import type { OnInvalid, PipelineSettings } from '../../settings.ts'
import { parseTemplate } from './template.ts'
import { compileTransforms } from './transforms.ts'
import { hasRule, type RuleKit, typeOfPhone, valueRule } from '../values/rule-kit.ts'
import { type Note, noted, notedChange, type RuleStep, ruleText } from '../values/noted.ts'
import type { RuledText } from '../values/value-rule.ts'

/** Values that persons set right, by the name of the field. */
export type RightValues = ReadonlyMap<string, string>

type Reader = (values: readonly string[], note?: Note, corrected?: RightValues) => RuledText

export interface FieldResult {
  readonly value?: FieldValue
  /** `value`: the text that is wrong; '' where there is none to show. */
  readonly problem?: Extract<FieldCheck, { problem: string }> & { readonly value: string }
  readonly mended?: true
  /** There is no value, and the service asks for one in a new contact. */
  readonly lacking?: true
  /** The record has nothing for the field; the value stands in for it (`default`, or a lookup of the blank). */
  readonly isStandIn?: true
}

export interface FieldMapper {
  /** As messages name it. */
  readonly name: string
  /** The name under which it stands in the contact. */
  readonly key: string
  readonly mapping: FieldMapping
  /** `corrected`: of other fields, a number whose type this one is. */
  read(values: readonly string[], note?: Note, corrected?: RightValues): FieldResult
  /** A value that a person set right, in place of what the source says: checked, and never dropped or cut. */
  accept(value: string): FieldResult
  /** The columns of this input that it reads. */
  readonly reads: readonly string[]
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

/** Columns about which an expression asks whether they are there: it can do without them. */
export const askedColumns = ({ expression }: FieldMapping): readonly string[] =>
  expression === undefined ? [] : compiledExpression(expression).asked

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
  const places = names
    .map((name) => [name, columns.get(name) ?? header.indexOf(name)] as const)
    .filter(([name, place]) => place >= 0 || !expression.asked.includes(name))
  const rule = ruleText('expression', written)
  return (values, note) => {
    const cells = new Map(places.map(([name, place]) => [name, cellAt(values, place)]))
    const made = expression.evaluate(cells)
    if (note === undefined) return made
    const read = expression.columns.filter((name) => cells.has(name))
    const from = Object.fromEntries(read.map((name) => [name, cells.get(name) ?? ''] as const))
    return toldOf(note, { rule, from, columns: read }, made)
  }
}

/** What a rule made or could not make, after it was told. */
function toldOf<Made extends RuledText>(
  note: Note | undefined,
  step: Omit<RuleStep, 'to'>,
  made: Made,
): Made {
  note?.({ ...step, to: typeof made === 'string' ? made : null })
  return made
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

/** The type of the number that another field has: mobile where it says so; of no number none. */
function phoneTypeReader(mapping: FieldMapping, context: FieldContext): Reader {
  const field = mapping.phone_type_of ?? 'phone'
  const { read, accept } = compileField(field, context.pipeline.map[field] ?? {}, context)
  const typeOf = (number: FieldValue | undefined): string =>
    typeof number === 'string' && number !== ''
      ? (typeOfPhone(number, context.kit) ?? mapping.otherwise ?? '')
      : ''
  return (values, note, corrected) => {
    const right = corrected?.get(field)
    const number = (right === undefined ? read(values) : accept(right)).value
    return noted(note, `phone_type_of: ${field}`, number ?? null, typeOf(number))
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
  if (mapping.template !== undefined) return templateReader(mapping.template, cell)
  if (mapping.value !== undefined) {
    const constant = String(mapping.value)
    return (_, note) => noted(note, 'value', null, constant)
  }
  if (mapping.pick !== undefined) return pickReader(mapping.pick, columns, cell)
  if (mapping.phone_type_of !== undefined) return phoneTypeReader(mapping, context)
  if (mapping.expression !== undefined)
    return expressionReader(mapping.expression, { header, columns, cellAt })
  const alternatives = mappingColumns(mapping)
  const tell = columnNote(mapping, context)
  return (values, note) => {
    for (const column of alternatives) {
      const value = cell(values, column)
      if (value === '') continue
      if (note !== undefined) tell(values, { column, value, note })
      return value
    }
    if (note !== undefined) tell(values, { column: alternatives[0] ?? '', value: '', note })
    return ''
  }
}

type ReadCell = (values: readonly string[], column: string) => string

function templateReader(written: string, cell: ReadCell): Reader {
  const { columns, render } = parseTemplate(written)
  const rule = ruleText('template', written)
  return (values, note) => {
    const made = render((column) => cell(values, column))
    if (note === undefined) return made
    const from = Object.fromEntries(columns.map((column) => [column, cell(values, column)]))
    return toldOf(note, { rule, from, columns }, made)
  }
}

function pickReader(rule: PickRule, columns: ColumnIndex, cell: ReadCell): Reader {
  const pairs = pickPairs(rule, columns.keys())
  const choose = compilePick(rule, pairs)
  const named = pairs.flatMap(({ label, value }) => [...(label === undefined ? [] : [label]), value])
  return (values, note) => {
    const made = choose((column) => cell(values, column))
    if (note === undefined) return made
    const filled = named
      .map((column) => [column, cell(values, column)] as const)
      .filter(([, text]) => text !== '')
    const from = Object.fromEntries(filled)
    return toldOf(note, { rule: ruleText('pick', rule), from, columns: Object.keys(from) }, made)
  }
}

/** Tells how the cell of a column became a text: cleaned, and blank where `null_values` or `unless` say so. */
function columnNote(mapping: FieldMapping, { pipeline, columns }: FieldContext) {
  const nulls = new Set(pipeline.source.null_values.map(cleanText))
  interface Told {
    readonly column: string
    readonly value: string
    readonly note: Note
  }
  return (values: readonly string[], { column, value, note }: Told): void => {
    const raw = values[columns.get(column) ?? -1] ?? ''
    const text = cleanText(raw)
    const among = mapping.columns === undefined ? '' : ` of columns ${JSON.stringify(mapping.columns)}`
    note({ rule: `column ${JSON.stringify(column)}${among}`, from: raw, to: text, columns: [column] })
    notedChange(note, nulls.has(text) ? 'null_values' : ruleText('unless', mapping.unless), text, value)
  }
}

/** The columns of the header that a field's rule reads. */
function readColumns(mapping: FieldMapping, context: FieldContext): readonly string[] {
  const { pipeline, header, columns } = context
  if (mapping.phone_type_of !== undefined)
    return readColumns(pipeline.map[mapping.phone_type_of] ?? {}, context)
  const { expression, pick } = mapping
  if (pick !== undefined)
    return pickPairs(pick, columns.keys()).flatMap(({ label, value }) => [
      ...(label === undefined ? [] : [label]),
      value,
    ])
  if (expression !== undefined && compiledExpression(expression).usesAllColumns)
    return header.filter((name) => name !== '')
  return mappingColumns(mapping).filter((name) => columns.has(name))
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

interface Checking {
  readonly target: FieldTarget
  readonly onInvalid: OnInvalid
}

function checkedValue({ target, onInvalid }: Checking, value: string, note: Note | undefined): FieldResult {
  const check = target.check(value)
  if ('value' in check) return { value: notedChange(note, `form of ${target.name}`, value, check.value) }
  if (onInvalid === 'drop') return { mended: true }
  const cut = onInvalid === 'truncate' && check.code === 'FIELD_TOO_LONG' ? target.cut(value) : undefined
  if (cut === undefined) return { problem: { ...check, value } }
  return { value: noted(note, 'on_invalid: truncate', value, cut), mended: true }
}

/** The keys of a mapping that transform a text, by the name under which they are reported. */
function ruleNames({ unless, date, country, phone, name, address, number, default: ifBlank }: FieldMapping) {
  const named = Object.entries({ date, country, phone, name, address }).find(([, rule]) => rule !== undefined)
  return {
    unless: ruleText('unless', unless),
    rule: named && ruleText(...named),
    number: ruleText('number', number),
    default: ruleText('default', ifBlank),
  }
}

/** Says of a required field that nothing is left of it, whether it is blank or was dropped. */
const lackingMarked =
  ({ required }: FieldTarget, read: FieldMapper['read']): FieldMapper['read'] =>
  (values, note, corrected) => {
    const result = read(values, note, corrected)
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
  const names = ruleNames(mapping)
  const invalid = (problem: string, value = ''): FieldResult =>
    onInvalid === 'drop' ? { mended: true } : { problem: { code: 'FIELD_INVALID', problem, value } }
  const ruled = (text: string, note: Note | undefined): RuledText => {
    const made = rule(text)
    return names.rule === undefined ? made : toldOf(note, { rule: names.rule, from: text }, made)
  }
  const looked = (text: string, note: Note | undefined): string | typeof NO_MATCH => {
    const found = lookup(text)
    if (mapping.lookup !== undefined)
      note?.({ rule: 'lookup', from: text, to: found === NO_MATCH ? null : found })
    return found
  }
  const blankResult = (): FieldResult => {
    if (!clears) return {}
    return target.required ? invalid('is blank, and the service requires the field') : { value: '' }
  }
  const finished = (made: string, note: Note | undefined): FieldResult => {
    const isDefault = target.isBlank(made) && mapping.default !== undefined
    const value = isDefault ? noted(note, names.default, made, mapping.default) : made
    if (target.isBlank(value)) return blankResult()
    const text = asNumber(cleanText(value))
    if (typeof text !== 'string') return invalid(text.problem, value)
    const result = checkedValue({ target, onInvalid }, notedChange(note, names.number, value, text), note)
    const checked = withRuleHint({ name: target.name, mapping }, result)
    return isDefault && checked.value !== undefined ? { ...checked, isStandIn: true } : checked
  }
  return {
    name: target.name,
    key: target.key,
    mapping,
    reads: readColumns(mapping, context),
    accept(value) {
      const text = cleanText(value)
      if (target.isBlank(text)) return target.required ? { lacking: true } : { value: '' }
      return checkedValue({ target, onInvalid: 'reject' }, text, undefined)
    },
    read: lackingMarked(target, (values, note, corrected) => {
      const source = read(values, note, corrected)
      if (typeof source !== 'string') return invalid(source.problem)
      const made = transform(source, note)
      const transformed = notedChange(note, 'white space', made, cleanText(made))
      const given = isLeftOut(transformed) ? notedChange(note, names.unless, transformed, '') : transformed
      const found = looked(given, note)
      if (found === NO_MATCH) return invalid('is not in the lookup', given)
      const value = target.isBlank(found) ? found : ruled(cleanText(found), note)
      return typeof value === 'string' ? finished(value, note) : invalid(value.problem, found)
    }),
  }
}

/** A field of the interface (interface, 2.3). */
export function compileField(field: ContactField, mapping: FieldMapping, context: FieldContext): FieldMapper {
  const check = (value: string): FieldCheck => checkField(field, value)
  const cut = (value: string): string | undefined => truncated(field, value)
  const isBlank = (value: string): boolean => value === ''
  // A blank is not a statement about consent.
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
