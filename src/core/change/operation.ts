// One change on its way, and how it ended. The journal holds operations; nothing is sent that is not in it.
import type { Contact } from '../mapping/contact.ts'
import type { ErrorCode } from '../words/errors.ts'
import type { ConsentEvidence } from '../mapping/values/consent.ts'
import type { Change, MergedCreate } from './diff.ts'
import type { HandEdit } from './others/hand-edits.ts'
import type { HeldWhy } from './waiting/held-why.ts'
import type { ResolvedKey } from './lookup/resolution.ts'
import type { OperationState } from './states.ts'
import type { RequestTrace } from '../ports.ts'
import type { Provenance } from '../mapping/record.ts'
import type { AssertedTerm, TermOutcome, TermPlan } from '../mapping/terms.ts'

/**
 * What an operation does next. A change goes in steps, each with its own request and its own entry in the sync log:
 * a mail_status of 1 or 2, which goes before anything else of a contact that is there; the contact (create, or update);
 * its terms, which need the contact's id; another mail_status, which may be raised only after a look at what it is now.
 * A delete stands alone, or takes back a create whose mail_status of 1 or 2 was not taken.
 */
export type OperationKind = 'create' | 'update' | 'terms' | 'consent' | 'delete'

/** What its record counts as once all steps are done. */
export type OperationOutcome = 'created' | 'updated' | 'unchanged'

export type Operation = CreateOperation | { [Kind in LinkedKind]: LinkedOperation<Kind> }[LinkedKind]

/** What a step does to a contact that is known by its id. */
export type LinkedKind = Exclude<OperationKind, 'create'>

export interface CreateOperation extends AnyOperation {
  readonly kind: 'create'
  /** The contact in question, where it is held because of one; of a planned one, the contact that was found for it. */
  readonly contactId: number | undefined
}

export interface LinkedOperation<Kind extends LinkedKind = LinkedKind> extends AnyOperation {
  readonly kind: Kind
  readonly contactId: number
}

interface AnyOperation {
  readonly id: number
  readonly runId: string
  readonly pipeline: string
  readonly key: string
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
  /** See Desired. */
  readonly givesUp?: readonly string[]
  /** Undefined where the terms stay as they are. */
  readonly terms: TermPlan | undefined
  /** What the ledger says of the record's terms; undefined where nothing was settled yet. */
  readonly asserted: readonly AssertedTerm[] | undefined
  /** The mail_status that is still to be set; undefined where it stays, or is set. */
  readonly consent: number | undefined
  /** What the record says about the consent that `consent` is; absent where it says nothing. */
  readonly evidence?: ConsentEvidence
  /** Its contact was surely made by its own create, and shows nothing yet of the mail_status (1 or 2) that it must have. */
  readonly isFresh: boolean
  /** The mail_status that a request of its create may have brought; undefined where none did. */
  readonly carried: number | undefined
  /** Of the steps done so far; undefined before the first. */
  readonly outcome: OperationOutcome | undefined
  /** missing: the record has gone from a full source; its source has no line then. */
  readonly cause: 'record' | 'missing'
  /** The run whose work it puts back, or DRIFT_REPAIR; undefined for what a record asks for. */
  readonly undoes: string | undefined
  readonly source: Provenance
  readonly state: OperationState
  /** How often a request of this step may have left. */
  readonly sent: number
  /** How often the service answered such a request as if it had taken it, without saying what it made of it. */
  readonly swallowed: number
  /** The guard that held it; undefined where it is not held, or for a reason of its own. */
  readonly guard: string | undefined
  /** It is held, and a person has released it: the next run sends it. */
  readonly isReleased?: true
  /** How many approvers must release it; 0 where it is not held for that. */
  readonly needed: number
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
  /** What `writes` leaves alone: it is not looked at again before its record changes. */
  | { readonly kind: 'skipped'; readonly reason: string }
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
  | {
      readonly kind: 'held'
      readonly reason: string
      readonly gone?: true
      readonly contactId?: number
      /** Its word, where the reason does not say it. */
      readonly why?: HeldWhy
    }

export interface Settled {
  readonly operation: Operation
  readonly settlement: Settlement
  /** Undefined where no request was made. */
  readonly request: RequestTrace | undefined
  /** The fields that were really sent, where the merge method allowed fewer than planned. */
  readonly sent?: Contact
  /** Planned fields that the update method kept back: the contact has other values, and the state does not take them for pushed. */
  readonly withheld?: readonly string[]
  /** What was found edited by hand among these fields, where the contact was looked at for that. */
  readonly merged?: { readonly judged: readonly string[]; readonly edits: readonly HandEdit[] }
  /** taken: the contact shows the mail_status that was sent. ignored: it was not set, so it must not be known as pushed. */
  readonly status?: 'taken' | 'ignored'
  /** Of a create: see Operation. */
  readonly isFresh?: true
  /** Of a create: a contact that it was merged into has kept the values that it had. */
  readonly onlyAdds?: true
  /** Of a create: a contact that it was merged into was given no value where it had none. */
  readonly onlyOverwrites?: true
  /** Of the step `terms`. */
  readonly terms?: TermOutcome
  /** Of the step `terms` that failed: what was given by a request of it that was answered before. */
  readonly given?: readonly Pick<AssertedTerm, 'name' | 'ours'>[]
  readonly givenBy?: RequestTrace
  /** How its key was resolved, where that is made of fields. */
  readonly resolved?: ResolvedKey
  /** Until then (milliseconds since the epoch) an earlier request, which names the contact by its mail, may still land. */
  readonly openUntil?: number
}

/** A change as it is entered into the journal: planned, or behind what it has to wait for. */
export type StagedOperation =
  /** `contactId`: of the contact that was found for it, which is linked in place of being made. `reason`: why it will be in doubt. */
  | ({
      readonly state: 'planned'
      readonly kind: 'create'
      readonly contactId?: number
      readonly reason?: string
    } & Change)
  | ({
      readonly state: 'planned'
      readonly kind: 'update'
      readonly linkId: number
      readonly contactId: number
      readonly undoes?: string
    } & Change)
  /** Of a contact that the run to be undone created; its record may well be there. */
  | {
      readonly state: 'planned'
      readonly kind: 'delete'
      readonly linkId: number
      readonly contactId: number
      readonly undoes: string
    }
  | { readonly state: 'waiting' }
  /** A create that the service merged before. */
  | ({ readonly state: 'held'; readonly kind: 'create' } & MergedCreate)
  | {
      readonly state: 'held'
      readonly linkId: number
      readonly contactId: number
      readonly fields: Contact
      readonly reason: string
    }
