// What must happen for one contact: desired against known. One decision, situation by situation;
// it yields a difference and does nothing.
import type { ConsentEvidence } from '../mapping/values/consent.ts'
import { type Contact, type FieldValue, FULL_ADDRESS_FIELDS } from '../mapping/contact.ts'
import type { ErrorCode } from '../words/errors.ts'
import type { PipelineSettings } from '../settings.ts'
import { type AssertedTerm, type TermPlan, termPlan } from '../mapping/terms.ts'
import { newlyGivenUp, takenBack } from './given-up.ts'

/** What the state knows of a key. */
export interface Known {
  readonly link: KnownLink | undefined
  /** An operation of this key has an unknown outcome; no other operation may overtake it. */
  readonly inDoubt: boolean
  /** Of a key without a link: its last create, where the service merged it. */
  readonly mergedCreate?: MergedCreate
}

export interface KnownLink {
  readonly id: number
  readonly contactId: number
  /** What was last pushed, all fields. */
  readonly fields: Contact
  /** Fields that were sent with an unknown outcome: their values at the service are unknown. Beside them, marks (given-up.ts). */
  readonly unsure: readonly string[]
  /** Fields that were edited at the service, and are kept: what the source wanted when that was last seen. */
  readonly edited?: Readonly<Record<string, FieldValue | null>>
  /** Which terms its record asserts; undefined where nothing was settled yet. */
  readonly terms: readonly AssertedTerm[] | undefined
  /** The service no longer has the contact. */
  readonly gone: boolean
  /** The service merged another record of the pipeline into this contact. */
  readonly merged: boolean
  /** Its record is settled in no form: a change of it has not come to its end. */
  readonly isUnfinished?: true
}

/** The create of a key as it was sent; another key has the contact, or may have it. */
export interface MergedCreate {
  readonly contactId: number
  readonly fields: Contact
  readonly consent?: number
  readonly reason: string
}

/** What a record wants: its contact, and its terms where the pipeline has to do with them. */
export interface Desired {
  readonly contact: Contact
  readonly terms: readonly string[] | undefined
  /** Of the consent that its mail_status is; absent where the record has none. */
  readonly evidence?: ConsentEvidence
  /** Fields that it has no value for, and leaves to the next pipeline that owns them; absent where there are none. */
  readonly givesUp?: readonly string[]
}

/** What differs: changed fields, terms, and the mail_status, which is never among the fields. */
export interface Change {
  readonly fields: Contact
  readonly terms?: TermPlan
  readonly consent?: number
}

export interface FieldChange {
  readonly from: FieldValue | null
  readonly to: FieldValue
}

export type Difference =
  | { readonly kind: 'unchanged' }
  | ({ readonly kind: 'create' } & Change)
  | ({ readonly kind: 'update'; readonly contactId: number } & Change)
  /** The record waits behind an operation in doubt, and is taken up again once that is settled. */
  | { readonly kind: 'waiting' }
  /** `create`: as it was sent before. */
  | { readonly kind: 'held'; readonly reason: string; readonly create?: MergedCreate }
  | { readonly kind: 'rejected'; readonly code: ErrorCode; readonly reason: string }

export const GONE_REASON = 'the contact was deleted at the service; it is not created again automatically'

export function sameValue(left: FieldValue | undefined, right: FieldValue | undefined): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => item === right[index])
  return left === right
}

/** Whether the service accepts it, which has no blanks, as a new contact: a mail, or the full address (interface, 4.2). */
function isComplete(contact: Contact): boolean {
  return contact['mail'] !== undefined || FULL_ADDRESS_FIELDS.every((field) => contact[field] !== undefined)
}

/** Fields of `desired` that differ from what was last pushed, or that are `unsure`. */
export function changedFields(desired: Contact, known: Contact, unsure: readonly string[]): Contact {
  return Object.fromEntries(
    Object.entries(desired).filter(
      ([field, value]) => unsure.includes(field) || !sameValue(value, known[field]),
    ),
  )
}

/** Of edited fields, those for which the source wants something else by now: should the edit end, that is what is sent. */
const wantedAnew = (desired: Contact, edited: KnownLink['edited'] = {}): readonly string[] =>
  Object.entries(edited).flatMap(([field, before]) => {
    const value = desired[field]
    return value === undefined || sameValue(value, before ?? undefined) ? [] : [field]
  })

/** What was pushed before, overlaid with what is desired now: the next known state. */
export const nextKnown = (known: Contact, desired: Contact): Contact => ({ ...known, ...desired })

/** From and to of each field, as plan and audit show them. */
export function fieldChanges(fields: Contact, known: Contact): Readonly<Record<string, FieldChange>> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, to]) => [field, { from: known[field] ?? null, to }]),
  )
}

function missingText(contact: Contact): string {
  const missing = FULL_ADDRESS_FIELDS.filter((field) => contact[field] === undefined)
  return `the record has no valid e-mail address, and for a contact without one it lacks ${missing.join(', ')}; skip_without: [mail], or a condition in where, skips such records`
}

export const MERGED_IN_CALL_REASON =
  'the service returned one contact for two e-mail addresses of the same call: it merged them'

export const MERGED_REASON =
  'the service gave the contact of another key of this pipeline: it merged the two, and both are held until they can be distinguished'

type Rules = Pick<PipelineSettings, 'terms'>

/** mail_status is sent in a step of its own; its value decides when, and with what (see operation.ts). */
function change(fields: Contact, terms: TermPlan | undefined): Change {
  const ofTerms = terms === undefined ? {} : { terms }
  if (typeof fields['mail_status'] !== 'number') return { fields, ...ofTerms }
  const { mail_status: consent, ...others } = fields
  return { fields: others, ...ofTerms, consent }
}

/** Blanks are left out: a new contact has nothing to clear. The contact itself where it has none. */
function withoutBlanks(contact: Contact): Contact {
  const isBlank = (value: unknown): boolean => value === ''
  if (!Object.values(contact).some(isBlank)) return contact
  return Object.fromEntries(Object.entries(contact).filter(([, value]) => !isBlank(value)))
}

function creation(desired: Desired, rules: Rules): Difference {
  const fields = withoutBlanks(desired.contact)
  if (!isComplete(fields))
    return { kind: 'rejected', code: 'CONTACT_INCOMPLETE', reason: missingText(fields) }
  const terms = desired.terms && termPlan(desired.terms, undefined, rules.terms.policy)
  return { kind: 'create', ...change(fields, terms) }
}

/** Compares what one record wants with what is known of its key. */
export function difference(desired: Desired, known: Known, rules: Rules): Difference {
  // An earlier change of this person is still open: two at once could land in the wrong order.
  if (known.inDoubt) return { kind: 'waiting' }
  const { link } = known
  if (link === undefined) return creation(desired, rules)
  const fields = changedFields(desired.contact, link.fields, link.unsure)
  const terms = desired.terms && termPlan(desired.terms, link.terms, rules.terms.policy)
  // The source says what was already pushed.
  const isSame = Object.keys(fields).length === 0 && terms === undefined
  const givesUp = !link.gone && !link.merged && newlyGivenUp(desired.givesUp ?? [], link).length > 0
  if (isSame && !givesUp) return { kind: 'unchanged' }
  // The contact was deleted at the service: that may have been an erasure, so it is not created again.
  if (link.gone) return { kind: 'held', reason: GONE_REASON }
  // Two records share one contact: a change for one of them would also change the other.
  if (link.merged) return { kind: 'held', reason: MERGED_REASON }
  return { kind: 'update', contactId: link.contactId, ...change(fields, terms) }
}

/**
 * The same for a record of a source: what it has said of an edited field is noted also where that was sent before, and what it
 * gave up is sent again.
 */
export function recordDifference(
  desired: Desired,
  { known, said }: { readonly known: Known; readonly said: Contact },
  rules: Rules,
): Difference {
  const { link } = known
  const anew = link === undefined ? [] : [...wantedAnew(said, link.edited), ...takenBack(said, link)]
  if (link === undefined || anew.length === 0) return difference(desired, known, rules)
  return difference(desired, { ...known, link: { ...link, unsure: [...link.unsure, ...anew] } }, rules)
}
