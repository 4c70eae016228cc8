// One attempt over HTTP and nothing more: no retry, no redirect, no waiting for a turn. It never rejects
// for what a network or a service does, and nothing of a URL, a body or the key leaves it but the answer.
import { Agent as HttpAgent } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, globalAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import got, { RequestError } from 'got'
import type { ServiceSettings } from '../core/settings.ts'
import { createOneATurn } from './one-a-turn.ts'
import type { Method } from './outcome.ts'
import type { AnswerHeaders } from './wait-hints.ts'

export interface HttpRequest {
  readonly method: Method
  readonly url: URL
  /** JSON text. */
  readonly body?: string
}

/** The body as far as it could be read; only an object or a list counts as JSON. */
type Body =
  { readonly kind: 'json'; readonly value: unknown } | { readonly kind: 'other' | 'broken' | 'oversized' }

export type Attempt =
  | { readonly answered: true; readonly status: number; readonly headers: AnswerHeaders; readonly body: Body }
  /** `sent`: the service may have got the request. `code`: as Node names the failure (ECONNREFUSED). */
  | { readonly answered: false; readonly sent: boolean; readonly code: string }

export interface Transport {
  send(request: HttpRequest): Promise<Attempt>
  /**
   * Resolves when what came back, about so many records, may be worked on: answers that came together follow one another
   * (one-a-turn.ts).
   */
  handOver?(records: number): Promise<void>
  close(): void
}

const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024
const CONNECT_MS = 10_000
// Most servers close an idle connection after 5 s or more. Closing it first makes it rare that a
// request meets a connection that is just being closed, and it is unknown whether it arrived.
const IDLE_MS = 4_000

/** Opens connections to the service as they are needed and keeps them for the next request. */
export function createTransport(settings: Pick<ServiceSettings, 'api_key' | 'timeout'>): Transport {
  const kept = { keepAlive: true, timeout: IDLE_MS }
  // Unencrypted requests stay on this machine. Others go through a proxy of the environment where Node itself is told to use it
  // (NODE_USE_ENV_PROXY): a tunnel, which hands over its socket only when it is secured.
  const { proxyEnv } = globalAgent.options
  const agents = {
    http: new HttpAgent(kept),
    https: new HttpsAgent(proxyEnv === undefined ? kept : { ...kept, proxyEnv }),
  }
  const client = got.extend({
    agent: agents,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    timeout: {
      request: settings.timeout,
      lookup: CONNECT_MS,
      connect: CONNECT_MS,
      secureConnect: CONNECT_MS,
    },
    headers: {
      authorization: `Bearer ${settings.api_key}`,
      accept: 'application/json',
      'user-agent': 'contact-sync',
    },
  })
  return {
    send: (request) => attempt(client, request),
    handOver: createOneATurn(),
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

interface Head {
  readonly statusCode: number
  readonly headers: AnswerHeaders
}

async function attempt(client: typeof got, request: HttpRequest): Promise<Attempt> {
  const seen: { sent: boolean; head?: Head } = { sent: false }
  const stream = client.stream(request.url, {
    method: request.method,
    ...(request.body === undefined
      ? {}
      : { body: request.body, headers: { 'content-type': 'application/json' } }),
  })
  stream.once('request', (outgoing) => {
    const sending = outgoing as ClientRequest
    watchSending(sending, () => (seen.sent = true))
    watchEnd(sending, (head) => {
      if (head !== undefined) seen.head = head
      stream.destroy(new Error('ended without an answer'))
    })
  })
  stream.once('response', (head) => (seen.head = head as Head))
  // A DELETE may have a body, so the stream would wait for one.
  if (request.method === 'DELETE') stream.end()
  try {
    const body = await readBody(stream)
    return seen.head === undefined ? lost(seen.sent, undefined) : answer(seen.head, body)
  } catch (error) {
    return seen.head === undefined ? lost(seen.sent, error) : answer(seen.head, { kind: 'broken' })
  }
}

/**
 * Calls back when a byte of the request may leave this machine: when a new connection stands (with TLS:
 * when it is secured), or at once where a kept connection is used.
 */
function watchSending(request: ClientRequest, sending: () => void): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return sending()
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', sending)
  })
}

/**
 * Calls back where a request ends and got would wait without end: with the head of a 101, whose connection speaks another
 * protocol from then on, or with nothing where it closed without answer and without error.
 */
function watchEnd(request: ClientRequest, ended: (head?: Head) => void): void {
  let isTold = false
  const tell = (): void => void (isTold = true)
  request.once('response', tell)
  request.once('error', tell)
  request.once('upgrade', ({ statusCode = 101, headers }: IncomingMessage, socket: Duplex) => {
    tell()
    socket.destroy()
    ended({ statusCode, headers })
  })
  request.once('close', () => {
    if (!isTold) ended()
  })
}

async function readBody(stream: AsyncIterable<Uint8Array>): Promise<Body> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.byteLength
    // Leaving the loop closes the connection: the rest of an endless answer is never fetched.
    if (bytes > LARGEST_ANSWER_BYTES) return { kind: 'oversized' }
    chunks.push(chunk)
  }
  return parsed(Buffer.concat(chunks).toString('utf8'))
}

function parsed(text: string): Body {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null ? { kind: 'json', value } : { kind: 'other' }
  } catch {
    return { kind: 'other' }
  }
}

function answer(head: Head, body: Body): Attempt {
  return { answered: true, status: head.statusCode, headers: head.headers, body }
}

function lost(sent: boolean, error: unknown): Attempt {
  const code = error instanceof RequestError ? error.code : ''
  return { answered: false, sent, code: /^[A-Z][A-Z0-9_]{1,50}$/.test(code) ? code : 'no code' }
}
