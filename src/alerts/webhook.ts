// A message as a POST to a webhook, signed where there is a secret. Redirects are not followed: they could lead the
// message, and its signature, anywhere.
import { createHmac } from 'node:crypto'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import got, { RequestError } from 'got'
import { slackText } from '../core/alerts/alert-message.ts'
import type { Receiver } from '../core/alerts/receiver.ts'
import type { Delivery, DeliverOptions, Outgoing } from './outgoing.ts'

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
  const headers = { 'content-type': 'application/json', 'user-agent': 'contact-sync' }
  if (secret === undefined) return headers
  const timestamp = String(Math.floor(at / 1000))
  return {
    ...headers,
    'x-contact-sync-timestamp': timestamp,
    'x-contact-sync-signature': signature(secret, timestamp, body),
  }
}

/** The status of the answer; its body is never read. */
async function statusOf(receiver: Webhook, body: string, options: DeliverOptions): Promise<number> {
  const stream = got.stream.post(receiver.url, {
    body,
    headers: headersOf(receiver, body, options.at),
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    timeout: { request: options.timeoutMs },
    signal: options.signal,
  })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  stream.once('response', ({ statusCode }: { statusCode: number }) => resolve(statusCode))
  stream.on('error', reject)
  // A 101 is no response to got, and it would wait for one without end.
  stream.once('request', (request: ClientRequest) =>
    request.once('upgrade', (head: IncomingMessage, socket: Duplex) => {
      socket.destroy()
      resolve(head.statusCode ?? 101)
    }),
  )
  try {
    return await promise
  } finally {
    stream.destroy()
  }
}

export async function post(receiver: Webhook, message: Outgoing, options: DeliverOptions): Promise<Delivery> {
  try {
    const status = await statusOf(receiver, bodyOf(receiver.format, message), options)
    if (status >= 200 && status < 300) return { delivered: true }
    return { delivered: false, reason: `answered with ${status}` }
  } catch (error) {
    const code = error instanceof RequestError ? error.code : 'no code'
    return { delivered: false, reason: `no answer (${code})` }
  }
}
