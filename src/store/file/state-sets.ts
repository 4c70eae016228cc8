// Sets of states as conditions of SQL: which states a rule is about stands in core/change/states.ts alone.
import type { OperationState } from '../../core/change/states.ts'

/** `states` are names of our own, so they may stand in the text. */
export const isOneOf = (states: readonly OperationState[], column = 'state'): string =>
  `${column} IN (${states.map((state) => `'${state}'`).join(', ')})`

/** The same among what is not planned; served by the indexes that leave out what is. */
export const isOpenAs = (states: readonly OperationState[], column = 'state'): string =>
  `${column} <> 'planned' AND ${isOneOf(states, column)}`

/**
 * The operations that `operation_by_key` holds, word for word as there: all but creates that are planned or on their way,
 * of which there may be millions, and of whose keys nothing else is known.
 */
export const isKeyed = (row: string): string =>
  `(${row}.kind <> 'create' OR ${row}.state NOT IN ('planned', 'sending'))`

/** A change that empties the mail has none of its own. */
export const clearsMail = (row: string): string => `${row}.fields ->> '$.mail' = ''`

/** Beside `link`: a change after which the contact has another mail, or none. */
export const givesUpMail = (row: string): string => `(${row}.mail_key <> link.mail_key OR ${clearsMail(row)})`
