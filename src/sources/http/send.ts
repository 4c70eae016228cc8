// One request over HTTP, and nothing more: no retry, no redirect, no waiting. Certificates are checked, as got does.
import got, { RequestError } from 'got'
import { SyncError } from '../../core/words/errors.ts'
import { localAgent } from '../local-agent.ts'
import { refuseProtocolChange } from '../protocol-change.ts'
import type { FetchTask } from '../pull/fetcher.ts'
import type { HttpOptions } from './options.ts'

const LARGEST_ANSWER_BYTES = 64 * 1024 * 1024

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export type Send = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  form?: Readonly<Record<string, string>>,
) => Promise<Answered | { readonly status: undefined; readonly code: string }>

export const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/** One request; it rejects for an answer that is too large, and for nothing that a network does. */
export function createSend(
  { timeout }: Pick<HttpOptions, 'timeout'>,
  { signal }: Pick<FetchTask, 'signal'>,
): Send {
  const agent = localAgent()
  return async (url, headers, form) => {
    const stream = got.stream(url, {
      ...(form === undefined ? { method: 'GET' } : { method: 'POST', form }),
      headers: { accept: 'application/json', 'user-agent': 'contact-sync', ...headers },
      agent,
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      timeout: { request: timeout },
      signal,
    })
    stream.once('request', refuseProtocolChange)
    const head: Partial<Omit<Answered, 'body'>> = {}
    stream.once(
      'response',
      ({ statusCode, headers: given }: { statusCode: number; headers: Answered['headers'] }) =>
        Object.assign(head, { status: statusCode, headers: given }),
    )
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        // Counted as it is unpacked: a small answer may hold a large one.
        bytes += chunk.length
        if (bytes > LARGEST_ANSWER_BYTES)
          throw new SyncError(
            'SOURCE_ANSWER',
            `an answer of ${url.host} has more than ${LARGEST_ANSWER_BYTES} bytes`,
          )
        chunks.push(chunk)
      }
    } catch (error) {
      if (error instanceof SyncError) throw error
      const code = error instanceof RequestError ? error.code : ''
      return { status: undefined, code: /^[A-Z][A-Z0-9_]{1,50}$/.test(code) ? code : 'no answer' }
    }
    const { status, headers: given = {} } = head
    return status === undefined
      ? { status: undefined, code: 'no answer' }
      : { status, headers: given, body: Buffer.concat(chunks) }
  }
}
