// One POST of a JSON body, once. Redirects are not followed: they could lead the body, and its signature, anywhere.
import { Agent, type ClientRequest, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import got, { RequestError } from 'got'
import type { Delivery, DeliverOptions } from './outgoing.ts'

interface Posted {
  readonly url: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The status of the answer; its body is never read. */
async function statusOf(
  { url, body, headers }: Posted,
  { timeoutMs, signal }: DeliverOptions,
): Promise<number> {
  const stream = got.stream.post(url, {
    body,
    // Unencrypted to this machine alone: a proxy of the environment (NODE_USE_ENV_PROXY) would take it elsewhere.
    agent: { http: new Agent() },
    headers: { 'content-type': 'application/json', 'user-agent': 'contact-sync', ...headers },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    timeout: { request: timeoutMs },
    signal,
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

/** Never rejects for what a network or a receiver does. */
export async function postJson(posted: Posted, options: DeliverOptions): Promise<Delivery> {
  try {
    const status = await statusOf(posted, options)
    if (status >= 200 && status < 300) return { delivered: true }
    return { delivered: false, reason: `answered with ${status}` }
  } catch (error) {
    const code = error instanceof RequestError ? error.code : 'no code'
    return { delivered: false, reason: `no answer (${code})` }
  }
}
