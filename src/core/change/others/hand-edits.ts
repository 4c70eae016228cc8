// Edits made by hand at the service: a three-way merge of what was last sent to a contact, what the source wants now and what
// the service shows now. The first line that fits decides, field by field:
//
//   the service shows    and the source wants         then the field
//   ------------------   --------------------------   -------------------------------------------
//   nothing              anything                     is sent
//   the wanted value     it                           is agreed: nothing is sent, no edit is left
//   what was last sent   another value                is sent
//   anything else        another value                was edited by hand: `overwrite` sends it, `keep` leaves it,
//                                                     `ask` leaves it and holds the record
//
// Values are compared in canonical form (likeness.ts): what the service made of a value is no edit. What was sent without an
// answer counts as sent, beside what was sent before it. mail_status has rules of its own and is never merged.
import type { Contact, FieldValue } from '../../mapping/contact.ts'
import type { CustomFieldRules } from '../../mapping/custom-fields.ts'
import type { ServiceContact } from '../../ports.ts'
import type { PipelineSettings } from '../../settings.ts'
import { type AssertedTerm, termKey, type TermOutcome, termsBeyond } from '../../mapping/terms.ts'
import { isBlank } from '../../words/blank.ts'
import { sameValue } from '../diff.ts'
import { shownAs, shownContact } from '../lookup/likeness.ts'

export type HandEditRule = PipelineSettings['hand_edits']

/** A value at the service that no pipeline or undo sent, and that the source would overwrite. */
export interface HandEdit {
  readonly field: string
  readonly rule: Exclude<HandEditRule, 'overwrite'>
  /** Null where nothing was ever sent. */
  readonly sent: FieldValue | null
  readonly service: FieldValue
  /** Null where the record has gone. */
  readonly source: FieldValue | null
}

/** What was sent to a contact, by whichever pipeline, correction or undo. */
export interface SentValues {
  /** By field, the most recent of all, where several links have the contact. */
  readonly last: Contact
  /** What each of its links says was last pushed. */
  readonly pushed: readonly Contact[]
  /** Sent without a known outcome, or released: as good as sent. */
  readonly open: readonly (readonly [field: string, value: FieldValue])[]
}

/** An edit that is kept or waits for an operator, as lists show it. */
export interface OpenEdit extends HandEdit {
  readonly pipeline: string
  readonly key: string
  readonly contactId: number
  /** Milliseconds since the epoch: when this value was first seen. */
  readonly since: number
  /** An operator has let the source overwrite it, and nothing was sent since. */
  readonly isReleased?: boolean
}

/** The edits of one record that are to be looked at again. */
export interface EditsOfRecord {
  readonly key: string
  readonly contactId: number
  readonly fields: readonly { readonly field: string; readonly source: FieldValue | null }[]
}

/** The result for the edits of one record: of the fields that were judged, those that are open. */
export interface JudgedEdits {
  readonly pipeline: string
  readonly key: string
  readonly contactId: number
  readonly judged: readonly string[]
  readonly open: readonly HandEdit[]
}

export interface HandEditStore {
  /** What was sent to the contact of each of these records, in their order. */
  sentValues(contactIds: readonly number[]): Promise<readonly SentValues[]>
  /** Edits beside a change: those looked at again. */
  keepEdits(judged: JudgedEdits, at: number): Promise<void>
  /**
   * Records of the pipeline whose edits were last looked at before that time, by key, after the one given; and where the clock
   * went back since: later than `now`.
   */
  editsToLookAt(
    pipeline: string,
    of: {
      readonly before: number
      readonly now: number
      readonly after: string | undefined
      readonly limit: number
    },
  ): Promise<readonly EditsOfRecord[]>
  /** By pipeline, key and field. */
  openEdits(pipelines: readonly string[]): Promise<readonly OpenEdit[]>
  /** The value at the service counts as ours from now on: the next run overwrites it. How many edits that were. */
  releaseEdits(of: {
    readonly pipeline: string
    readonly key: string
    readonly field?: string
  }): Promise<number>
}

/** The rules of fields by the names that these have in a contact. */
export interface FieldRules {
  ruleOf(field: string): HandEditRule
}

/** The rules of a pipeline. */
export interface HandEditRules extends FieldRules {
  /** Whether any field is to be looked at before it is overwritten. */
  readonly any: boolean
  /** All fields that the pipeline maps. */
  readonly fields: readonly string[]
}

type Ruled = Pick<PipelineSettings, 'hand_edits' | 'map' | 'custom_fields'>

/** The rules of a pipeline and of its fields. */
const rulesIn = ({ hand_edits: all, map, custom_fields: custom }: Ruled): readonly HandEditRule[] => [
  all,
  ...[map, custom].flatMap((fields) => Object.values(fields).flatMap((rule) => rule.hand_edits ?? [])),
]

/** Whether a pipeline has to look at contacts before it writes to them. */
export const respectsHandEdits = (pipeline: Ruled): boolean =>
  rulesIn(pipeline).some((rule) => rule !== 'overwrite')

/** Whether edits may wait for an operator. */
export const asksAboutEdits = (pipeline: Ruled): boolean => rulesIn(pipeline).includes('ask')

/** What the delete of a contact waits for is among the held changes. */
export const isToBeReleased = ({
  rule,
  source,
  isReleased = false,
}: Pick<OpenEdit, 'rule' | 'source' | 'isReleased'>): boolean =>
  rule === 'ask' && source !== null && !isReleased

export function handEditRules(pipeline: Ruled, { rules }: Pick<CustomFieldRules, 'rules'>): HandEditRules {
  const names = new Map(rules.map(({ key, name }) => [key, name]))
  return {
    any: respectsHandEdits(pipeline),
    fields: [...Object.keys(pipeline.map), ...rules.map(({ key }) => key)],
    ruleOf(field) {
      if (field === 'mail_status') return 'overwrite'
      const custom = names.get(field)
      const mapping = custom === undefined ? pipeline.map[field] : pipeline.custom_fields[custom]
      return mapping?.hand_edits ?? pipeline.hand_edits
    },
  }
}

const pushedOf = (field: string, pushed: readonly Contact[]): readonly FieldValue[] =>
  pushed.map((contact) => contact[field]).filter((value) => value !== undefined)

/** What was sent of one field: the most recent of all; where that was not recorded, what each link sent. */
export function sentOf(field: string, { last, pushed, open }: SentValues): readonly FieldValue[] {
  const attempts = open.filter(([name]) => name === field).map(([, value]) => value)
  const known = last[field]
  if (known !== undefined) return [known, ...attempts]
  return [...pushedOf(field, pushed), ...attempts]
}

/**
 * What the contact had before, as far as this program knows: `own` is what the record itself sent last. What other records of the
 * contact sent since, or sent where this one sent nothing, is what the service has. A blank that no `last` records is none that was
 * sent: a create leaves blanks out. mail_status has rules of its own.
 */
export function hadBefore(
  fields: Contact,
  own: Contact,
  { last, pushed }: Pick<SentValues, 'last' | 'pushed'>,
): Contact {
  const newer = Object.keys(fields).flatMap((field): [string, FieldValue][] => {
    if (field === 'mail_status') return []
    const [first, ...more] = pushedOf(field, pushed).filter((one) => !isBlank(one))
    const others = isBlank(own[field]) && more.every((one) => sameValue(one, first)) ? first : undefined
    const value = last[field] ?? others
    return value === undefined ? [] : [[field, value]]
  })
  return { ...own, ...Object.fromEntries(newer) }
}

/** Of what a create has sent that only adds: what its contact had before, and keeps. `others`: what was sent to it, the last one last. */
export const keptAtCreate = (fields: Contact, others: readonly Contact[]): Contact =>
  Object.fromEntries(
    others.flatMap((contact) =>
      Object.entries(contact).filter(([field, value]) => Object.hasOwn(fields, field) && !isBlank(value)),
    ),
  )

export interface Merged {
  readonly send: Contact
  /** Fields that the service shows as wanted. */
  readonly agreed: readonly string[]
  readonly edits: readonly HandEdit[]
}

/** `wanted`: fields that would be overwritten. */
export function mergeWithService(
  wanted: Contact,
  { sent, shown }: { readonly sent: SentValues; readonly shown: ServiceContact },
  { ruleOf }: FieldRules,
): Merged {
  const agreed = shownAs(wanted, shown)
  const edits: HandEdit[] = []
  const send: Record<string, FieldValue> = {}
  for (const [field, source] of Object.entries(wanted)) {
    if (agreed.includes(field)) continue
    const rule = ruleOf(field)
    const values = sentOf(field, sent)
    const isOurs =
      isBlank(shown.fields[field]) || values.some((value) => shownAs({ [field]: value }, shown).length > 0)
    if (rule === 'overwrite' || isOurs) send[field] = source
    else
      edits.push({
        field,
        rule,
        source,
        sent: values[0] ?? null,
        service: serviceValue(field, source, shown),
      })
  }
  return { send, agreed, edits }
}

/** What the service shows, in the form in which the state has values. */
const serviceValue = (field: string, like: FieldValue, shown: ServiceContact): FieldValue =>
  shownContact({ [field]: like }, shown)[field] ?? ''

/** The fields that a contact is read for before it is deleted: what was sent, and what a user may have filled in. */
export function judgedAtDelete(known: Contact, { fields, ruleOf }: HandEditRules): readonly string[] {
  const filled = fields.filter((field) => ruleOf(field) !== 'overwrite')
  return [...new Set([...Object.keys(known), ...filled])].filter((field) => field !== 'mail_status')
}

/** What a contact that is about to be deleted shows and was never sent to it. `known`: what was sent. */
export function editsAtDelete(
  known: Contact,
  sides: { readonly sent: SentValues; readonly shown: ServiceContact },
  rules: HandEditRules,
): readonly HandEdit[] {
  const { ruleOf } = rules
  const fields = Object.fromEntries(judgedAtDelete(known, rules).map((field) => [field, known[field] ?? '']))
  const never: FieldRules = {
    ruleOf: (field) => (ruleOf(field) === 'overwrite' ? 'overwrite' : 'ask'),
  }
  return mergeWithService(fields, sides, never).edits.map((edit) => ({ ...edit, source: null }))
}

const TERM = 'term '

/** How an edit of a term is listed among those of fields. */
export const termField = (name: string): string => `${TERM}${name}`

export const isTermField = (field: string): boolean => field.startsWith(TERM)

type Assertion = Omit<AssertedTerm, 'shared'>

/**
 * What a record asserts once the edit of this term was released: unsure of it alone, so that its list is compared again, and
 * other terms that a user took stay away.
 */
export function assertedOnceReleased(asserted: readonly Assertion[], field: string): readonly Assertion[] {
  const name = field.slice(TERM.length)
  const isIt = (term: Assertion): boolean => termKey(term.name) === termKey(name)
  const ours = asserted.find(isIt)?.ours ?? false
  return [...asserted.filter((term) => !isIt(term)), { name, ours, unsure: true }]
}

/**
 * Without releases of terms that have had their effect: what was let go is given again, or gone, and a later edit of the same
 * term is another one.
 */
export const openAfterTerms = (
  open: SentValues['open'],
  { asserts }: Pick<TermOutcome, 'asserts'>,
): SentValues['open'] =>
  open.filter(([field, value]) => {
    if (!isTermField(field)) return true
    const asserted = asserts.find(({ name }) => termKey(name) === termKey(field.slice(TERM.length)))
    return value === '' ? asserted === undefined || asserted.unsure === true : asserted !== undefined
  })

export interface MergedTerms {
  /** Terms that a list of the source would give again, or take away, and that stay as the service has them. */
  readonly edits: readonly HandEdit[]
  readonly keptAway: readonly string[]
  readonly keptThere: readonly string[]
}

/** `asserted`: by its record so far; `ours` of them are those that we gave. */
export interface TermSides {
  readonly wanted: readonly string[]
  readonly asserted: readonly Assertion[]
  readonly shown: readonly string[]
}

const namesOfTerms = (terms: readonly Assertion[]): readonly string[] => terms.map(({ name }) => name)

/**
 * The terms of a contact under `replace`, which sends a whole list: one that we added and a user removed is not added again,
 * one that others added is not removed, even if the source has named it meanwhile.
 */
export function mergeTerms(
  { wanted, asserted, shown }: TermSides,
  open: SentValues['open'],
  rule: HandEdit['rule'],
): MergedTerms {
  const isReleased = (name: string, value: FieldValue): boolean =>
    open.some(([field, released]) => field === termField(name) && released === value)
  const sure = asserted.filter(({ unsure }) => !unsure)
  const lost = termsBeyond(namesOfTerms(sure), shown)
  // What was sent without an answer counts as sent.
  const ours = namesOfTerms(asserted.filter((term) => term.ours))
  const keptAway = lost.filter((name) => termsBeyond([name], wanted).length === 0 && !isReleased(name, ''))
  const keptThere = termsBeyond(termsBeyond(shown, ours), wanted).filter((name) => !isReleased(name, name))
  const edits = [
    ...keptAway.map((name) => ({ field: termField(name), rule, sent: name, service: '', source: name })),
    ...keptThere.map((name) => ({ field: termField(name), rule, sent: null, service: name, source: '' })),
  ]
  return { edits, keptAway, keptThere }
}

const namesOf = (edits: readonly HandEdit[]): string => edits.map(({ field }) => field).join(', ')

const leavesText = (rule: HandEdit['rule']): string => `hand_edits: ${rule} leaves `

/** Why fields of a change stay as the service has them; undefined where none does. */
export function editsText(edits: readonly HandEdit[]): string | undefined {
  const parts = (['keep', 'ask'] as const).flatMap((rule) => {
    const of = edits.filter((edit) => edit.rule === rule)
    return of.length === 0 ? [] : [`${leavesText(rule)}${namesOf(of)} as edited at the service`]
  })
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** Whether a reason, as `editsText` gives it, says that fields wait for a release: the record counts as held. */
export const saysAsking = (reason: string | null): boolean => reason?.includes(leavesText('ask')) ?? false

/** In place of `deleteHeldText` once an operator has released them all. */
export const DELETE_RELEASED_REASON =
  'the edits of the contact at the service were released: it is deleted with the next full export that lacks the record'

export const deleteHeldText = (edits: readonly HandEdit[]): string =>
  `the contact was edited at the service (${namesOf(edits)}), so it is not deleted before an operator releases the edits`
