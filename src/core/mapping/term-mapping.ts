// Which terms a record asks for: constants, conditions and columns of `terms.assign`, compiled against a header.
import { compileCondition, type RecordCondition } from './cel/condition.ts'
import type { Contact } from './contact.ts'
import { SyncError } from '../words/errors.ts'
import { cleanText, textProblem } from './fields/field-check.ts'
import type { PipelineSettings, TermAssignment } from '../settings.ts'
import { termNames } from './term-list.ts'
import { distinctTerms } from './terms.ts'
import { compileTransforms } from './fields/transforms.ts'
import { type RuleStep, ruleText } from './values/noted.ts'

/** The record's cells by column name, and the contact that was mapped from it. */
export interface TermInput {
  readonly cell: (column: string) => string
  readonly record: () => ReadonlyMap<string, string>
  readonly contact: Contact
}

export type TermReading = { readonly terms: readonly string[] } | { readonly problem: string }

/** Told of each name that an assignment gives, and of the steps to it. */
export type TermNote = (name: string, steps: readonly RuleStep[]) => void

type Assigner = (input: TermInput, note?: TermNote) => readonly string[] | { problem: string }

function compiledWhen(name: string, when: string): RecordCondition {
  const condition = compileCondition(when)
  if ('problem' in condition)
    throw new SyncError('CONFIG_INVALID', `terms.assign "${name}": when: ${condition.problem}`)
  return condition
}

/** The columns that one assignment names. */
export function termColumnsOf(entry: TermAssignment): readonly string[] {
  if ('column' in entry) return [entry.column]
  return entry.when === undefined ? [] : compiledWhen(entry.name, entry.when).columns
}

/** Every column that the assignments name. */
export const termColumns = (pipeline: PipelineSettings): readonly string[] =>
  pipeline.terms.assign.flatMap(termColumnsOf)

function compileAssignment(entry: TermAssignment, isNull: (value: string) => boolean): Assigner {
  if ('column' in entry) {
    const transform = compileTransforms(entry.transform ?? [])
    const isMeant = (part: string): boolean => !isNull(cleanText(part))
    const rule = `terms.assign: column ${JSON.stringify(entry.column)}`
    return ({ cell }, note) => {
      const text = cell(entry.column)
      const told = (part: string): string => {
        const steps: RuleStep[] = [{ rule, from: text, to: part, columns: [entry.column] }]
        const name = transform(part, (step) => steps.push(step))
        if (isMeant(name)) note?.(name, steps)
        return name
      }
      const made = note === undefined ? (part: string): string => transform(part) : told
      return termNames(text, entry).filter(isMeant).map(made).filter(isMeant)
    }
  }
  const { name, when } = entry
  const rule = `terms.assign: ${ruleText(name, when === undefined ? undefined : { when })}`
  const given = (note: TermNote | undefined): readonly string[] => {
    note?.(name, [{ rule, from: null, to: name }])
    return [name]
  }
  if (when === undefined) return (_, note) => given(note)
  const condition = compiledWhen(name, when)
  return ({ record, contact }, note) => {
    const verdict = condition.evaluate(record(), contact)
    if (typeof verdict !== 'boolean')
      return { problem: `terms: the condition of "${name}": ${verdict.problem}` }
    return verdict ? given(note) : []
  }
}

/** Undefined where the pipeline has nothing to do with terms. */
export function compileTerms(
  pipeline: PipelineSettings,
): ((input: TermInput, note?: TermNote) => TermReading) | undefined {
  if (pipeline.terms.assign.length === 0) return undefined
  const nulls = new Set(pipeline.source.null_values.map(cleanText))
  const assigners = pipeline.terms.assign.map((entry) =>
    compileAssignment(entry, (value) => nulls.has(value)),
  )
  return (input, note) => {
    const names: string[] = []
    for (const assign of assigners) {
      const given = assign(input, note)
      if ('problem' in given) return given
      names.push(...given)
    }
    const terms = distinctTerms(names)
    for (const term of terms) {
      const problem = textProblem(term)
      if (problem !== undefined) return { problem: `terms: a name ${problem}` }
    }
    return { terms }
  }
}
