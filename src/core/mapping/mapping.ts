// A pipeline's mapping, compiled against one input's header: from a record to a key and a contact.
// It only decides; whether the contact is new or changed is the diff's business.
import { type ColumnIndex, type ColumnWish, columnIndex, resolveColumns } from './columns.ts'
import { compileCondition, type RecordCondition } from './cel/condition.ts'
import { type ConsentEvidence, isConsent } from './values/consent.ts'
import { type Contact, CONTACT_FIELD_NAMES, contactMailKey } from './contact.ts'
import { householdKey } from './values/household.ts'
import { type ErrorCode, SyncError } from '../words/errors.ts'
import { type CustomFieldRules, NO_CUSTOM_FIELDS } from './custom-fields.ts'
import { cleanText } from './fields/field-check.ts'
import { contactMaker } from './fields/contact-reading.ts'
import {
  compileCustomField,
  compileField,
  type FieldMapper,
  type RightValues,
} from './fields/field-mapping.ts'
import type { SourceRecord } from './record.ts'
import { type SeenField, seenField } from './fields/seen-field.ts'
import { badKey, usableKey } from './usable-key.ts'
import { missingKeyText } from './mapping-texts.ts'
import { oddities, type Oddity } from './odd-values.ts'
import {
  columnsOfOptionalFields,
  isSpokenOf,
  mappedFields,
  neededColumns,
  possibleColumns,
} from './optional.ts'
import { compileRepairs, type Repair } from './repair.ts'
import type { PipelineSettings } from '../settings.ts'
import { compileTerms, termColumns, type TermNote, type TermReading } from './term-mapping.ts'
import { evidenceReader } from './values/evidence.ts'
import { evidenceColumns } from './values/evidence-columns.ts'
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
      /** Of fields that have owners: those that the record has nothing for, and that stay as they are; absent where there are none. */
      readonly blank?: readonly string[]
      /** Of a row that may be one of several: fields of `skip_without` for which it has nothing. */
      readonly without?: readonly string[]
      /** Of such a row: keys of fields in which a value stands in for a blank. */
      readonly standIns?: readonly string[]
      /** Of a consent; absent where its columns do not say all of it. */
      readonly evidence?: ConsentEvidence
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
      readonly without?: readonly string[]
    }

/** A repair that was done, by the name under which it is counted. */
export type RepairNote = `repaired: ${Repair}`

export interface Mapper {
  /** By the key of a field that describes the number in another one: that other field. */
  readonly numberFields: ReadonlyMap<string, string>
  /** `corrected` stands in place of what the source says; the key stays that of the source's own values. */
  map(record: SourceRecord, corrected?: RightValues): MappedRecord
  /** What the record says about a field; undefined where this input does not speak of it. */
  seen(record: SourceRecord, field: string): SeenField | undefined
  /** What is odd about the record's values in the columns that the pipeline names, and what was repaired in them. */
  odd(record: SourceRecord): readonly (Oddity | RepairNote)[]
}

function compiledWhere(pipeline: PipelineSettings): RecordCondition | undefined {
  if (pipeline.where === undefined) return undefined
  const condition = compileCondition(pipeline.where)
  if ('problem' in condition) throw new SyncError('CONFIG_INVALID', `where: ${condition.problem}`)
  return condition
}

/** Columns that the pipeline names beside those of its fields. */
const columnsBesideFields = (pipeline: PipelineSettings): readonly string[] => [
  ...(pipeline.key ?? []),
  ...(compiledWhere(pipeline)?.columns ?? []),
  ...termColumns(pipeline),
  ...evidenceColumns(pipeline).map(({ column }) => column),
]

/** Every column that the pipeline names, once each: what a source without a header (json) has to look for. */
export function wantedColumns(pipeline: PipelineSettings): readonly string[] {
  const mapped = mappedFields(pipeline).flatMap(([, mapping]) => possibleColumns(mapping))
  const { blank = {}, values = {} } = pipeline.expect ?? {}
  const expected = [...Object.keys(blank), ...Object.keys(values)]
  return [...new Set([...(pipeline.key ?? []), ...mapped, ...columnsBesideFields(pipeline), ...expected])]
}

/** Those of them that an input may lack: only optional fields name them. */
export const optionalColumns = (pipeline: PipelineSettings): readonly string[] =>
  columnsOfOptionalFields(pipeline, columnsBesideFields(pipeline))

/** What the pipeline needs of an input with this header. */
function columnWishes(pipeline: PipelineSettings, header: readonly string[]): ColumnWish[] {
  const fields = mappedFields(pipeline).flatMap(([field, mapping]) =>
    isSpokenOf(pipeline, field, header)
      ? neededColumns(mapping, header).map((column) => ({ column, wantedBy: `map.${field}` }))
      : [],
  )
  const keys = (pipeline.key ?? []).map((column) => ({ column, wantedBy: 'key' }))
  const where = (compiledWhere(pipeline)?.columns ?? []).map((column) => ({ column, wantedBy: 'where' }))
  const terms = termColumns(pipeline).map((column) => ({ column, wantedBy: 'terms.assign' }))
  const evidence = isSpokenOf(pipeline, 'mail_status', header) ? evidenceColumns(pipeline) : []
  return [...keys, ...fields, ...where, ...terms, ...evidence]
}

/** Several key columns become one text; `\` and `|` in them are escaped, so that no two keys fall together. */
function keyReader(
  pipeline: PipelineSettings,
  columns: ColumnIndex,
): (values: readonly string[]) => string | undefined {
  const indexes = (pipeline.key ?? []).map((column) => columns.get(column) ?? -1)
  const textOf = filledText(pipeline)
  return (values) => {
    const parts = indexes.map((index) => textOf(values[index]))
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
  if (!isWhole) return undefined
  const read = keyReader(pipeline, new Map(places))
  const { repaired } = valueRepairs(pipeline, [])
  return (values) => usableKey(read(repaired(values)))
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

/** A value that stands for nothing is blank. */
function filledText({ source }: PipelineSettings): (value: string | undefined) => string {
  const nulls = new Set(source.null_values.map(cleanText))
  return (value = '') => {
    const text = cleanText(value)
    return nulls.has(text) ? '' : text
  }
}

/** A record's values by column name, as conditions see them. */
function recordReader(
  pipeline: PipelineSettings,
  { header, columns }: Pick<Against, 'header' | 'columns'>,
  named: readonly string[],
) {
  const textOf = filledText(pipeline)
  const names = [...new Set([...header.filter((name) => name !== ''), ...named])]
  const indexes = names.map((name) => [name, columns.get(name) ?? header.indexOf(name)] as const)
  return (values: readonly string[]): ReadonlyMap<string, string> =>
    new Map(indexes.map(([name, index]) => [name, textOf(values[index])]))
}

function compileWhere(pipeline: PipelineSettings, header: readonly string[], columns: ColumnIndex) {
  const condition = compiledWhere(pipeline)
  if (condition === undefined) return undefined
  const record = recordReader(pipeline, { header, columns }, condition.columns)
  const evaluate = (values: readonly string[], contact: Contact, unknown?: readonly string[]) =>
    condition.evaluate(record(values), contact, unknown)
  return { usesContact: condition.usesContact, evaluate }
}

function cellReader(pipeline: PipelineSettings, columns: ColumnIndex) {
  const textOf = filledText(pipeline)
  return (values: readonly string[], column: string): string => textOf(values[columns.get(column) ?? -1])
}

type TermReader = (values: readonly string[], contact: Contact, note?: TermNote) => TermReading

function compileTermReader(
  pipeline: PipelineSettings,
  header: readonly string[],
  columns: ColumnIndex,
): TermReader | undefined {
  const read = compileTerms(pipeline)
  if (read === undefined) return undefined
  const record = recordReader(pipeline, { header, columns }, termColumns(pipeline))
  const cellOf = cellReader(pipeline, columns)
  return (values, contact, note) => {
    const cell = (column: string): string => cellOf(values, column)
    return read({ cell, record: () => record(values), contact }, note)
  }
}

/** Repairs the values of a row, and says of those at the places what was repaired and what is odd all the same. */
function valueRepairs({ repair: repairs }: PipelineSettings, places: readonly number[]) {
  const repair = compileRepairs(repairs)
  return {
    repaired: (values: readonly string[]): readonly string[] =>
      repairs === undefined ? values : values.map((value) => repair(value).value),
    odd: ({ values }: SourceRecord): readonly (Oddity | RepairNote)[] =>
      places.flatMap((place) => {
        const { value, by } = repair(values[place] ?? '')
        return [...by.map((name): RepairNote => `repaired: ${name}`), ...oddities(value)]
      }),
  }
}

/** Of fields that have owners: those that the record has nothing for, and does not empty. */
function keptBlanks(blank: readonly string[], contact: Contact, { owners = {} }: PipelineSettings) {
  const kept = blank.filter((field) => contact[field] === undefined && Object.hasOwn(owners, field))
  return kept.length === 0 ? {} : { blank: kept }
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
  const context = { pipeline, header, columns, kit }
  const standard = CONTACT_FIELD_NAMES.flatMap((field): FieldMapper[] => {
    const mapping = pipeline.map[field]
    if (mapping === undefined || !isSpokenOf(pipeline, field, header)) return []
    return [compileField(field, mapping, context)]
  })
  const custom = customFields.rules.flatMap((rule): FieldMapper[] => {
    const mapping = pipeline.custom_fields[rule.name] ?? {}
    const isHere = isSpokenOf(pipeline, `custom_fields.${rule.name}`, header)
    return isHere ? [compileCustomField(rule, mapping, context)] : []
  })
  return [...standard, ...custom]
}

const numberFieldsOf = (fields: readonly FieldMapper[]): ReadonlyMap<string, string> =>
  new Map(fields.flatMap(({ key, mapping: { phone_type_of: of } }) => (of === undefined ? [] : [[key, of]])))

/** A mapping for inputs with one header, in its parts. */
export function mappingParts(
  pipeline: PipelineSettings,
  header: readonly string[],
  { customFields, kit }: Pick<Against, 'customFields' | 'kit'>,
) {
  const columns = resolveColumns(header, columnWishes(pipeline, header))
  return {
    columns,
    fields: fieldMappers(pipeline, { header, columns, customFields, kit }),
    readKey: keyReader(pipeline, columns),
    where: compileWhere(pipeline, header, columns),
    readTerms: compileTermReader(pipeline, header, columns),
    readEvidence: evidenceReader(pipeline, cellReader(pipeline, columns), kit),
    ...valueRepairs(pipeline, [...new Set(columns.values())]),
  }
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
  const parts = mappingParts(pipeline, header, { customFields, kit })
  const { columns, fields, readKey, where, readTerms, readEvidence, repaired, odd } = parts

  const contactOf = contactMaker(fields)
  const keyOf = (values: readonly string[], contact: Contact): string | undefined => {
    if (pipeline.household !== undefined) return householdKey(contact, pipeline.household)
    return pipeline.key === undefined ? contactMailKey(contact) : readKey(values)
  }
  const identityOf = (values: readonly string[]): string | undefined =>
    usableKey(keyOf(values, pipeline.key === undefined ? contactOf(values).contact : {}))
  // Who a skipped record is matters only where a record that is not there has gone.
  const skipped = (values: readonly string[]): MappedRecord => ({
    kind: 'skipped',
    key: pipeline.mode === 'full' ? identityOf(values) : undefined,
  })

  return {
    odd,
    numberFields: numberFieldsOf(fields),
    seen: ({ values: given }, name) =>
      seenField(
        fields.find((field) => field.name === name),
        { header, columns, values: repaired(given) },
      ),
    map({ values: given }, corrected) {
      const values = repaired(given)
      if (where !== undefined && !where.usesContact) {
        const verdict = where.evaluate(values, {})
        if (verdict === false) return skipped(values)
        if (verdict !== true) return whereFailed(verdict.problem, identityOf(values))
      }
      const { contact, mended, lacking, blank, standIns, problems } = contactOf(values, corrected)
      const found = keyOf(values, corrected === undefined ? contact : contactOf(values).contact)
      const key = usableKey(found)
      const without = pipeline.skip_without?.filter((field) => blank.includes(field)) ?? []
      // Other rows of the key may have it.
      const isOfSeveral = pipeline.on_duplicate_key === 'union' && key !== undefined
      if (without.length > 0 && !isOfSeveral)
        return { kind: 'skipped', key: pipeline.mode === 'full' ? key : undefined }
      const invalid = problems.map((problem) => problem.key)
      const verdict = where?.usesContact === true ? where.evaluate(values, contact, invalid) : true
      if (verdict === false) return skipped(values)
      const [first] = problems
      if (first !== undefined)
        return {
          kind: 'rejected',
          code: first.code,
          reason: problems.map(({ text }) => text).join('; '),
          plain: problems.map(({ plain }) => plain).join('; '),
          key,
          ...(without.length === 0 ? {} : { without }),
        }
      if (verdict !== true) return whereFailed(verdict.problem, key)
      if (key === undefined) return badKey(found) ?? withoutKey(pipeline, { contact, mended })
      const read = readTerms?.(values, contact)
      if (read !== undefined && 'problem' in read) return failed(read.problem, key)
      const evidence = isConsent(contact['mail_status']) ? readEvidence?.(values) : undefined
      return {
        ...{ kind: 'contact', key, contact, terms: read?.terms, mended, lacking },
        ...(evidence === undefined ? {} : { evidence }),
        ...keptBlanks(blank, contact, pipeline),
        ...(without.length === 0 ? {} : { without }),
        ...(isOfSeveral && standIns.length > 0 ? { standIns } : {}),
      }
    },
  }
}

const withoutKey = (
  pipeline: PipelineSettings,
  made: { readonly contact: Contact; readonly mended: readonly string[] },
): MappedRecord => ({
  kind: 'rejected',
  code: 'KEY_MISSING',
  reason: missingKeyText(pipeline, made),
  key: undefined,
})
