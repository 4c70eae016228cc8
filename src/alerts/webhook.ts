// A message as a POST to a webhook, signed where there is a secret.
import { createHmac } from 'node:crypto'
import { slackText } from '../core/alerts/alert-message.ts'
import type { Receiver } from '../core/alerts/receiver.ts'
import type { Delivery, DeliverOptions, Outgoing } from './outgoing.ts'
import { postJson } from './posting.ts'

type Webhook = Extract<Receiver, { kind: 'webhook' }>

/**
 * The signature of a body: `v1=` and the HMAC-SHA256, in hexadecimal, of the time in seconds, a dot and the body, so
 * that an old message cannot be replayed by others.
 */
function signature(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`
}

function bodyOf(format: Webhook['format'], message: Outgoing): string {
  return JSON.stringify(format === 'slack' ? { text: slackText(message) } : message)
}

function headersOf({ secret }: Webhook, body: string, at: number): Record<string, string> {
  if (secret === undefined) return {}
  const timestamp = String(Math.floor(at / 1000))
  return {
    'x-contact-sync-timestamp': timestamp,
    'x-contact-sync-signature': signature(secret, timestamp, body),
  }
}

export async function post(receiver: Webhook, message: Outgoing, options: DeliverOptions): Promise<Delivery> {
  const body = bodyOf(receiver.format, message)
  return postJson({ url: receiver.url, body, headers: headersOf(receiver, body, options.at) }, options)
}
