// What contacts at the service show, compared with what was last sent to them. A contact is counted once:
//
//   the service                                          counted as
//   ---------------------------------------------------  ----------
//   no longer has it                                     gone
//   shows another value of a field, or lacks a term      differing
//   shows only edits that `hand_edits: keep` leaves      kept
//   shows what was sent                                  as sent
//
// Values are compared in canonical form (likeness.ts). What was sent without a known outcome is not compared.
import { termsBeyond } from '../../mapping/terms.ts'
import type { Random, ServiceContact } from '../../ports.ts'
import type { PipelineSettings } from '../../settings.ts'
import { isBlank } from '../../words/blank.ts'
import type { KnownLink } from '../diff.ts'
import { type FieldRules, type SentValues, sentOf, termField } from './hand-edits.ts'
import { shownAs } from '../lookup/likeness.ts'

/** What the state has of a contact. */
export interface SentContact {
  readonly link: Pick<KnownLink, 'contactId' | 'fields' | 'unsure' | 'terms'>
  readonly sent: SentValues
}

/** What the service has of it; `terms` undefined: they were not read. */
export interface ShownSides {
  readonly contact: ServiceContact
  readonly terms: readonly string[] | undefined
}

/** Names of fields; a term as `term NAME`. */
export interface Drifted {
  readonly differing: readonly string[]
  readonly kept: readonly string[]
}

/** Terms are read where the record asserts some, or where its list is the whole list. */
export const hasTermsToCompare = (
  terms: KnownLink['terms'],
  policy: PipelineSettings['terms']['policy'],
): boolean => terms !== undefined && (terms.length > 0 || policy === 'replace')

function isAsSent(field: string, { sent }: SentContact, contact: ServiceContact): boolean {
  // A service may hide the status from some keys.
  if (field === 'mail_status' && !Object.hasOwn(contact.fields, field)) return true
  return sentOf(field, sent).some((value) => shownAs({ [field]: value }, contact).length > 0)
}

/** Terms that were given and are not there; under `replace` those of others, too, as the list is the whole list. */
function termsDrifted(
  { link }: SentContact,
  shown: readonly string[],
  isWholeList: boolean,
): readonly string[] {
  const asserted = link.terms ?? []
  const given = asserted.filter(({ unsure }) => !unsure).map(({ name }) => name)
  const names = asserted.map(({ name }) => name)
  const beyond = isWholeList ? termsBeyond(shown, names) : []
  return [...termsBeyond(given, shown), ...beyond].map(termField)
}

/** `isWholeList`: the terms of the record are all that its contact should have. */
export function driftOf(
  sent: SentContact,
  { contact, terms }: ShownSides,
  rules: FieldRules & { readonly isWholeList: boolean; readonly termRule: PipelineSettings['hand_edits'] },
): Drifted {
  const { fields, unsure } = sent.link
  const others = Object.keys(fields).filter(
    (field) => !unsure.includes(field) && !isAsSent(field, sent, contact),
  )
  const isKept = (field: string): boolean => rules.ruleOf(field) === 'keep' && !isBlank(contact.fields[field])
  const ofTerms = terms === undefined ? [] : termsDrifted(sent, terms, rules.isWholeList)
  const areTermsKept = rules.termRule === 'keep'
  return {
    differing: [...others.filter((field) => !isKept(field)), ...(areTermsKept ? [] : ofTerms)],
    kept: [...others.filter(isKept), ...(areTermsKept ? ofTerms : [])],
  }
}

/** What differs in both: between them the contact may have been sent something. */
export const driftInBoth = (one: Drifted, other: Drifted): Drifted => ({
  differing: one.differing.filter((field) => other.differing.includes(field)),
  kept: one.kept.filter((field) => other.kept.includes(field)),
})

/** What one look at a contact found. `left`: its link has changed meanwhile. */
export type LookOutcome =
  { readonly kind: 'seen'; readonly drifted: Drifted } | { readonly kind: 'gone' | 'unanswered' | 'left' }

/** The result for a pipeline. */
export interface DriftReport {
  readonly pipeline: string
  /** Contacts that it has. */
  readonly contacts: number
  readonly checked: number
  readonly differing: number
  readonly gone: number
  readonly kept: number
  /** How many contacts differ in this field. */
  readonly by_field: Readonly<Record<string, number>>
  /** Of the contacts that were checked, the share that differs: from 0 to 1. */
  readonly share: number
  /** The 95 % interval of the share over all contacts; where all were checked, the share itself. */
  readonly low: number
  readonly high: number
  /** Contacts that could not be read. */
  readonly unanswered: number
}

/** Two-sided 95 % of the normal distribution. */
const Z = 1.959964

/** The interval by Wilson: unlike that of the normal distribution it is sound for shares near 0, too. */
export function wilsonInterval(hits: number, of: number): { readonly low: number; readonly high: number } {
  if (of === 0) return { low: 0, high: 1 }
  const share = hits / of
  const square = Z ** 2 / of
  const middle = share + square / 2
  const half = Z * Math.sqrt((share * (1 - share) + square / 4) / of)
  // Rounding must not move the ends off 0 and 1.
  const low = hits === 0 ? 0 : (middle - half) / (1 + square)
  const high = hits === of ? 1 : (middle + half) / (1 + square)
  return { low, high }
}

export function driftReport(
  pipeline: string,
  { outcomes, contacts }: { readonly outcomes: readonly LookOutcome[]; readonly contacts: number },
): DriftReport {
  const seen = outcomes.flatMap((one) => (one.kind === 'seen' ? [one.drifted] : []))
  const count = (kind: LookOutcome['kind']): number => outcomes.filter((one) => one.kind === kind).length
  const differing = seen.filter((one) => one.differing.length > 0)
  const checked = seen.length + count('gone')
  const fields = new Map<string, number>()
  for (const field of differing.flatMap((one) => one.differing))
    fields.set(field, (fields.get(field) ?? 0) + 1)
  const share = checked === 0 ? 0 : differing.length / checked
  const isWhole = checked + count('left') >= contacts
  return {
    pipeline,
    contacts,
    checked,
    differing: differing.length,
    gone: count('gone'),
    kept: seen.filter((one) => one.differing.length === 0 && one.kept.length > 0).length,
    by_field: Object.fromEntries([...fields].sort(([, one], [, other]) => other - one)),
    share,
    ...(isWhole ? { low: share, high: share } : wilsonInterval(differing.length, checked)),
    unanswered: count('unanswered'),
  }
}

/** A sample of which each item is a member with equal probability, drawn while they pass, without a list of them all. */
export function createSample<T>(size: number, random: Random) {
  const chosen: T[] = []
  let passed = 0
  return {
    pass(item: T): void {
      passed += 1
      const place = chosen.length < size ? chosen.length : Math.floor(random() * passed)
      if (place < size) chosen[place] = item
    },
    chosen: (): readonly T[] => chosen,
    passed: (): number => passed,
  }
}
