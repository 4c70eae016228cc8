// What the state remembers of alerts: what each receiver was told, and the messages that it has not taken yet.
import type { AlertChanges, PendingMessage, RaisedAlert } from './alert-changes.ts'
import type { AlertMessage } from './alert-message.ts'
import type { ConditionKey } from './alert-rules.ts'

/** A message on its way to a receiver. */
export interface QueuedMessage {
  readonly id: number
  readonly receiver: string
  readonly message: AlertMessage
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly attempts: number
}

/** What a receiver was told of and still holds, and what it has not taken yet; `receiver`: its name for readers. */
export interface ReceiverStanding {
  readonly receiver: string
  readonly raised: readonly RaisedAlert[]
  readonly pending: readonly PendingMessage[]
}

/** Receivers are named by their ids (AlertSettings). */
export interface AlertStore {
  /** By name, whether or not they are configured: what was told of one that is not, is not over. */
  knownPipelines(): Promise<readonly string[]>
  alertsOf(
    receiver: string,
  ): Promise<{ readonly raised: readonly RaisedAlert[]; readonly pending: readonly PendingMessage[] }>
  /** What is raised, what no longer is, and the messages about it: all or nothing. */
  changeAlerts(
    receiver: string,
    changes: Omit<AlertChanges, 'messages'> & {
      readonly messages: readonly (ConditionKey & { readonly message: AlertMessage })[]
    },
    at: number,
  ): Promise<void>
  /** Drops what belongs to receivers that are not configured any more. */
  keepReceivers(receivers: readonly string[]): Promise<void>
  /** Messages that may be sent now, oldest first. */
  dueMessages(at: number): Promise<readonly QueuedMessage[]>
  /** When the next message may be sent; undefined: none waits. */
  nextMessageAt(): Promise<number | undefined>
  dropMessage(id: number): Promise<void>
  postponeMessage(id: number, notBefore: number): Promise<void>
  /** How many messages wait, and for how many pipelines each condition is raised at any receiver. */
  alertFigures(): Promise<{
    readonly undelivered: number
    readonly raised: ReadonlyMap<string, number>
  }>
}
