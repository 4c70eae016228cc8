// How the values of a record come to be: each rule of the mapping in order, with what it was given and what it made. The rules are
// those that a run applies, run with a listener: so an explanation cannot differ from how the value is made.
import { columnIndex } from '../mapping/columns.ts'
import type { Contact, FieldValue } from '../mapping/contact.ts'
import type { CustomFieldRules } from '../mapping/custom-fields.ts'
import { givenField, type MadeField } from '../mapping/given-field.ts'
import { mappingParts } from '../mapping/mapping.ts'
import type { RecordRow } from '../mapping/record.ts'
import { distinctTerms, termKey } from '../mapping/terms.ts'
import type { ConsentEvidence } from '../mapping/values/consent.ts'
import { householdKey } from '../mapping/values/household.ts'
import type { RuleStep } from '../mapping/values/noted.ts'
import type { RuleKit } from '../mapping/values/rule-kit.ts'
import type { PipelineSettings } from '../settings.ts'

/** A rule as it is shown. */
export type ShownStep = Pick<RuleStep, 'rule' | 'from' | 'to'>

export interface TracedField extends MadeField {
  /** Undefined where the record has nothing for the field. */
  readonly value: FieldValue | undefined
  readonly steps: readonly ShownStep[]
  /** Of its row. */
  readonly line: number
  /** Why there is no value; undefined where nothing is wrong. */
  readonly problem: string | undefined
}

export interface TracedTerm {
  readonly name: string
  /** Of its row. */
  readonly line: number
  readonly steps: readonly ShownStep[]
}

export interface TracedRecord {
  /** Undefined where the mail is the key, the header lacks a column of it, or a field of it is blank. */
  readonly key: string | undefined
  /** By the name under which the field stands in a contact. */
  readonly fields: ReadonlyMap<string, TracedField>
  readonly terms: readonly TracedTerm[]
  /** Of a consent; undefined where the mapping names none, or a column of it says nothing. */
  readonly evidence?: ConsentEvidence | undefined
}

/** Traces rows of inputs with one header. */
export type Tracer = (row: Pick<RecordRow, 'values' | 'line'>) => TracedRecord

interface Against {
  readonly header: readonly string[]
  readonly customFields: CustomFieldRules
  readonly kit: RuleKit
}

/** Throws INPUT_COLUMN_MISSING or INPUT_COLUMN_AMBIGUOUS, as the mapping does. */
export function compileTracer(pipeline: PipelineSettings, { header, customFields, kit }: Against): Tracer {
  const parts = mappingParts(pipeline, header, { customFields, kit })
  const repairs = `repair: ${JSON.stringify(pipeline.repair ?? [])}`
  return ({ values: given, line }) => {
    const values = parts.repaired(given)
    /** The steps, each with the repairs of its columns before it. */
    const shown = (steps: readonly RuleStep[]): ShownStep[] =>
      steps.flatMap(({ columns = [], ...step }) => [
        ...columns.flatMap((column): ShownStep[] => {
          const place = parts.columns.get(column) ?? columnIndex(header, column) ?? -1
          const [from = '', to = ''] = [given[place], values[place]]
          return from === to ? [] : [{ rule: `${repairs} of column ${JSON.stringify(column)}`, from, to }]
        }),
        step,
      ])
    const contact: Record<string, FieldValue> = {}
    const fields = new Map<string, TracedField>()
    for (const { key, mapping, read } of parts.fields) {
      const steps: RuleStep[] = []
      const { value, problem, mended, isStandIn } = read(values, (step) => steps.push(step))
      if (value !== undefined) contact[key] = value
      const dropped =
        mended === true && value === undefined ? 'is invalid and was dropped (on_invalid)' : undefined
      fields.set(key, {
        ...{ value, isStandIn, numberIn: mapping.phone_type_of },
        ...{ steps: shown(steps), line, problem: problem?.problem ?? dropped },
      })
    }
    const terms = tracedTerms(parts, { values, line, contact, shown })
    const evidence = parts.readEvidence?.(values)
    const { household } = pipeline
    const key = household === undefined ? parts.readKey(values) : householdKey(contact, household)
    return { key, fields, terms, ...(evidence === undefined ? {} : { evidence }) }
  }
}

interface Made extends Pick<RecordRow, 'values' | 'line'> {
  readonly contact: Contact
  shown(steps: readonly RuleStep[]): ShownStep[]
}

function tracedTerms(
  { readTerms }: Pick<ReturnType<typeof mappingParts>, 'readTerms'>,
  { values, line, contact, shown }: Made,
): TracedTerm[] {
  const steps = new Map<string, readonly RuleStep[]>()
  const read = readTerms?.(values, contact, (name, own) => {
    const [term = ''] = distinctTerms([name])
    if (!steps.has(termKey(term))) steps.set(termKey(term), own)
  })
  if (read === undefined || 'problem' in read) return []
  return read.terms.map((name) => ({ name, line, steps: shown(steps.get(termKey(name)) ?? []) }))
}

/** Several rows of one key as one record: each field from the last row that has a value, terms of all. */
export function unitedTrace(records: readonly TracedRecord[]): TracedRecord | undefined {
  const [first, ...others] = records
  if (first === undefined || others.length === 0) return first
  const rows = records.map((record) => (name: string) => record.fields.get(name))
  const names = new Set(records.flatMap((record) => [...record.fields.keys()]))
  const fields = new Map(
    [...names].flatMap((name) => {
      const field = givenField(name, rows)
      return field === undefined ? [] : [[name, field] as const]
    }),
  )
  const terms = new Map<string, TracedTerm>()
  for (const term of records.flatMap((record) => record.terms))
    if (!terms.has(termKey(term.name))) terms.set(termKey(term.name), term)
  const evidence = records.findLast((one) => one.evidence !== undefined)?.evidence
  const proven = evidence === undefined ? {} : { evidence }
  return { key: first.key, fields, terms: [...terms.values()], ...proven }
}
