// A pipeline's mapping, compiled against one input's header: from a record to a key and a contact.
// It only decides; whether the contact is new or changed is the diff's business.
import { type ColumnIndex, type ColumnWish, columnIndex, resolveColumns } from './columns.ts'
import { compileCondition, type RecordCondition } from './condition.ts'
import { type Contact, CONTACT_FIELD_NAMES, contactMailKey, type FieldValue } from './contact.ts'
import { type ErrorCode, SyncError } from '../words/errors.ts'
import { type CustomFieldRules, NO_CUSTOM_FIELDS } from './custom-fields.ts'
import { cleanText } from './field-check.ts'
import { compileCustomField, compileField, type FieldMapper, mappingColumns } from './field-mapping.ts'
import type { SourceRecord } from './record.ts'
import { oddities, type Oddity } from './odd-values.ts'
import { pickColumns, pickPairs } from './pick.ts'
import type { FieldMapping, PickRule } from './mapping-schema.ts'
import type { PipelineSettings } from '../settings.ts'
import { compileTerms, termColumns, type TermReading } from './term-mapping.ts'
import { NO_RULES, type RuleKit } from './values/rule-kit.ts'

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
      /** Fields without a value that the service requires of a new contact. */
      readonly lacking: readonly string[]
    }
  /** `key`: of a full source, where it can be read. */
  /** `erased`: the person was erased by request and does not come back. */
  | { readonly kind: 'skipped'; readonly key: string | undefined; readonly erased?: true }
  | {
      readonly kind: 'rejected'
      readonly code: ErrorCode
      /** What is wrong, all of it, field by field, with the values: for the list of rejects alone. */
      readonly reason: string
      /** The same without the values, where it holds any. */
      readonly plain?: string
      /** Undefined where it cannot be read. */
      readonly key: string | undefined
    }

export interface Mapper {
  map(record: SourceRecord): MappedRecord
  /** What is odd about the record's values in the columns that the pipeline names. */
  odd(record: SourceRecord): readonly Oddity[]
}

function compiledWhere(pipeline: PipelineSettings): RecordCondition | undefined {
  if (pipeline.where === undefined) return undefined
  const condition = compileCondition(pipeline.where)
  if ('problem' in condition) throw new SyncError('CONFIG_INVALID', `where: ${condition.problem}`)
  return condition
}

/** Every column that the pipeline names, once each: what a source without a header (json) has to look for. */
export function wantedColumns(pipeline: PipelineSettings): readonly string[] {
  const mapped = [...Object.values(pipeline.map), ...Object.values(pipeline.custom_fields)].flatMap(
    (mapping) => (mapping.pick === undefined ? mappingColumns(mapping) : pickColumns(mapping.pick)),
  )
  const where = compiledWhere(pipeline)?.columns ?? []
  return [...new Set([...(pipeline.key ?? []), ...mapped, ...where, ...termColumns(pipeline)])]
}

/** The columns of a `pick` that the input has; those of the first number where it has none. */
function pickWishes(rule: PickRule, header: readonly string[], isOptional: boolean): readonly string[] {
  const pairs = pickPairs(rule, header)
  if (pairs.length > 0)
    return pairs.flatMap(({ label, value }) => [...(label === undefined ? [] : [label]), value])
  return isOptional ? [] : [rule.value, ...rule.label.slice(0, 1)].map((form) => form.replace('*', '1'))
}

/** Whether this input speaks of the field: an optional one may have no column for it. */
const isSpokenOf = ({ pick, optional }: FieldMapping, header: readonly string[]): boolean =>
  pick === undefined || optional !== true || pickPairs(pick, header).length > 0

/** The mapping that decides whether a field is spoken of: the type of a number goes with the number. */
const decisiveMapping = (mapping: FieldMapping, { map }: PipelineSettings): FieldMapping =>
  mapping.phone_type_of === undefined ? mapping : (map[mapping.phone_type_of] ?? mapping)

/** `columns` are alternatives: one of them has to be there. Every other column is needed. */
function columnWishes(pipeline: PipelineSettings, header: readonly string[]): ColumnWish[] {
  const custom = Object.entries(pipeline.custom_fields).map(
    ([name, mapping]) => [`custom_fields.${name}`, mapping] as const,
  )
  const fields = [...Object.entries(pipeline.map), ...custom].flatMap(([field, mapping]) => {
    const { pick, optional = false } = mapping
    const columns = pick === undefined ? mappingColumns(mapping) : pickWishes(pick, header, optional)
    const present = columns.filter((column) => columnIndex(header, column) !== undefined)
    const needed = mapping.columns !== undefined && present.length > 0 ? present : columns
    return needed.map((column) => ({ column, wantedBy: `map.${field}` }))
  })
  const keys = (pipeline.key ?? []).map((column) => ({ column, wantedBy: 'key' }))
  const where = (compiledWhere(pipeline)?.columns ?? []).map((column) => ({ column, wantedBy: 'where' }))
  const terms = termColumns(pipeline).map((column) => ({ column, wantedBy: 'terms.assign' }))
  return [...keys, ...fields, ...where, ...terms]
}

/** Several key columns become one text; `\` and `|` in them are escaped, so that no two keys fall together. */
function keyReader(
  pipeline: PipelineSettings,
  columns: ColumnIndex,
): (values: readonly string[]) => string | undefined {
  const indexes = (pipeline.key ?? []).map((column) => columns.get(column) ?? -1)
  const nulls = new Set(pipeline.source.null_values.map(cleanText))
  return (values) => {
    const parts = indexes
      .map((index) => cleanText(values[index] ?? ''))
      .map((part) => (nulls.has(part) ? '' : part))
    if (parts.length === 1) return parts[0] === '' ? undefined : parts[0]
    if (parts.every((part) => part === '')) return undefined
    return parts.map((part) => part.replace(/[\\|]/g, '\\$&')).join('|')
  }
}

/** Reads the key of a pipeline's records under this header; undefined where the header lacks a column of it, or the mail is the key. */
function recordKey(
  pipeline: PipelineSettings,
  header: readonly string[],
): ((values: readonly string[]) => string | undefined) | undefined {
  const places = (pipeline.key ?? []).map((column) => [column, columnIndex(header, column) ?? -1] as const)
  const isWhole = places.length > 0 && places.every(([, place]) => place >= 0)
  return isWhole ? keyReader(pipeline, new Map(places)) : undefined
}

/** The key of records that come header by header: each header is looked at once. */
export function recordKeys(
  pipeline: PipelineSettings,
): (header: readonly string[], values: readonly string[]) => string | undefined {
  let last: { readonly header: readonly string[]; readonly read: ReturnType<typeof recordKey> } | undefined
  return (header, values) => {
    if (last?.header !== header) last = { header, read: recordKey(pipeline, header) }
    return last.read?.(values)
  }
}

function describeSource(mapping: FieldMapping): string {
  if (mapping.value !== undefined) return 'the constant'
  if (mapping.template !== undefined) return 'the template'
  if (mapping.phone_type_of !== undefined) return `the number of ${mapping.phone_type_of}`
  return mappingColumns(mapping)
    .map((column) => `"${column}"`)
    .join(' or ')
}

/** So much of a value is enough to find it. */
const SHOWN = 60

/** ` ("Sir")`: a value for a reason, with what does not show escaped. */
function quotedValue(value: string): string {
  if (value === '') return ''
  const characters = Array.from(value)
  const text = characters.length > SHOWN ? `${characters.slice(0, SHOWN).join('')}…` : value
  return ` (${JSON.stringify(text).replace(/[\u007f-\u009f]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)})`
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
  const nulls = new Set(pipeline.source.null_values.map(cleanText))
  return (values, contact) => {
    const cell = (column: string): string => {
      const value = cleanText(values[columns.get(column) ?? -1] ?? '')
      return nulls.has(value) ? '' : value
    }
    return read({ cell, record: () => record(values), contact })
  }
}

const failed = (reason: string, key: string | undefined): MappedRecord => ({
  kind: 'rejected',
  code: 'WHERE_FAILED',
  reason,
  key,
})

const whereFailed = (problem: string, key: string | undefined): MappedRecord =>
  failed(`where: ${problem}`, key)

interface Against {
  readonly header: readonly string[]
  readonly columns: ColumnIndex
  readonly customFields: CustomFieldRules
  readonly kit: RuleKit
}

/** The fields that this input speaks of, standard ones first. */
function fieldMappers(
  pipeline: PipelineSettings,
  { header, columns, customFields, kit }: Against,
): FieldMapper[] {
  const context = { pipeline, columns, kit }
  const isHere = (mapping: FieldMapping) => isSpokenOf(decisiveMapping(mapping, pipeline), header)
  const standard = CONTACT_FIELD_NAMES.flatMap((field): FieldMapper[] => {
    const mapping = pipeline.map[field]
    if (mapping === undefined || !isHere(mapping)) return []
    return [compileField(field, mapping, context)]
  })
  const custom = customFields.rules.flatMap((rule): FieldMapper[] => {
    const mapping = pipeline.custom_fields[rule.name] ?? {}
    return isHere(mapping) ? [compileCustomField(rule, mapping, context)] : []
  })
  return [...standard, ...custom]
}

/**
 * Compiles a pipeline's mapping for inputs with this header. `kit`: the rules that it names, loaded.
 * Throws INPUT_COLUMN_MISSING or INPUT_COLUMN_AMBIGUOUS, naming every such column.
 */
export function compileMapping(
  pipeline: PipelineSettings,
  header: readonly string[],
  customFields: CustomFieldRules = NO_CUSTOM_FIELDS,
  kit: RuleKit = NO_RULES,
): Mapper {
  const columns = resolveColumns(header, columnWishes(pipeline, header))
  const fields = fieldMappers(pipeline, { header, columns, customFields, kit })
  const readKey = keyReader(pipeline, columns)
  const where = compileWhere(pipeline, header, columns)
  const readTerms = compileTermReader(pipeline, header, columns)

  const contactOf = (values: readonly string[]) => {
    const contact: Record<string, FieldValue> = {}
    const [mended, lacking]: [string[], string[]] = [[], []]
    const problems: { code: ErrorCode; text: string; plain: string }[] = []
    for (const { name, key, mapping, read } of fields) {
      const { value, problem, mended: wasMended, lacking: isLacking } = read(values)
      if (value !== undefined) contact[key] = value
      if (wasMended === true) mended.push(name)
      if (isLacking === true) lacking.push(name)
      if (problem !== undefined)
        problems.push({
          code: problem.code,
          text: `${name}: ${describeSource(mapping)}${quotedValue(problem.value)} ${problem.problem}`,
          plain: `${name}: ${describeSource(mapping)} ${problem.problem}`,
        })
    }
    return { contact, mended, lacking, problems }
  }
  const keyOf = (values: readonly string[], contact: Contact): string | undefined =>
    pipeline.key === undefined ? contactMailKey(contact) : readKey(values)
  const identityOf = (values: readonly string[]): string | undefined =>
    keyOf(values, pipeline.key === undefined ? contactOf(values).contact : {})
  // Who a skipped record is matters only where a record that is not there has gone.
  const skipped = (values: readonly string[]): MappedRecord => ({
    kind: 'skipped',
    key: pipeline.mode === 'full' ? identityOf(values) : undefined,
  })

  const places = [...new Set(columns.values())]
  return {
    odd: ({ values }) => places.flatMap((place) => oddities(values[place] ?? '')),
    map({ values }) {
      if (where !== undefined && !where.usesContact) {
        const verdict = where.evaluate(values, {})
        if (verdict === false) return skipped(values)
        if (verdict !== true) return whereFailed(verdict.problem, identityOf(values))
      }
      const { contact, mended, lacking, problems } = contactOf(values)
      const key = keyOf(values, contact)
      const [first] = problems
      if (first !== undefined)
        return {
          kind: 'rejected',
          code: first.code,
          reason: problems.map(({ text }) => text).join('; '),
          plain: problems.map(({ plain }) => plain).join('; '),
          key,
        }
      if (where?.usesContact === true) {
        const verdict = where.evaluate(values, contact)
        if (verdict === false) return skipped(values)
        if (verdict !== true) return whereFailed(verdict.problem, key)
      }
      if (key === undefined)
        return { kind: 'rejected', code: 'KEY_MISSING', reason: missingKeyText(pipeline), key }
      const read = readTerms?.(values, contact)
      if (read !== undefined && 'problem' in read) return failed(read.problem, key)
      return { kind: 'contact', key, contact, terms: read?.terms, mended, lacking }
    },
  }
}

/** How such records are passed over, for whoever has many of them. */
const whereHint = (columns: readonly string[]): string => {
  const [column] = columns
  return column === undefined ? '' : `; where: 'record[${JSON.stringify(column)}] != ""' skips such records`
}

function missingKeyText({ key, map }: PipelineSettings): string {
  if (key === undefined)
    return `key: the record has no mail, and the mail is this pipeline's key${whereHint(mappingColumns(map['mail'] ?? {}))}`
  return `key: ${key.map((column) => `"${column}"`).join(', ')} is blank${whereHint(key)}`
}
