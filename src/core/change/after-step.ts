// What becomes of a change when a step of it has ended: its next step or its end, what is known of the contact from then on,
// and what the result counts as. The journal carries the decision out; this module changes nothing itself.
import { type Contact, contactMailKey } from '../mapping/contact.ts'
import { type AssertedTerm, termKey, type TermOutcome } from '../mapping/terms.ts'
import type { ErrorCode } from '../words/errors.ts'
import { MERGED_REASON, nextKnown } from './diff.ts'
import { givenUpMark, newlyGivenUp, takenBack } from './given-up.ts'
import type { Operation, OperationKind, OperationOutcome, Settled, Settlement } from './operation.ts'
import type { OperationState } from './states.ts'
import { consentLeft, fieldsLeft, nextStep, outcomeAfter, sendingOrder, stepFields } from './steps.ts'

/** What only the state can answer; asked where the answer matters. */
export interface Questions {
  /** Another key of the pipeline has this contact. */
  isAnothers(contactId: number): boolean
  /** A newer record of the key is planned, or open without a request on its way. */
  hasNewer(): boolean
  /** The newest full export lacks the record. */
  isMissing(): boolean
}

/** What is known of the contact from now on. */
export interface LinkAfter {
  readonly contactId: number
  readonly known: Contact
  readonly mailKey: string | undefined
  /** Whether the contact has that mail; a merge method may have kept it from being sent. */
  readonly bringsMail: boolean
  readonly unsure: readonly string[]
  readonly isFresh: boolean
  /** Undefined where the terms stay as they are. */
  readonly terms: TermOutcome | undefined
}

/** The next step of a change, planned for the run that took this one. */
export interface NextStep {
  readonly kind: OperationKind
  readonly contactId: number
  readonly mailKey: string | undefined
  readonly fields: Contact
  readonly consent: number | undefined
  readonly outcome: OperationOutcome
  readonly order: number
}

/** What the link had before the request left; undefined: stays unchanged. */
export interface Restored {
  readonly unsure?: readonly string[]
  /** null: nothing was settled then. */
  readonly terms?: readonly AssertedTerm[] | null
}

/** What was put aside, and why. */
export interface Parked {
  readonly state: Exclude<OperationState, 'planned' | 'sending' | 'waiting'>
  readonly reason: string
  readonly notBefore: number
  readonly absentReads: number
  /** The contact in question, where the operation itself names none. */
  readonly contactId: number | undefined
  /** One more answer that said nothing. */
  readonly isSwallowed: boolean
  /** The contact is gone at the service. */
  readonly isGone: boolean
}

export type AfterStep = {
  /** As it counts. */
  readonly settlement: Settlement
  /** As the sync log has it, where that is about the step and not about the record. */
  readonly logged: Settlement
} & (
  | {
      readonly kind: 'linked'
      readonly link: LinkAfter
      /** Undefined: it is done, and leaves the journal. */
      readonly next: NextStep | undefined
      /** Whether the record is settled in the form it came in; otherwise it is compared again when it is read. */
      readonly isSettled: boolean
    }
  | { readonly kind: 'parked'; readonly parked: Parked; readonly restored: Restored }
  | {
      readonly kind: 'rejected'
      readonly code: ErrorCode
      readonly reason: string
      readonly restored: Restored
    }
  /** What was done before is to be taken back: its contact is deleted next. */
  | {
      readonly kind: 'taken_back'
      readonly reason: string
      readonly order: number
      readonly restored: Restored
    }
  /** Nothing of it stays but that it was looked at. */
  | { readonly kind: 'passed' }
  /** Record and contact are gone: nothing of it stays but the sync log. */
  | { readonly kind: 'unlinked' }
  /** A create was taken back. It is tried again by the next run, unless the newest full export lacks its record. */
  | { readonly kind: 'retracted'; readonly reason: string; readonly isTriedAgain: boolean }
)

type Ended = Settled & { readonly settlement: Settlement & { kind: 'done' | 'settled' } }

/** The contact itself where it has none of them, which is the rule. */
function withoutFields(contact: Contact, fields: readonly string[]): Contact {
  if (!fields.some((field) => Object.hasOwn(contact, field))) return contact
  return Object.fromEntries(Object.entries(contact).filter(([field]) => !fields.includes(field)))
}

/** What a step that is done has settled of the contact: mail_status only where it was taken. */
function settledFields({ operation, settlement, sent, status, withheld }: Ended): Contact {
  const { kind, desired, consent, undoes } = operation
  if (kind === 'terms' || status === 'ignored') return {}
  if (kind === 'consent') return stepFields(operation)
  // What an undo restores field by field does not determine the other fields.
  if (undoes !== undefined) return sent ?? {}
  const others = withoutFields(desired, ['mail_status', ...(withheld ?? [])])
  // Found by its mail, and nothing was sent yet.
  if (kind === 'create' && settlement.kind === 'settled')
    return others['mail'] === undefined ? {} : { mail: others['mail'] }
  return status === 'taken' && consent !== undefined ? { ...others, mail_status: consent } : others
}

/** The look before an update, where edits are kept, has shown that the contact has this mail already. */
const hasMailAlready = ({ operation: { fields }, withheld, merged }: Settled): boolean =>
  merged !== undefined &&
  'mail' in fields &&
  withheld?.includes('mail') !== true &&
  !merged.edits.some(({ field }) => field === 'mail')

const bringsMail = (settled: Settled): boolean => {
  const { operation, sent } = settled
  if (operation.kind !== 'update') return operation.kind === 'create'
  return 'mail' in (sent ?? operation.fields) || hasMailAlready(settled)
}

/** Values of the contact that are unknown after the step: neither settled nor read and kept back. */
function stillUnsure({ operation, status, withheld }: Settled, settled: Contact): readonly string[] {
  const left = operation.unsure.filter(
    (field) => !Object.hasOwn(settled, field) && withheld?.includes(field) !== true,
  )
  // An ignored status is sent again once it can be set.
  return status === 'ignored' ? [...new Set([...left, 'mail_status'])] : left
}

/** The same with the marks of what the record gives up, and without those of what it has sent again, or was kept from sending. */
function withMarks(unsure: readonly string[], operation: Operation): readonly string[] {
  const { kind, fields, known, givesUp = [], undoes } = operation
  const back = kind === 'update' && undoes === undefined ? takenBack(fields, operation) : []
  const ended = back.map(givenUpMark)
  const given = newlyGivenUp(givesUp, { fields: known, unsure }).map(givenUpMark)
  return [...unsure.filter((name) => !ended.includes(name)), ...given]
}

function linkAfter(ended: Ended, contactId: number): LinkAfter {
  const fields = settledFields(ended)
  const known = nextKnown(ended.operation.known, fields)
  return {
    contactId,
    known,
    mailKey: contactMailKey(known),
    bringsMail: bringsMail(ended),
    unsure: withMarks(stillUnsure(ended, fields), ended.operation),
    isFresh: ended.isFresh === true,
    terms: ended.terms,
  }
}

function linked(ended: Ended, contactId: number, { hasNewer }: Questions): AfterStep {
  const { operation, settlement, status } = ended
  const link = linkAfter(ended, contactId)
  const outcome = outcomeAfter(operation, settlement)
  const counted = settlement.kind === 'settled' ? { ...settlement, outcome } : settlement
  const done = (as: Settlement, isSettled: boolean): AfterStep => ({
    ...{ kind: 'linked', link, next: undefined, isSettled },
    ...{ settlement: as, logged: as },
  })
  // Should a missing record come back, it is compared again.
  if (operation.cause === 'missing') return done(settlement, false)
  const kind = nextStep(operation, ended)
  // What an operator has put back is compared again with what the source says.
  if (kind === undefined) return done(counted, operation.undoes === undefined)
  // A newer record of the key has waited for this step: comparing it again shows what is left to do.
  if (hasNewer()) return done(counted, false)
  const fields = fieldsLeft(operation, settlement)
  const consent = consentLeft(operation, status)
  const mailKey = contactMailKey(fields)
  const next = { kind, contactId, mailKey, fields, consent, outcome, order: sendingOrder(kind, { consent }) }
  const as = { ...settlement, next: kind }
  // Between two steps the record is settled in no form: neither in the new one nor, any more, in the old one.
  return { kind: 'linked', link, next, isSettled: false, settlement: as, logged: as }
}

/**
 * A term that was given is known as given, so that it is not given a second time to a contact from which a user has taken it
 * since. Whether the others were taken is not known.
 */
function withGiven(
  { asserted = [], terms }: Operation,
  given: NonNullable<Settled['given']>,
): readonly AssertedTerm[] {
  const names = new Set(given.map(({ name }) => termKey(name)))
  const going = new Set((terms?.remove ?? []).map(termKey))
  const ours = (name: string): boolean =>
    asserted.some((term) => term.ours && termKey(term.name) === termKey(name))
  return [
    ...asserted
      .filter(({ name }) => !names.has(termKey(name)))
      .map((term) => (going.has(termKey(term.name)) ? { ...term, unsure: true } : term)),
    ...given.map((term) => ({ ...term, ours: term.ours || ours(term.name), shared: false, unsure: false })),
  ]
}

/** Nothing was applied: known again is what was known before the request left; with what an earlier request of it has given. */
function restored({ operation, given }: Settled): Restored {
  const { kind, unsure, asserted } = operation
  if (kind === 'update' || kind === 'consent') return { unsure }
  if (kind !== 'terms') return {}
  return { terms: given === undefined ? (asserted ?? null) : withGiven(operation, given) }
}

const PARKED = {
  notBefore: 0,
  absentReads: 0,
  contactId: undefined,
  isSwallowed: false,
  isGone: false,
} as const

function parkedAs(
  settlement: Settlement,
  parked: Pick<Parked, 'state' | 'reason'> & Partial<Parked>,
  back: Restored = {},
): AfterStep {
  const all = { ...PARKED, ...parked }
  return { kind: 'parked', parked: all, restored: back, settlement, logged: settlement }
}

/** A delete that takes back what its own create made, and nothing else. */
const isRetraction = ({ cause, undoes }: Operation): boolean => cause === 'record' && undoes === undefined

function deleted(
  { operation }: Settled,
  settlement: Settlement & { kind: 'done' },
  { isMissing }: Questions,
): AfterStep {
  if (!isRetraction(operation)) return { kind: 'unlinked', settlement, logged: settlement }
  const reason = settlement.reason ?? 'its create was reverted'
  return {
    ...{ kind: 'retracted', reason, isTriedAgain: !isMissing() },
    ...{ settlement: { kind: 'failed', reason }, logged: { ...settlement, next: 'create' } },
  }
}

/** A contact that another key of the pipeline has already: the service merged the two. */
function linkedUnlessMerged(ended: Ended, contactId: number, questions: Questions): AfterStep {
  if (!questions.isAnothers(contactId)) return linked(ended, contactId, questions)
  const settlement = { kind: 'held', reason: MERGED_REASON, contactId } as const
  return parkedAs(settlement, { state: 'held', reason: MERGED_REASON, contactId })
}

function failed(settled: Settled, settlement: Settlement & { kind: 'failed' }): AfterStep {
  const { reason } = settlement
  const isKnown = settlement.unknown !== true || settled.given !== undefined
  const back = isKnown ? restored(settled) : {}
  if (settlement.next === undefined) return parkedAs(settlement, { state: 'failed', reason }, back)
  const order = sendingOrder(settlement.next)
  return { kind: 'taken_back', reason, order, restored: back, settlement, logged: settlement }
}

/** An answer that the service gave as if it had carried the request out; what only looked carries nothing out. */
function isSwallowed({ request }: Settled): boolean {
  const { method = 'GET', status = 0 } = request ?? {}
  return method !== 'GET' && status >= 200 && status < 300
}

/** Only a create has none, and it is settled by the contact that was found for it. */
function contactOf({ id, contactId }: Operation): number {
  if (contactId === undefined) throw new Error(`operation ${id} is settled without a contact`)
  return contactId
}

export function afterStep(settled: Settled, questions: Questions): AfterStep {
  const { operation, settlement } = settled
  switch (settlement.kind) {
    case 'done':
      return operation.kind === 'delete'
        ? deleted(settled, settlement, questions)
        : linkedUnlessMerged({ ...settled, settlement }, settlement.contactId, questions)
    case 'settled':
      return settlement.contactId === undefined
        ? linked({ ...settled, settlement }, contactOf(operation), questions)
        : linkedUnlessMerged({ ...settled, settlement }, settlement.contactId, questions)
    case 'skipped':
      return { kind: 'passed', settlement, logged: settlement }
    case 'rejected': {
      const { code, reason } = settlement
      return { kind: 'rejected', code, reason, restored: restored(settled), settlement, logged: settlement }
    }
    case 'failed':
      return failed(settled, settlement)
    case 'in_doubt': {
      const { reason, notBefore, absentReads = 0 } = settlement
      const parked = { state: 'in_doubt', reason, notBefore, absentReads } as const
      return parkedAs(settlement, { ...parked, isSwallowed: isSwallowed(settled) })
    }
    case 'held': {
      const { reason, contactId, gone } = settlement
      return parkedAs(settlement, { state: 'held', reason, contactId, isGone: gone === true })
    }
  }
}
