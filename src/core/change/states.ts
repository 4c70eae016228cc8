// The states of a change that is not done, and the sets of states that rules are made of. The store builds
// its queries from these sets.

/**
 * planned: may be sent. sending: on its way, the outcome is not recorded yet. in_doubt: the outcome is unknown without a look.
 * held: stopped, with a reason. failed: given up for a reason that is not the record's; tried again by the next run.
 * waiting: behind an operation in doubt of the same key.
 * Done and rejected operations leave the journal; the sync log keeps them.
 */
export const OPERATION_STATES = ['planned', 'sending', 'in_doubt', 'held', 'failed', 'waiting'] as const
export type OperationState = (typeof OPERATION_STATES)[number]

/** A request of it may have been applied, and its outcome is not recorded. */
export const UNCERTAIN = ['sending', 'in_doubt'] as const satisfies readonly OperationState[]

/** Gives way to a newer record of its key. */
export const OVERTAKABLE = ['failed', 'waiting', 'held'] as const satisfies readonly OperationState[]

/** None of its requests is on its way or unaccounted for. */
export const SETTLED_SO_FAR = ['planned', ...OVERTAKABLE] as const satisfies readonly OperationState[]

/** Retried automatically by the next run, after a new comparison. */
export const RETRIED = ['failed', 'waiting'] as const satisfies readonly OperationState[]

/** Of a delete whose record is missing: judged again by each full export. */
export const JUDGED_AGAIN = ['failed', 'held'] as const satisfies readonly OperationState[]

/** Its record has no outcome yet in this run. */
export const REMAINING = ['planned', 'sending'] as const satisfies readonly OperationState[]
