// Speaks to a service under examination with plain `fetch`, no faster than asked, and never follows a redirect with the
// key. Knows nothing of the connector or its sandbox: what it sees is what any client would see.
import { setTimeout as delay } from 'node:timers/promises'

export interface Answer {
  readonly status: number
  /** The body as JSON, or undefined where it is none. */
  readonly json: unknown
  readonly text: string
  readonly headers: Headers
}

export interface CallOptions {
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown
  /** Instead of the right one; undefined in it sends none. */
  readonly authorization?: { readonly value: string | undefined }
  readonly contentType?: string
  readonly version?: string
}

export interface Client {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
}

export interface ClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
  /** Requests per second; 0 for as fast as they are answered. */
  readonly rate: number
}

/** No answer came: nothing can be said about the service. */
export class Unreachable extends Error {}

const LONGEST_WAIT_S = 120
const PATIENCE = 5

function asJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Resolves when the next request may leave. */
function createPace(rate: number): () => Promise<void> {
  let next = 0
  return async () => {
    if (rate === 0) return
    const now = performance.now()
    const at = Math.max(now, next)
    next = at + 1000 / rate
    await delay(at - now)
  }
}

function headersOf({ body, contentType, authorization }: CallOptions, apiKey: string): Headers {
  const headers = new Headers({ accept: 'application/json' })
  const key = authorization === undefined ? `Bearer ${apiKey}` : authorization.value
  if (key !== undefined) headers.set('authorization', key)
  if (body !== undefined) headers.set('content-type', contentType ?? 'application/json')
  return headers
}

export function createClient({ baseUrl, apiKey, rate }: ClientOptions): Client {
  const pace = createPace(rate)
  const once = async (method: string, path: string, options: CallOptions): Promise<Answer> => {
    const { body, version = 'V1' } = options
    await pace()
    try {
      const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/public/api/${version}${path}`, {
        method,
        headers: headersOf(options, apiKey),
        redirect: 'manual',
        signal: AbortSignal.timeout(30_000),
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, json: asJson(text), text, headers: response.headers }
    } catch (error) {
      const { cause } = error as Error
      const reason = cause instanceof Error ? cause.message : (error as Error).message
      throw new Unreachable(`${method} ${path} got no answer: ${reason}`)
    }
  }
  return {
    async call(method, path, options = {}) {
      for (let attempt = 1; ; attempt += 1) {
        const answer = await once(method, path, options)
        if (answer.status !== 429 || attempt === PATIENCE) return answer
        // A service that throttles is not broken; it says when to come back.
        const seconds = Number(answer.headers.get('retry-after') ?? 1)
        await delay(Math.min(LONGEST_WAIT_S, Number.isFinite(seconds) ? Math.max(1, seconds) : 5) * 1000)
      }
    },
  }
}
