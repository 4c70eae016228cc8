// What a step asks about other records just before it is sent: whose contact it is, whose mail, whose terms, and what may
// still be on its way to it. Part of the state (see state.ts).
import type { Contact } from './mapping/contact.ts'
import type { Operation } from './change/operation.ts'

export interface OtherRecords {
  /** Whether another pipeline, or a record that was merged into it, names the operation's contact, or may name it. */
  isNamedElsewhere(operation: Operation): Promise<boolean>
  /**
   * Those of the contacts that other keys of the operation's pipeline have; and those that other pipelines have, with what
   * they last sent.
   */
  contactsOfOthers(
    operation: Pick<Operation, 'pipeline' | 'key'>,
    contactIds: readonly number[],
  ): Promise<{
    readonly here: readonly number[]
    readonly elsewhere: ReadonlyMap<number, Contact>
  }>
  /**
   * Whether another pipeline has a create with the operation's mail that is on its way, in doubt, or to be sent again; or one
   * without a mail that may have been carried out.
   */
  isCreatedElsewhere(operation: Operation): Promise<boolean>
  /** By operation: which other key of its pipeline has its mail at this moment, and whether that one is about to change it. */
  mailOwners(
    operations: readonly Operation[],
  ): Promise<ReadonlyMap<number, { readonly key: string; readonly isMoving: boolean }>>
  /** By operation: another key of its pipeline whose create with its mail is in doubt, and the mail_status that it carried. */
  mailDoubts(
    operations: readonly Operation[],
  ): Promise<ReadonlyMap<number, { readonly key: string; readonly carried: number | undefined }>>
  /** Terms that other records, of any pipeline, assert for the operation's contact. */
  termsOfOthers(operation: Operation): Promise<readonly string[]>
  /** Those of the updates whose contact alone, over all pipelines, has its mail. */
  withMailOfTheirOwn(operations: readonly Operation[]): Promise<ReadonlySet<number>>
  /** Until when (milliseconds since the epoch) a lost request may still reach this contact by its mail; 0: none. */
  openUntil(contactId: number): Promise<number>
}
