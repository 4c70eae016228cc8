// One attempt of one request: no retry, no redirect, a total time limit, a cap on the answer.
// The only file that knows got, and the only one that sees the key.
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import got, { type Got, HTTPError, RequestError } from 'got'
import type { ServiceSettings } from '../core/settings.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Segments after `/public/api/<version>/`, not yet encoded. */
  readonly segments: readonly string[]
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type HttpAttempt =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      /** Undefined where the body is no JSON. */
      readonly body: unknown
      readonly isJson: boolean
      /** The host that a redirect names. */
      readonly redirectHost: string | undefined
    }
  /** No answer. `sent`: at least a part of the request may have reached the service. */
  | { readonly kind: 'failure'; readonly sent: boolean; readonly code: string }
  | { readonly kind: 'oversized' }

/** Decoded bytes: no answer of the interface comes near it. */
const LARGEST_ANSWER = 8 * 1024 * 1024

/** Before a connection stands, nothing can have been sent. */
const BEFORE_SENDING = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
])

const isTlsFailure = (code: string): boolean =>
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|EPROTO)/.test(code)

function failure(error: unknown): HttpAttempt {
  const code = error instanceof RequestError ? error.code : 'UNKNOWN'
  const connecting =
    error instanceof RequestError &&
    'event' in error &&
    ['lookup', 'connect', 'secureConnect'].includes(String(error.event))
  return { kind: 'failure', code, sent: !(connecting || BEFORE_SENDING.has(code) || isTlsFailure(code)) }
}

/** Built from checked segments alone; asserted, because a wrong path could address another resource. */
export function requestUrl(settings: ServiceSettings, request: HttpRequest): URL {
  const prefix = `/public/api/${settings.apiVersion}/`
  const path = request.segments.map(encodeURIComponent).join('/')
  const url = new URL(settings.baseUrl + prefix + path)
  const base = new URL(settings.baseUrl)
  const expected = base.pathname.replace(/\/$/, '') + prefix
  const count = url.pathname.slice(expected.length).split('/').length
  if (url.origin !== base.origin || !url.pathname.startsWith(expected) || count !== request.segments.length)
    throw new Error('a request path left its place')
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value)
  return url
}

function parsed(text: string): { isJson: boolean; body: unknown } {
  try {
    return { isJson: true, body: JSON.parse(text) as unknown }
  } catch {
    return { isJson: false, body: undefined }
  }
}

function redirectHost(location: string | undefined, url: URL): string | undefined {
  if (location === undefined) return undefined
  return URL.canParse(location, url.href) ? new URL(location, url).host : undefined
}

function singleHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  )
  return Object.fromEntries(entries)
}

export interface HttpClient {
  /** Never rejects for what a network or a service does. */
  send(request: HttpRequest): Promise<HttpAttempt>
  close(): void
}

function configured(settings: ServiceSettings, agent: { http: HttpAgent; https: HttpsAgent }): Got {
  return got.extend({
    agent,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: true,
    timeout: { request: settings.timeoutMs, connect: Math.min(settings.timeoutMs, 10_000) },
    headers: {
      authorization: `Bearer ${settings.apiKey}`,
      accept: 'application/json',
      'user-agent': 'contact-sync',
    },
  })
}

export function createHttp(settings: ServiceSettings): HttpClient {
  const options = { keepAlive: true, maxSockets: settings.rateLimit.concurrency }
  const agent = { http: new HttpAgent(options), https: new HttpsAgent(options) }
  const client = configured(settings, agent)
  return {
    async send(request) {
      const url = requestUrl(settings, request)
      const stop = new AbortController()
      try {
        const call = client(url, {
          method: request.method,
          signal: stop.signal,
          ...(request.body === undefined ? {} : { json: request.body }),
        })
        void call.on('downloadProgress', ({ transferred }) => {
          if (transferred > LARGEST_ANSWER) stop.abort()
        })
        const { statusCode, headers, body } = await call
        if (body.length > LARGEST_ANSWER) return { kind: 'oversized' }
        const location = redirectHost(headers.location, url)
        return {
          kind: 'answer',
          status: statusCode,
          headers: singleHeaders(headers),
          redirectHost: location,
          ...parsed(body),
        }
      } catch (error) {
        if (stop.signal.aborted) return { kind: 'oversized' }
        if (error instanceof HTTPError) return { kind: 'failure', sent: true, code: 'HTTP' }
        return failure(error)
      }
    },
    close() {
      agent.http.destroy()
      agent.https.destroy()
    },
  }
}
