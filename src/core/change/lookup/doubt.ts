// What to do about a create with an unknown outcome, given what a look-up by mail shows.
// Rule: adopt what is surely ours, repeat only what is surely not there, else leave it to a person.
import type { Contact } from '../../mapping/contact.ts'
import { looksLike, resembles, showsPart } from './likeness.ts'
import type { Marker } from './marker.ts'
import type { HouseholdFields } from '../../mapping/values/household.ts'
import type { MergeMethod } from '../merge-method.ts'
import { sameOfHousehold, severalText } from './resolution.ts'
import type { Operation } from '../operation.ts'
import type { MailLookup, ServiceContact } from '../../ports.ts'

export type DoubtStep =
  | { readonly kind: 'adopt'; readonly contactId: number }
  /** Not there now: look again after the quiesce, and send again when it was missing often enough. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unclear'; readonly reason: string }

export type CheckMethod = 'auto' | 'email' | 'none'

/** How the create was sent. */
export interface SentAs {
  readonly check: CheckMethod
  readonly merge: MergeMethod
  /** Undefined where no marker field is configured. */
  readonly marker: Marker | undefined
  /** Where the key is made of fields: these. */
  readonly household?: HouseholdFields | undefined
  /** What records of other pipelines that have one of the contacts found last sent to it, by its id. */
  readonly ofOthers: ReadonlyMap<number, Contact>
}

/** After so many empty answers that say "done", the service is taken to discard this very contact. */
const MOST_SWALLOWED = 3
/** Lines and services fail, but not as often as this for one contact. */
const MOST_SENDS = 20

/** Whether only an operator can find out why a create never arrives; each time it was sent, its absence had been seen. */
const isLostForGood = ({ sent, swallowed }: { readonly sent: number; readonly swallowed: number }): boolean =>
  swallowed >= MOST_SWALLOWED || sent >= MOST_SENDS

/** Under check `email` a create with a mail may be sent again: the service merges it into the first (interface, 4.2). */
export const isRepeatable = (contact: Contact, check: CheckMethod): boolean =>
  check === 'email' && typeof contact['mail'] === 'string' && contact['mail'] !== ''

const mayBeThere = (sent: Contact, found: readonly ServiceContact[], { ofOthers }: SentAs): boolean =>
  found.some((contact) => resembles(sent, contact, ofOthers.get(contact.id)))

/** What the marker alone settles; undefined where it decides nothing. */
function markedStep(sent: Contact, found: readonly ServiceContact[], as: SentAs): DoubtStep | undefined {
  const { check, merge, marker } = as
  if (marker === undefined) return undefined
  const ours = found.filter(({ fields }) => fields[marker.key] === marker.text)
  const [only] = ours
  if (ours.length > 1)
    return {
      kind: 'unclear',
      reason: `${ours.length} contacts at the service carry the marker of this operation`,
    }
  if (only !== undefined) return { kind: 'adopt', contactId: only.id }
  // What another pipeline merged into it since has taken its marker away.
  if (check === 'none' && as.ofOthers.size > 0 && mayBeThere(sent, found, as)) return undefined
  // A merge overwrites the marker of a contact that was there, unless it may not overwrite or not add.
  return check === 'none' || merge === 'update_add' ? { kind: 'absent' } : undefined
}

/** What a person says of a doubt; the operation keeps it as its reason. */
export const NOT_DONE_REASON = 'resolved as not done by an operator; it is tried again'

/**
 * No contact shows the mail that was sent. A service may have changed it on the way in (blanks, dots), so a contact of another
 * mail that shows part of what was sent beside it may be ours. Under `email` the service itself would find it again.
 */
function withoutMatch(sent: Contact, others: readonly ServiceContact[], { check }: SentAs): DoubtStep {
  const [like] = check === 'email' ? [] : others.filter((contact) => showsPart(sent, contact))
  if (like === undefined) return { kind: 'absent' }
  return {
    kind: 'unclear',
    reason: `the look-up returned contact ${like.id} with another e-mail address, which shows part of what was sent`,
  }
}

/** A contact with all fields of the key is the person, whatever else it shows by now; one without them is someone else. */
function householdStep(
  sent: Contact,
  { contacts, others }: MailLookup,
  household: HouseholdFields,
  as: SentAs,
): DoubtStep {
  const [only, ...more] = sameOfHousehold(sent, contacts, household)
  if (only === undefined) return withoutMatch(sent, others, as)
  return more.length === 0
    ? { kind: 'adopt', contactId: only.id }
    : { kind: 'unclear', reason: severalText(more.length + 1, household) }
}

/** `found`: what the look-up by the mail that was sent brought, without those that are known to be another record's. */
export function doubtStep(sent: Contact, { contacts: found, others }: MailLookup, as: SentAs): DoubtStep {
  if (found.length === 0) return withoutMatch(sent, others, as)
  const marked = markedStep(sent, found, as)
  if (marked !== undefined) return marked
  if (as.household !== undefined) return householdStep(sent, { contacts: found, others }, as.household, as)
  // The service itself picks one of them for a merge, and the answer does not say which.
  if (as.check === 'email' && found.length > 1)
    return { kind: 'unclear', reason: `the service has ${found.length} contacts with this e-mail address` }
  const alike = found.filter((contact) => looksLike(sent, contact))
  const [only] = alike
  if (alike.length > 1)
    return { kind: 'unclear', reason: `${alike.length} contacts at the service look exactly like it` }
  if (only !== undefined) return { kind: 'adopt', contactId: only.id }
  // Others share the mail. Under `none` they have nothing to do with ours, unless one is ours and was changed meanwhile;
  // otherwise ours may have been merged into one.
  if (as.check === 'none' && !mayBeThere(sent, found, as)) return withoutMatch(sent, others, as)
  return {
    kind: 'unclear',
    reason: 'the service has contacts with this e-mail address, and none of them shows all that was sent',
  }
}

/** All that the decision about a doubt depends on. */
export interface DoubtFacts {
  readonly operation: Pick<Operation, 'sent' | 'swallowed' | 'absentReads' | 'notBefore'>
  /** What the look-up brought; undefined where the service gave no usable answer. */
  readonly seen: { readonly step: DoubtStep; readonly matches: number } | undefined
  /** It may be sent again: the service would merge it into the first. */
  readonly isRepeatable: boolean
  /** Its absence alone is proof enough to send it again. */
  readonly mayResend: boolean
  /** Its mail_status is known not to be taken, so it would not be sent. */
  readonly isHopeless: boolean
  /** Another key of the pipeline that has its mail, or may have it since an answer was lost. */
  readonly owner: string | undefined
  readonly isStopped: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type DoubtDecision =
  | { readonly kind: 'adopt'; readonly contactId: number }
  | { readonly kind: 'resend' }
  /** It stays in doubt. `absentReads`: how often it was missing by now. */
  | { readonly kind: 'park'; readonly reason: string; readonly absentReads: number }

const lostText = (sent: number): string =>
  `it was sent ${sent === 1 ? 'once' : `${sent} times`}, but the service never showed it; it is not sent again automatically`

const ownedText = (key: string): string =>
  `the look-up did not find it, and it is not sent again while key ${key} of this pipeline has its e-mail address, or may have it since an answer was lost`

function waitingText({ operation, isRepeatable: isSafe, owner, seen }: DoubtFacts): string {
  if (isLostForGood(operation)) return lostText(operation.sent)
  return isSafe && owner !== undefined && seen?.step.kind === 'absent'
    ? ownedText(owner)
    : 'no look-up has settled it yet'
}

function mayGoAgain(facts: DoubtFacts, { step, matches }: NonNullable<DoubtFacts['seen']>): boolean {
  // With several of that mail the service would pick one; it is unknown whether the first request picked the same.
  const isSafe = facts.isRepeatable && matches < 2
  if (isSafe && facts.owner !== undefined) return false
  return (isSafe && !facts.isHopeless) || (step.kind === 'absent' && facts.mayResend)
}

/** Adopts the contact that is certainly ours, sends again where that cannot create a duplicate, else leaves it in doubt. */
export function doubtDecision(facts: DoubtFacts): DoubtDecision {
  const { operation, seen, isStopped, now } = facts
  if (seen?.step.kind === 'adopt') return seen.step
  if (seen !== undefined && !isStopped && !isLostForGood(operation) && mayGoAgain(facts, seen))
    return { kind: 'resend' }
  const reason = seen?.step.kind === 'unclear' ? seen.step.reason : waitingText(facts)
  const isCounted = seen?.step.kind === 'absent' && now >= operation.notBefore
  return { kind: 'park', reason, absentReads: operation.absentReads + (isCounted ? 1 : 0) }
}
