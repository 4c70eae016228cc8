// The `tests` of a pipeline: what its mapping makes of a record that the configuration gives, held against what it is to make.
// Columns that the record does not name are no part of a test, so that a test says only what it is about.
import { lacksColumn } from './columns.ts'
import { compileCondition } from './cel/condition.ts'
import { CONTACT_FIELDS, type Contact, type ContactField } from './contact.ts'
import { NO_CUSTOM_FIELDS } from './custom-fields.ts'
import { checkField, cleanText } from './fields/field-check.ts'
import { compileMapping, type MappedRecord } from './mapping.ts'
import { unitedMapper } from './union.ts'
import { isSpokenOf } from './optional.ts'
import { termColumnsOf } from './term-mapping.ts'
import { distinctTerms, termKey } from './terms.ts'
import type { RuleKit } from './values/rule-kit.ts'
import type { MappingTest, PipelineSettings } from '../settings.ts'

/** What a test expected and what came; `of`: a field, `terms`, or the record as a whole. */
export interface TestDifference {
  readonly of: string
  readonly expected: string
  readonly got: string
}

/** The key of a record whose test names no column of it. No column of a file has this name. */
const KEY = '\u0000'

/** The pipeline as far as these columns go. */
function withinColumns(pipeline: PipelineSettings, header: readonly string[]): PipelineSettings {
  const hasAll = (columns: readonly string[]): boolean =>
    !columns.some((column) => lacksColumn(header, column))
  const map = Object.fromEntries(
    Object.entries(pipeline.map).map(([field, mapping]) => [field, { ...mapping, optional: true }]),
  )
  // With a key, no field is needed for the key; without skip_without none for that.
  const loose = {
    ...{ ...pipeline, key: [KEY], household: undefined },
    ...{ map, custom_fields: {}, skip_without: [] },
  }
  const isHere = (field: string): boolean => isSpokenOf(loose, field, header)
  const where = pipeline.where === undefined ? undefined : compileCondition(pipeline.where)
  const { key, household = ['mail'] } = pipeline
  const hasKey = key === undefined ? household.every(isHere) : hasAll(key)
  return {
    ...loose,
    ...(hasKey ? { key, household: pipeline.household } : {}),
    skip_without: (pipeline.skip_without ?? []).filter(isHere),
    where: where !== undefined && 'columns' in where && hasAll(where.columns) ? pipeline.where : undefined,
    terms: {
      ...pipeline.terms,
      assign: pipeline.terms.assign.filter((entry) => hasAll(termColumnsOf(entry))),
    },
  }
}

const shownText = (value: unknown): string =>
  value === undefined || value === null || value === '' ? 'nothing' : JSON.stringify(value)

/** The value in the form in which a contact has it: `1980-12-31` is noon of that day. */
function asInContact(field: ContactField, expected: string | number | null): unknown {
  const value = expected === null ? '' : cleanText(String(expected))
  if (value === '') return undefined
  const checked = checkField(field, value)
  return 'value' in checked ? checked.value : value
}

function fieldDifferences(expected: NonNullable<MappingTest['contact']>, contact: Contact): TestDifference[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    if (!Object.hasOwn(CONTACT_FIELDS, name)) return []
    const wanted = asInContact(name as ContactField, value)
    const got = contact[name] === '' ? undefined : contact[name]
    return got === wanted ? [] : [{ of: name, expected: shownText(wanted), got: shownText(got) }]
  })
}

function termDifferences(expected: readonly string[], terms: readonly string[]): TestDifference[] {
  const sorted = (names: readonly string[]): string => [...new Set(names.map(termKey))].sort().join('\n')
  if (sorted(expected) === sorted(terms)) return []
  const shown = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '))
  return [{ of: 'terms', expected: shown(distinctTerms(expected)), got: shown(terms) }]
}

function recordText(mapped: MappedRecord): string {
  if (mapped.kind === 'rejected') return `rejected: ${mapped.reason}`
  return mapped.kind === 'skipped' ? 'skipped' : 'a contact'
}

function expectedText({ rejected, skipped }: MappingTest): string {
  if (rejected !== undefined) return `rejected: ${rejected}`
  return skipped === true ? 'skipped' : 'a contact'
}

function isAsExpected(mapped: MappedRecord, { rejected, skipped }: MappingTest): boolean {
  if (rejected !== undefined) return mapped.kind === 'rejected' && mapped.reason.includes(rejected)
  return mapped.kind === (skipped === true ? 'skipped' : 'contact')
}

/** What is otherwise than the test says; nothing where it passes. Throws where the pipeline cannot be compiled. */
export function mappingTestDifferences(
  pipeline: PipelineSettings,
  test: MappingTest,
  kit: RuleKit,
): readonly TestDifference[] {
  const header = Object.keys(test.record)
  const within = withinColumns(pipeline, header)
  const mapper = unitedMapper(compileMapping(within, [...header, KEY], NO_CUSTOM_FIELDS, kit), within)
  const mapped = mapper.map({ kind: 'record', values: [...Object.values(test.record), 'test'], line: 1 })
  if (!isAsExpected(mapped, test))
    return [{ of: 'record', expected: expectedText(test), got: recordText(mapped) }]
  if (mapped.kind !== 'contact') return []
  return [
    ...fieldDifferences(test.contact ?? {}, mapped.contact),
    ...(test.terms === undefined ? [] : termDifferences(test.terms, mapped.terms ?? [])),
  ]
}
