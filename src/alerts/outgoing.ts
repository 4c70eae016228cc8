// The input and the result of one way of delivering messages.
import type { AlertMessage } from '../core/alerts/alert-message.ts'

/** A message with the name under which the receiver can recognise it when it comes twice. */
export type Outgoing = AlertMessage & { readonly id: string }

/** `reason`: for logs; holds neither address nor secret, nor what the receiver wrote. */
export type Delivery = { readonly delivered: true } | { readonly delivered: false; readonly reason: string }

export interface DeliverOptions {
  readonly timeoutMs: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly signal: AbortSignal
}
