// One change on its way, and how it ended. The journal holds operations; nothing is sent that is not in it.
import type { Contact } from '../mapping/contact.ts'
import type { ErrorCode } from '../words/errors.ts'
import { isWithdrawn } from './permission.ts'
import type { RequestTrace } from '../ports.ts'
import type { Provenance } from '../mapping/record.ts'
import type { AssertedTerm, TermOutcome, TermPlan } from '../mapping/terms.ts'

/**
 * planned: may be sent. sending: on its way, the outcome is not recorded yet. in_doubt: nobody can know without looking.
 * held: stopped, with a reason. failed: given up for a reason that is not the record's; tried again by the next run.
 * waiting: behind an operation in doubt of the same key.
 * Done and rejected operations leave the journal; the audit log keeps them.
 */
export type OperationState = 'planned' | 'sending' | 'in_doubt' | 'held' | 'failed' | 'waiting'

/**
 * What an operation does next. A change goes in steps, each with its own request and its own entry in the sync log:
 * a mail_status of 1 or 2, which goes before anything else of a contact that is there; the contact (create, or update);
 * its terms, which need the contact's id; another mail_status, which may be raised only after a look at what it is now.
 * A delete stands alone, or takes back a create whose mail_status of 1 or 2 was not taken.
 */
export type OperationKind = 'create' | 'update' | 'terms' | 'consent' | 'delete'

/** What its record counts as once all steps are done. */
export type OperationOutcome = 'created' | 'updated' | 'unchanged'

export interface Operation {
  readonly id: number
  readonly runId: string
  readonly pipeline: string
  readonly key: string
  readonly kind: OperationKind
  /** Known for all but creates. */
  readonly contactId: number | undefined
  /** The comparison form of the mail in `fields`, if there is one. */
  readonly mailKey: string | undefined
  /** What is sent, frozen when it was planned. */
  readonly fields: Contact
  /** The whole contact as the record wants it. */
  readonly desired: Contact
  /** What was last pushed; empty for a create. */
  readonly known: Contact
  /** Fields of the link that an earlier request left in the dark (see KnownLink). */
  readonly unsure: readonly string[]
  /** Undefined where the terms stay as they are. */
  readonly terms: TermPlan | undefined
  /** What the ledger says of the record's terms; undefined where nothing was settled yet. */
  readonly asserted: readonly AssertedTerm[] | undefined
  /** The mail_status that is still to be set; undefined where it stays, or is set. */
  readonly consent: number | undefined
  /** Its contact was surely made by its own create, and shows nothing yet of the mail_status (1 or 2) that it must have. */
  readonly isFresh: boolean
  /** The mail_status that a request of its create may have brought; undefined where none did. */
  readonly carried: number | undefined
  /** Of the steps done so far; undefined before the first. */
  readonly outcome: OperationOutcome | undefined
  /** missing: the record has gone from a full source; its source has no line then. */
  readonly cause: 'record' | 'missing'
  /** The run whose work it puts back; undefined for what a record asks for. */
  readonly undoes: string | undefined
  readonly source: Provenance
  readonly state: OperationState
  /** How often a request of this step may have left. */
  readonly sent: number
  /** How often the service answered such a request as if it had taken it, without saying what it made of it. */
  readonly swallowed: number
  /** The guard that held it; undefined where it is not held, or for a reason of its own. */
  readonly guard: string | undefined
  /** Look-ups so far that did not find the contact (in doubt only). */
  readonly absentReads: number
  /** Not looked up or sent again before this time, in milliseconds since the epoch. */
  readonly notBefore: number
  readonly reason: string | undefined
}

export type Settlement =
  | {
      readonly kind: 'done'
      readonly contactId: number
      readonly adopted?: true
      /** How it is known, where not by its own answer. */
      readonly reason?: string
      readonly next?: OperationKind
    }
  /**
   * Nothing had to be sent: the merge method left no field over, or the terms were as wanted. `contactId`: the contact of a
   * create was there already, and is linked instead of being created.
   */
  | {
      readonly kind: 'settled'
      readonly contactId?: number
      readonly outcome?: OperationOutcome
      readonly reason?: string
      readonly next?: OperationKind
    }
  | { readonly kind: 'rejected'; readonly code: ErrorCode; readonly reason: string }
  /** `unknown`: it may have been applied all the same. `next`: what was done before must be taken back. */
  | { readonly kind: 'failed'; readonly reason: string; readonly unknown?: true; readonly next?: 'delete' }
  | {
      readonly kind: 'in_doubt'
      readonly reason: string
      readonly notBefore: number
      readonly absentReads?: number
    }
  /** `contactId`: the contact in question, where the operation itself knows none. */
  | { readonly kind: 'held'; readonly reason: string; readonly gone?: true; readonly contactId?: number }

export interface Settled {
  readonly operation: Operation
  readonly settlement: Settlement
  /** Undefined where no request was made. */
  readonly request: RequestTrace | undefined
  /** The fields that were really sent, where the merge method allowed fewer than planned. */
  readonly sent?: Contact
  /** Planned fields that the update method kept back: the contact has other values, and the state does not take them for pushed. */
  readonly withheld?: readonly string[]
  /** taken: the contact shows the mail_status that was sent. ignored: it was not set, so it must not be known as pushed. */
  readonly status?: 'taken' | 'ignored'
  /** Of a create: see Operation. */
  readonly isFresh?: true
  /** Of the step `terms`. */
  readonly terms?: TermOutcome
  /** It failed, and a request of it before that was carried out. */
  readonly partly?: true
  /** Until then (milliseconds since the epoch) an earlier request, which names the contact by its mail, may still land. */
  readonly openUntil?: number
}

/** What a step sends of the contact itself. A create carries a mail_status of 1 or 2 with it, and any other that it was given. */
export function stepFields({
  kind,
  fields,
  consent,
  carried,
}: Pick<Operation, 'kind' | 'fields' | 'consent' | 'carried'>): Contact {
  if (kind !== 'consent') {
    const goesAlong = isWithdrawn(consent) ? consent : carried
    const status = kind === 'create' ? goesAlong : undefined
    return status === undefined ? fields : { ...fields, mail_status: status }
  }
  return consent === undefined ? {} : { mail_status: consent }
}

/** The mail_status that is left to be set after this step. */
export const consentLeft = (
  { kind, consent }: Pick<Operation, 'kind' | 'consent'>,
  status: Settled['status'],
): number | undefined => (kind === 'consent' || status === 'taken' ? undefined : consent)

/** The fields that are left to be sent after this step: those of a change that begins with its mail_status. */
export const fieldsLeft = (
  { kind, fields }: Pick<Operation, 'kind' | 'fields'>,
  settlement: Settlement,
): Contact => {
  const isLinked = settlement.kind === 'settled' && settlement.contactId !== undefined
  return kind === 'consent' || isLinked ? fields : {}
}

/** The step after this one; undefined after the last. */
export function nextStep(
  operation: Pick<Operation, 'kind' | 'fields' | 'terms' | 'consent'>,
  { settlement, status }: Pick<Settled, 'settlement' | 'status'>,
): OperationKind | undefined {
  const { kind, consent, terms } = operation
  const left = consentLeft(operation, status)
  if (isWithdrawn(left)) return 'consent'
  // Any other mail_status is the last step.
  if (kind === 'consent' && !isWithdrawn(consent)) return undefined
  if (kind === 'consent' && Object.keys(fieldsLeft(operation, settlement)).length > 0) return 'update'
  if (kind !== 'terms' && terms !== undefined) return 'terms'
  return left === undefined ? undefined : 'consent'
}

/** What the record counts as after a step that ended as `settlement`. */
export function outcomeAfter(
  operation: Pick<Operation, 'kind' | 'outcome'>,
  settlement: { readonly kind: 'done' | 'settled' },
): OperationOutcome {
  if (operation.outcome === 'created' || (settlement.kind === 'done' && operation.kind === 'create'))
    return 'created'
  return settlement.kind === 'done' ? 'updated' : (operation.outcome ?? 'unchanged')
}
