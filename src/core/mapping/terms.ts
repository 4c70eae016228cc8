// Terms by name: which of them a record asserts, and what follows for its contact under the pipeline's policy.
// The ledger of assertions lies with the links; what is not in it was given by others and is never taken away.
import { cleanText } from './fields/field-check.ts'
import { nearest } from '../words/nearest.ts'
import type { Term } from '../ports.ts'
import type { PipelineSettings, TermSettings } from '../settings.ts'

/** What the ledger says of one term of one record. */
export interface AssertedTerm {
  readonly name: string
  /** It was this program, under `managed` or `replace`, that gave it to the contact. */
  readonly ours: boolean
  /** Another record (of this or another pipeline) asserts it for the same contact. */
  readonly shared: boolean
  /** It was being added or removed when the answer was lost: whether the contact has it is unknown. */
  readonly unsure: boolean
}

/** What a change means for the terms of its contact, by name. */
export interface TermPlan {
  readonly add: readonly string[]
  readonly remove: readonly string[]
  /** What the record asserts once that is done. */
  readonly asserts: readonly string[]
}

/** How a plan for terms ended. */
export interface TermOutcome {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** What the ledger is to say from now on. */
  readonly asserts: readonly { readonly name: string; readonly ours: boolean; readonly unsure?: boolean }[]
}

/**
 * The form in which names are compared: NFC, trimmed, lower case whatever the locale. It folds no more than that on
 * purpose: a service that folds more gives itself away by the name of what it answers.
 */
export function termKey(name: string): string {
  return name.normalize('NFC').trim().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}

/** Clean, not blank, each once; the first way of writing counts. */
export function distinctTerms(names: readonly string[]): readonly string[] {
  const byKey = new Map<string, string>()
  for (const name of names.map(cleanText))
    if (name !== '' && !byKey.has(termKey(name))) byKey.set(termKey(name), name)
  return [...byKey.values()]
}

/** Former names of terms by their comparison form, each with the name of today. */
export type TermAliases = ReadonlyMap<string, string>

/** What terms were called before they were renamed by this program. */
export interface TermNameStore {
  termAliases(): Promise<TermAliases>
}

/** The names of today, each once. */
export const presentNames = (names: readonly string[], aliases: TermAliases): readonly string[] =>
  aliases.size === 0 ? names : distinctTerms(names.map((name) => aliases.get(termKey(name)) ?? name))

/** After one more rename. Each former name leads straight to that of today, and a name that is given again is no former one. */
export function aliasesAfter(aliases: TermAliases, { from, to }: { from: string; to: string }): TermAliases {
  const moved = [...aliases].map(([key, name]): [string, string] => [
    key,
    termKey(name) === termKey(from) ? to : name,
  ])
  return new Map([...moved, [termKey(from), to] as const].filter(([key]) => key !== termKey(to)))
}

const keysOf = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(termKey))

/** Those of `names` that `others` lacks. */
export function termsBeyond(names: readonly string[], others: readonly string[]): readonly string[] {
  const keys = keysOf(others)
  return names.filter((name) => !keys.has(termKey(name)))
}

/**
 * Wanted against asserted; undefined where nothing is to be done. `asserted` undefined: nothing was settled for this
 * record yet. Under `managed` a term goes only where the last record that asserted it withdraws and we had given it.
 */
export function termPlan(
  wanted: readonly string[],
  asserted: readonly AssertedTerm[] | undefined,
  policy: TermSettings['policy'],
): TermPlan | undefined {
  const before = asserted ?? []
  const names = before.map(({ name }) => name)
  const sure = before.filter(({ unsure }) => !unsure).map(({ name }) => name)
  const add = termsBeyond(wanted, sure)
  if (policy === 'add')
    return add.length === 0 ? undefined : { add, remove: [], asserts: [...names, ...termsBeyond(add, names)] }
  const wantedKeys = keysOf(wanted)
  const withdrawn = before.filter(({ name }) => !wantedKeys.has(termKey(name)))
  // The list of a contact that was not looked at yet may hold anything.
  const isUnseen = policy === 'replace' && asserted === undefined
  if (add.length === 0 && withdrawn.length === 0 && !isUnseen) return undefined
  const removable = policy === 'replace' ? withdrawn : withdrawn.filter(({ ours, shared }) => ours && !shared)
  return { add, remove: removable.map(({ name }) => name), asserts: wanted }
}

/** The ledger after the plan was carried out. `unusable`: terms that could not be given. */
export function termOutcome(
  plan: TermPlan,
  before: readonly AssertedTerm[] | undefined,
  done: { added: readonly string[]; removed: readonly string[]; unusable: readonly string[] },
  policy: TermSettings['policy'],
): TermOutcome {
  const oursBefore = keysOf((before ?? []).filter(({ ours }) => ours).map(({ name }) => name))
  const addedNow = policy === 'add' ? new Set<string>() : keysOf(done.added)
  // What an earlier request left in the dark, and this one had nothing to do with, stays there.
  const unsure = keysOf(
    termsBeyond(
      (before ?? []).filter((term) => term.unsure).map(({ name }) => name),
      plan.add,
    ),
  )
  const asserts = termsBeyond(plan.asserts, done.unusable).map((name) => {
    const key = termKey(name)
    return {
      name,
      ours: oursBefore.has(key) || addedNow.has(key),
      ...(unsure.has(key) ? { unsure: true } : {}),
    }
  })
  return { added: done.added, removed: done.removed, asserts }
}

/** Names of terms that the configuration gives, in place of a value. */
export const ownTermNames = ({ terms }: Pick<PipelineSettings, 'terms'>): readonly string[] =>
  terms.assign.flatMap((entry) => ('name' in entry ? [entry.name] : []))

/** The description that the pipeline has for a term. */
export function termDescription(name: string, pipeline: PipelineSettings): string | undefined {
  const found = Object.entries(pipeline.terms.descriptions).find(([term]) => termKey(term) === termKey(name))
  return found?.[1]
}

/** Why a record is rejected that names terms which the service does not have. */
export function unknownTermsText(unknown: readonly string[], terms: readonly Term[]): string {
  const names = terms.map(({ name }) => name)
  const said = unknown.map((name) => {
    const near = nearest(name, names)
    return near === undefined ? `"${name}"` : `"${name}" (the nearest is "${near}")`
  })
  return `terms: the service has no term ${said.join(', ')}, and terms.create_missing is false`
}
