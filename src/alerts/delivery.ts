// Sends one message, once: to a webhook or by mail. The caller decides what happens after a failure.
import type { Receiver } from '../core/alerts/receiver.ts'
import type { DeliverOptions, Delivery, Outgoing } from './outgoing.ts'

/** Sends it once; never rejects for what a network or a receiver does. Mail is loaded when it is first sent. */
export async function deliver(
  receiver: Receiver,
  message: Outgoing,
  options: DeliverOptions,
): Promise<Delivery> {
  if (receiver.kind === 'webhook') return (await import('./webhook.ts')).post(receiver, message, options)
  return (await import('./mail.ts')).mail(receiver, message, options)
}

/** How a receiver is named in logs and lists: without its credentials. */
export function receiverName(receiver: Receiver): string {
  if (receiver.kind === 'webhook') return `webhook ${new URL(receiver.url).host}`
  return `mail by ${receiver.host}`
}
