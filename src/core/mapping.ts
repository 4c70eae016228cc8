// A pipeline's mapping, compiled against one input's header: from a record to a key and a contact.
// It only decides; whether the contact is new or changed is the diff's business.
import { type ColumnIndex, type ColumnWish, columnIndex, resolveColumns } from './columns.ts'
import { compileCondition, type Condition } from './condition.ts'
import {
  type Contact,
  CONTACT_FIELD_NAMES,
  type ContactField,
  contactMailKey,
  type FieldValue,
} from './contact.ts'
import { type ErrorCode, SyncError } from './errors.ts'
import { checkField, cleanText, type FieldCheck, truncated } from './field-check.ts'
import type { SourceRecord } from './record.ts'
import type { FieldMapping, OnInvalid, PipelineSettings } from './settings.ts'
import { parseTemplate } from './template.ts'
import { compileTerms, termColumns, type TermReading } from './term-mapping.ts'
import { compileTransforms } from './transforms.ts'

export type MappedRecord =
  | {
      readonly kind: 'contact'
      readonly key: string
      /** Fields in canonical order; `''` clears a field. */
      readonly contact: Contact
      /** Names of terms, each once; undefined where the pipeline has nothing to do with terms. */
      readonly terms: readonly string[] | undefined
      /** Fields that were dropped or cut because of `on_invalid`. */
      readonly mended: readonly string[]
    }
  | { readonly kind: 'skipped' }
  | {
      readonly kind: 'rejected'
      readonly code: ErrorCode
      /** What is wrong, all of it, field by field. */
      readonly reason: string
      /** Undefined where it cannot be read. */
      readonly key: string | undefined
    }

export interface Mapper {
  map(record: SourceRecord): MappedRecord
}

type Reader = (values: readonly string[]) => string
type FieldResult = { value?: FieldValue; problem?: Extract<FieldCheck, { problem: string }>; mended?: true }
interface FieldMapper {
  readonly field: ContactField
  read(values: readonly string[]): FieldResult
}

const NO_MATCH = Symbol('no match')

function mappingColumns(mapping: FieldMapping): readonly string[] {
  if (mapping.column !== undefined) return [mapping.column]
  if (mapping.columns !== undefined) return mapping.columns
  return mapping.template === undefined ? [] : parseTemplate(mapping.template).columns
}

function compiledWhere(pipeline: PipelineSettings): Condition | undefined {
  if (pipeline.where === undefined) return undefined
  const condition = compileCondition(pipeline.where)
  if ('problem' in condition) throw new SyncError('CONFIG_INVALID', `where: ${condition.problem}`)
  return condition
}

/** Every column that the pipeline names, once each: what a source without a header (json) has to look for. */
export function wantedColumns(pipeline: PipelineSettings): readonly string[] {
  const mapped = Object.values(pipeline.map).flatMap(mappingColumns)
  const where = compiledWhere(pipeline)?.columns ?? []
  return [...new Set([...(pipeline.key ?? []), ...mapped, ...where, ...termColumns(pipeline)])]
}

/** `columns` are alternatives: one of them has to be there. Every other column is needed. */
function columnWishes(pipeline: PipelineSettings, header: readonly string[]): ColumnWish[] {
  const fields = Object.entries(pipeline.map).flatMap(([field, mapping]) => {
    const columns = mappingColumns(mapping)
    const present = columns.filter((column) => columnIndex(header, column) !== undefined)
    const needed = mapping.columns !== undefined && present.length > 0 ? present : columns
    return needed.map((column) => ({ column, wantedBy: `map.${field}` }))
  })
  const keys = (pipeline.key ?? []).map((column) => ({ column, wantedBy: 'key' }))
  const where = (compiledWhere(pipeline)?.columns ?? []).map((column) => ({ column, wantedBy: 'where' }))
  const terms = termColumns(pipeline).map((column) => ({ column, wantedBy: 'terms.assign' }))
  return [...keys, ...fields, ...where, ...terms]
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
    return mapping.otherwise === undefined ? NO_MATCH : (mapping.otherwise ?? '')
  }
}

function valueReader(
  mapping: FieldMapping,
  columns: ColumnIndex,
  isNull: (value: string) => boolean,
): Reader {
  const cell = (values: readonly string[], column: string): string => {
    const index = columns.get(column)
    const value = cleanText((index === undefined ? undefined : values[index]) ?? '')
    return isNull(value) ? '' : value
  }
  if (mapping.template !== undefined) {
    const template = parseTemplate(mapping.template)
    return (values) => template.render((column) => cell(values, column))
  }
  if (mapping.value !== undefined) {
    const constant = String(mapping.value)
    return () => constant
  }
  const alternatives = mappingColumns(mapping)
  return (values) => {
    for (const column of alternatives) {
      const value = cell(values, column)
      if (value !== '') return value
    }
    return ''
  }
}

function checkedValue(field: ContactField, value: string, onInvalid: OnInvalid): FieldResult {
  const check = checkField(field, value)
  if ('value' in check) return check
  if (onInvalid === 'drop') return { mended: true }
  const cut =
    onInvalid === 'truncate' && check.code === 'FIELD_TOO_LONG' ? truncated(field, value) : undefined
  return cut === undefined ? { problem: check } : { value: cut, mended: true }
}

function compileField(
  field: ContactField,
  mapping: FieldMapping,
  pipeline: PipelineSettings,
  columns: ColumnIndex,
): FieldMapper {
  const nulls = new Set(pipeline.source.nullValues.map(cleanText))
  const read = valueReader(mapping, columns, (value) => nulls.has(value))
  const transform = compileTransforms(mapping.transform ?? [])
  const lookup = lookupReader(mapping)
  const onInvalid = mapping.onInvalid ?? pipeline.onInvalid
  const clears = (mapping.blank ?? pipeline.blank) === 'clear'
  return {
    field,
    read(values) {
      const found = lookup(cleanText(transform(read(values))))
      if (found === NO_MATCH) {
        if (onInvalid === 'drop') return { mended: true }
        return { problem: { code: 'FIELD_INVALID', problem: 'is not in the lookup' } }
      }
      const value = found === '' ? (mapping.default ?? '') : found
      if (value === '') return clears ? { value: '' } : {}
      return checkedValue(field, cleanText(value), onInvalid)
    },
  }
}

/** Several key columns become one text; `\` and `|` in them are escaped, so that no two keys fall together. */
function keyReader(
  pipeline: PipelineSettings,
  columns: ColumnIndex,
): (values: readonly string[]) => string | undefined {
  const indexes = (pipeline.key ?? []).map((column) => columns.get(column) ?? -1)
  const nulls = new Set(pipeline.source.nullValues.map(cleanText))
  return (values) => {
    const parts = indexes
      .map((index) => cleanText(values[index] ?? ''))
      .map((part) => (nulls.has(part) ? '' : part))
    if (parts.length === 1) return parts[0] === '' ? undefined : parts[0]
    if (parts.every((part) => part === '')) return undefined
    return parts.map((part) => part.replace(/[\\|]/g, '\\$&')).join('|')
  }
}

function describeSource(mapping: FieldMapping): string {
  if (mapping.value !== undefined) return 'the constant'
  if (mapping.template !== undefined) return 'the template'
  return mappingColumns(mapping)
    .map((column) => `"${column}"`)
    .join(' or ')
}

/** A record's values by column name, as conditions see them. */
function recordReader(header: readonly string[], columns: ColumnIndex, named: readonly string[]) {
  const names = [...new Set([...header.filter((name) => name !== ''), ...named])]
  const indexes = names.map((name) => [name, columns.get(name) ?? header.indexOf(name)] as const)
  return (values: readonly string[]): ReadonlyMap<string, string> =>
    new Map(indexes.map(([name, index]) => [name, cleanText(values[index] ?? '')]))
}

function compileWhere(pipeline: PipelineSettings, header: readonly string[], columns: ColumnIndex) {
  const condition = compiledWhere(pipeline)
  if (condition === undefined) return undefined
  const record = recordReader(header, columns, condition.columns)
  const evaluate = (values: readonly string[], contact: Contact): boolean | { problem: string } =>
    condition.evaluate(record(values), contact)
  return { usesContact: condition.usesContact, evaluate }
}

type TermReader = (values: readonly string[], contact: Contact) => TermReading

function compileTermReader(
  pipeline: PipelineSettings,
  header: readonly string[],
  columns: ColumnIndex,
): TermReader | undefined {
  const read = compileTerms(pipeline)
  if (read === undefined) return undefined
  const record = recordReader(header, columns, termColumns(pipeline))
  const nulls = new Set(pipeline.source.nullValues.map(cleanText))
  return (values, contact) => {
    const cell = (column: string): string => {
      const value = cleanText(values[columns.get(column) ?? -1] ?? '')
      return nulls.has(value) ? '' : value
    }
    return read({ cell, record: () => record(values), contact })
  }
}

/**
 * Compiles a pipeline's mapping for inputs with this header.
 * Throws INPUT_COLUMN_MISSING or INPUT_COLUMN_AMBIGUOUS, naming every such column.
 */
export function compileMapping(pipeline: PipelineSettings, header: readonly string[]): Mapper {
  const columns = resolveColumns(header, columnWishes(pipeline, header))
  const fields = CONTACT_FIELD_NAMES.flatMap((field) => {
    const mapping = pipeline.map[field]
    return mapping === undefined ? [] : [compileField(field, mapping, pipeline, columns)]
  })
  const readKey = keyReader(pipeline, columns)
  const where = compileWhere(pipeline, header, columns)
  const readTerms = compileTermReader(pipeline, header, columns)

  const contactOf = (values: readonly string[]) => {
    const contact: Record<string, FieldValue> = {}
    const mended: string[] = []
    const problems: { code: ErrorCode; text: string }[] = []
    for (const { field, read } of fields) {
      const { value, problem, mended: wasMended } = read(values)
      if (value !== undefined) contact[field] = value
      if (wasMended === true) mended.push(field)
      if (problem !== undefined)
        problems.push({
          code: problem.code,
          text: `${field}: ${describeSource(pipeline.map[field] ?? {})} ${problem.problem}`,
        })
    }
    return { contact, mended, problems }
  }
  const keyOf = (values: readonly string[], contact: Contact): string | undefined =>
    pipeline.key === undefined ? contactMailKey(contact) : readKey(values)
  const failed = (reason: string, key: string | undefined): MappedRecord => ({
    kind: 'rejected',
    code: 'WHERE_FAILED',
    reason,
    key,
  })

  return {
    map({ values }) {
      if (where !== undefined && !where.usesContact) {
        const verdict = where.evaluate(values, {})
        if (verdict === false) return { kind: 'skipped' }
        if (verdict !== true)
          return failed(`where: ${verdict.problem}`, pipeline.key === undefined ? undefined : readKey(values))
      }
      const { contact, mended, problems } = contactOf(values)
      const key = keyOf(values, contact)
      const [first] = problems
      if (first !== undefined)
        return {
          kind: 'rejected',
          code: first.code,
          reason: problems.map(({ text }) => text).join('; '),
          key,
        }
      if (where?.usesContact === true) {
        const verdict = where.evaluate(values, contact)
        if (verdict === false) return { kind: 'skipped' }
        if (verdict !== true) return failed(`where: ${verdict.problem}`, key)
      }
      if (key === undefined)
        return { kind: 'rejected', code: 'KEY_MISSING', reason: missingKeyText(pipeline), key }
      const read = readTerms?.(values, contact)
      if (read !== undefined && 'problem' in read) return failed(read.problem, key)
      return { kind: 'contact', key, contact, terms: read?.terms, mended }
    },
  }
}

function missingKeyText(pipeline: PipelineSettings): string {
  if (pipeline.key === undefined) return "key: the record has no mail, and the mail is this pipeline's key"
  return `key: ${pipeline.key.map((column) => `"${column}"`).join(', ')} is blank`
}
