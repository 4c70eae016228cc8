// What it takes to put back what one run did to one contact: field by field where the value is still ours, and what has
// to be left unchanged, with the reason. Decided by the sync log and by what was last sent; the contact itself is looked
// at once more before anything is sent.
import { isBlank } from '../words/blank.ts'
import type { LoggedEntry } from './audit-chain.ts'
import type { AuditEntry } from './audit.ts'
import type { Contact, FieldValue } from '../mapping/contact.ts'
import { isSuppressedNow, type Suppressed, SUPPRESSED_REASON } from '../change/consents/suppression.ts'
import { type Change, changedFields, type FieldChange, type Known, type KnownLink } from '../change/diff.ts'
import type { Operation } from '../change/operation.ts'
import type { Provenance } from '../mapping/record.ts'
import { type TermPlan, termsBeyond } from '../mapping/terms.ts'

/** All that a run did to one contact, over all steps. */
export interface RunEffect {
  readonly key: string
  readonly contactId: number
  /** From before the first step to after the last. */
  readonly fields: Readonly<Record<string, FieldChange>>
  readonly terms: { readonly add: readonly string[]; readonly remove: readonly string[] }
  readonly isCreated: boolean
  /** Its create was not settled by its own answer, but by a contact that was found. */
  readonly isFound: boolean
  readonly isDeleted: boolean
  readonly source: Provenance
}

/** What an undo goes by besides what the run did. */
export interface UndoEvidence {
  /** The highest contact id that was known when the run started; 0 where it is unknown. */
  readonly highestBefore: number
  /** Addresses that are given no term. */
  readonly suppressed?: Suppressed | undefined
}

export interface UndoOptions {
  /** Deletes contacts that the run created, if they were not changed since. */
  readonly deleteCreated: boolean
  /** Removes terms that were added under the policy `add`, although it is unknown whether the contact had them before. */
  readonly addedTerms: boolean
}

/** A change that is not undone. */
export interface LeftAlone {
  readonly key: string
  readonly contactId: number
  /** A field, `term NAME`, or `contact`. */
  readonly what: string
  readonly why: string
}

export type UndoStep =
  | { readonly kind: 'delete'; readonly link: KnownLink }
  | {
      readonly kind: 'update'
      readonly link: KnownLink
      readonly fields: Contact
      readonly terms: TermPlan | undefined
    }
  | { readonly kind: 'nothing' }

export interface UndoDecision {
  readonly step: UndoStep
  readonly left: readonly LeftAlone[]
}

const CHANGING = ['create', 'update', 'terms', 'delete']

function withEntry(effect: RunEffect, entry: AuditEntry): RunEffect {
  // What the run made and took back itself is as it was.
  if (entry.action === 'delete' && entry.next !== undefined)
    return { ...effect, fields: {}, terms: { add: [], remove: [] }, isCreated: false, isFound: false }
  const fields = { ...effect.fields }
  for (const [field, { from, to }] of Object.entries(entry.fields))
    fields[field] = { from: fields[field] === undefined ? from : fields[field].from, to }
  const { add, remove } = entry.terms
  return {
    ...effect,
    fields,
    // What was given and taken again within the run is as it was.
    terms: {
      add: [...termsBeyond(effect.terms.add, remove), ...termsBeyond(add, effect.terms.remove)],
      remove: [...termsBeyond(effect.terms.remove, add), ...termsBeyond(remove, effect.terms.add)],
    },
    isCreated: effect.isCreated || entry.action === 'create',
    isFound: effect.isFound || (entry.action === 'create' && entry.reason !== null),
    isDeleted: effect.isDeleted || entry.action === 'delete',
  }
}

type ContactEntry = AuditEntry & { readonly key: string; readonly contact_id: number }

/** Whether it is known which contact the entry is about. */
const isAboutContact = (entry: AuditEntry): entry is ContactEntry =>
  entry.key !== null && entry.contact_id !== null

const isChange = ({ action, outcome }: AuditEntry): boolean => outcome === 'done' && CHANGING.includes(action)

/**
 * Entries in the order of persons, and of time for each, as the changes of each contact. `erased` is called once for each
 * person whose values are gone.
 */
export async function* runEffects(
  entries: AsyncIterable<LoggedEntry>,
  erased: () => void,
): AsyncGenerator<RunEffect> {
  let effect: RunEffect | undefined
  let last: string | null = null
  for await (const entry of entries) {
    if (!isChange(entry)) continue
    if (entry.values === 'erased' && entry.person !== last) erased()
    last = entry.person
    if (!isAboutContact(entry)) continue
    if (effect !== undefined && (effect.contactId !== entry.contact_id || effect.key !== entry.key)) {
      yield effect
      effect = undefined
    }
    effect = withEntry(
      effect ?? {
        key: entry.key,
        contactId: entry.contact_id,
        fields: {},
        terms: { add: [], remove: [] },
        isCreated: false,
        isFound: false,
        isDeleted: false,
        source: entry.source ?? { file: '', line: 0 },
      },
      entry,
    )
  }
  if (effect !== undefined) yield effect
}

/** A blank is a blank, whether it was cleared or never there. */
const same = (left: FieldValue | null | undefined, right: FieldValue | null | undefined): boolean =>
  isBlank(left) ? isBlank(right) : JSON.stringify(left) === JSON.stringify(right)

type Judged = { readonly to: FieldValue } | { readonly why: string } | undefined

/** What a field is to become; why it stays; undefined where it is as it was before the run. */
function judgedField(field: string, { from, to }: FieldChange, link: KnownLink): Judged {
  const known = link.fields[field]
  const isSure = !link.unsure.includes(field)
  if (same(from, to) || (isSure && same(known, from))) return undefined
  if (isSure && !same(known, to)) return { why: 'a later run changed it' }
  if (field === 'mail_status') return { why: 'a consent is not restored automatically' }
  return { to: from ?? (Array.isArray(to) ? [] : '') }
}

function undoneFields(effect: RunEffect, link: KnownLink): { fields: Contact; left: [string, string][] } {
  const fields: Record<string, FieldValue> = {}
  const left: [string, string][] = []
  for (const [field, change] of Object.entries(effect.fields)) {
    const judged = judgedField(field, change, link)
    if (judged === undefined) continue
    if ('why' in judged) left.push([field, judged.why])
    else fields[field] = judged.to
  }
  return { fields, left }
}

function undoneTerms(
  { terms }: RunEffect,
  link: KnownLink,
  { addedTerms, suppressed }: UndoOptions & UndoEvidence,
): { plan: TermPlan | undefined; left: [string, string][] } {
  const asserted = link.terms ?? []
  const names = asserted.map(({ name }) => name)
  const left: [string, string][] = []
  const remove: string[] = []
  for (const name of terms.add) {
    const held = asserted.find((term) => termsBeyond([term.name], [name]).length === 0)
    if (held === undefined) left.push([`term ${name}`, 'it is no longer asserted by the record'])
    else if (held.shared) left.push([`term ${name}`, 'another record asserts it for this contact, too'])
    else if (held.ours || addedTerms) remove.push(held.name)
    else
      left.push([
        `term ${name}`,
        'whether the contact had it before was not checked (policy add); --added-terms removes it',
      ])
  }
  const lost = termsBeyond(terms.remove, names)
  const isHeldBack = suppressed !== undefined && isSuppressedNow({}, link.fields, suppressed)
  if (isHeldBack) left.push(...lost.map((name): [string, string] => [`term ${name}`, SUPPRESSED_REASON]))
  const add = isHeldBack ? [] : lost
  if (add.length + remove.length === 0) return { plan: undefined, left }
  return { plan: { add, remove, asserts: [...termsBeyond(names, remove), ...add] }, left }
}

const FOUND_LATER =
  'the answer to its create was lost and the contact was found later, so it may have been there before; it is kept'
const THERE_BEFORE =
  'the service had given its id before the run began, so the create was merged into a contact that was there; it is kept, and of its values those are put back that are known'

/** Its create was merged into a contact that was there: deleting that would lose more than the run made. */
const isMerged = ({ contactId, isCreated, isFound }: RunEffect, { highestBefore }: UndoEvidence): boolean =>
  isCreated && !isFound && contactId <= highestBefore

/** Of a contact that was there only what was sent to it before is known, and may be put back. */
const knownBefore = (effect: RunEffect): RunEffect => ({
  ...effect,
  fields: Object.fromEntries(Object.entries(effect.fields).filter(([, { from }]) => !isBlank(from))),
  terms: { add: [], remove: [] },
})

function whyNot(
  effect: RunEffect,
  { link, inDoubt }: Known,
  options: UndoOptions & UndoEvidence,
): string | undefined {
  if (effect.isDeleted)
    return 'the run deleted it; it comes back as a new contact when its record is in the source again'
  if (inDoubt) return 'a change of it is in doubt; see contact-sync doubts list'
  if (link === undefined || link.contactId !== effect.contactId)
    return 'the record is no longer linked to this contact'
  if (link.gone) return 'the contact was deleted at the service'
  if (link.merged) return 'the service merged another record into it'
  if (!effect.isCreated || isMerged(effect, options)) return undefined
  if (effect.isFound) return FOUND_LATER
  if (options.deleteCreated) return undefined
  return 'the run created it; --delete-created deletes it if it was not changed since'
}

/** What to do about one contact, and which of its changes stay. */
export function undoDecision(
  effect: RunEffect,
  known: Known,
  options: UndoOptions & UndoEvidence,
): UndoDecision {
  const { key, contactId } = effect
  const left = (items: readonly [string, string][]): LeftAlone[] =>
    items.map(([what, why]) => ({ key, contactId, what, why }))
  const why = whyNot(effect, known, options)
  const { link } = known
  if (why !== undefined || link === undefined)
    return { step: { kind: 'nothing' }, left: left(why === undefined ? [] : [['contact', why]]) }
  const merged = isMerged(effect, options)
  if (effect.isCreated && !merged) return { step: { kind: 'delete', link }, left: [] }
  const done = merged ? knownBefore(effect) : effect
  const { fields, left: leftFields } = undoneFields(done, link)
  const { plan, left: leftTerms } = undoneTerms(done, link, options)
  const isNothing = Object.keys(fields).length === 0 && plan === undefined
  return {
    step: isNothing ? { kind: 'nothing' } : { kind: 'update', link, fields, terms: plan },
    left: left([
      ...(merged ? [['contact', THERE_BEFORE] as [string, string]] : []),
      ...leftFields,
      ...leftTerms,
    ]),
  }
}

/**
 * What is left of an undo that was held or has failed: its own fields and terms, whatever the record has had put back or said
 * since, and whatever its pipeline's policy for terms is. Undefined where nothing is left.
 */
export function undoAgain(
  { fields, terms, contactId }: Pick<Operation, 'fields' | 'terms' | 'contactId'>,
  { link }: Known,
): (Change & { readonly linkId: number; readonly contactId: number }) | undefined {
  if (link === undefined || link.gone || link.merged || link.contactId !== contactId) return undefined
  const asserted = link.terms ?? []
  const names = asserted.map(({ name }) => name)
  const sure = asserted.filter(({ unsure }) => !unsure).map(({ name }) => name)
  const add = termsBeyond(terms?.add ?? [], sure)
  const removable = asserted.filter(({ shared }) => !shared).map(({ name }) => name)
  const remove = termsBeyond(removable, termsBeyond(removable, terms?.remove ?? []))
  const asserts = [...termsBeyond(names, remove), ...termsBeyond(add, names)]
  const change = changedFields(fields, link.fields, link.unsure)
  const isOfTerms = add.length + remove.length > 0
  if (Object.keys(change).length === 0 && !isOfTerms) return undefined
  const linked = { linkId: link.id, contactId: link.contactId }
  return { ...linked, fields: change, ...(isOfTerms ? { terms: { add, remove, asserts } } : {}) }
}
