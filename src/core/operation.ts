// One change on its way, and how it ended. The journal holds operations; nothing is sent that is not in it.
import type { Contact } from './contact.ts'
import type { ErrorCode } from './errors.ts'
import type { RequestTrace } from './ports.ts'
import type { Provenance } from './record.ts'

/**
 * planned: may be sent. sending: on its way, the outcome is not recorded yet. in_doubt: nobody can know without looking.
 * held: stopped, with a reason. failed: given up for a reason that is not the record's; tried again by the next run.
 * waiting: behind an operation in doubt of the same key.
 * Done and rejected operations leave the journal; the audit log keeps them.
 */
export type OperationState = 'planned' | 'sending' | 'in_doubt' | 'held' | 'failed' | 'waiting'

export interface Operation {
  readonly id: number
  readonly runId: string
  readonly pipeline: string
  readonly key: string
  readonly kind: 'create' | 'update'
  /** Known for updates. */
  readonly contactId: number | undefined
  /** The comparison form of the mail in `fields`, if there is one. */
  readonly mailKey: string | undefined
  /** What is sent, frozen when it was planned. */
  readonly fields: Contact
  /** The whole contact as the record wants it. */
  readonly desired: Contact
  /** What was last pushed; empty for a create. */
  readonly known: Contact
  readonly source: Provenance
  readonly state: OperationState
  /** Look-ups so far that did not find the contact (in doubt only). */
  readonly absentReads: number
  /** Not looked up or sent again before this time, in milliseconds since the epoch. */
  readonly notBefore: number
  readonly reason: string | undefined
}

export type Settlement =
  | { readonly kind: 'done'; readonly contactId: number; readonly adopted?: true }
  /** Nothing had to be sent: the merge method left no field over. */
  | { readonly kind: 'settled' }
  | { readonly kind: 'rejected'; readonly code: ErrorCode; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | {
      readonly kind: 'in_doubt'
      readonly reason: string
      readonly notBefore: number
      readonly absentReads?: number
    }
  | { readonly kind: 'held'; readonly reason: string; readonly gone?: true }

export interface Settled {
  readonly operation: Operation
  readonly settlement: Settlement
  /** Undefined where no request was made. */
  readonly request: RequestTrace | undefined
  /** The fields that were really sent, where the merge method allowed fewer than planned. */
  readonly sent?: Contact
}
