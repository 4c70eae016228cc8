// Requests to a store that speaks the interface of S3: signed, without redirects, ended when nothing is heard for so long.
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { AwsV4Signer } from 'aws4fetch'
import got, { type OptionsOfTextResponseBody, type Response } from 'got'
import { faultCode } from '../../fault.ts'
import { localAgent } from '../../local-agent.ts'
import { refuseProtocolChange } from '../../protocol-change.ts'
import type { S3Address } from '../address.ts'
import type { RemoteOptions } from '../options.ts'
import { RemoteFault } from '../session.ts'

export interface StoreAnswer {
  readonly status: number
  header(name: string): string | undefined
  readonly text: string
}

export interface StoreRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** Of the object; blank: the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** These statuses are answers like any other; every other that is no success is a fault. */
  readonly expected?: readonly number[]
}

export interface Requests {
  ask(asked: StoreRequest): Promise<StoreAnswer>
  upload(asked: StoreRequest, from: string): Promise<StoreAnswer>
  /** Not more than so many bytes. */
  download(asked: StoreRequest, bytes: number, to: string): Promise<void>
}

/** Of what is kept whole: a page of a listing has 1000 names. Objects are written to the disk. */
const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024
const LARGEST_REFUSAL = 64 * 1024
const PASSING = [500, 502, 503, 504, 429]

/** The code of a refusal, as a word: texts may hold anything. */
const codeOf = (text: string): string => /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1] ?? 'no reason given'

function faultOf(status: number, text: string, region: string | undefined): RemoteFault {
  if (status >= 300 && status < 400) {
    const where =
      region === undefined ? '' : `; the bucket is in the region ${region.replaceAll(/[^\w-]/g, '')}`
    return new RemoteFault(
      'SOURCE_FAILED',
      `the store redirects (${status})${where}`,
      'Set source.remote.region, or endpoint.',
    )
  }
  if (status === 401 || status === 403)
    return new RemoteFault('SOURCE_DENIED', `the store refuses that (${status} ${codeOf(text)})`)
  if (PASSING.includes(status))
    return new RemoteFault('SOURCE_UNREACHABLE', `the store fails (${status} ${codeOf(text)})`)
  return new RemoteFault('SOURCE_FAILED', `the store refuses that (${status} ${codeOf(text)})`)
}

function networkFault(error: unknown): unknown {
  const code = faultCode(error)
  // A fault of this machine's disk has a code of its own, and got names those of requests.
  const isOfRequest =
    error instanceof Error && /^(RequestError|TimeoutError|ReadError|UploadError)$/.test(error.name)
  if (!isOfRequest) return error
  return new RemoteFault('SOURCE_UNREACHABLE', `the store cannot be reached (${code ?? 'no answer'})`)
}

/** Throws RemoteFault. */
async function received(url: URL, options: OptionsOfTextResponseBody): Promise<Response<string>> {
  const stop = new AbortController()
  try {
    const call = got(url, { ...options, signal: stop.signal })
    void call.on('request', refuseProtocolChange).on('downloadProgress', ({ transferred }) => {
      if (transferred > LARGEST_ANSWER_BYTES) stop.abort()
    })
    return await call
  } catch (error) {
    if (!stop.signal.aborted) throw networkFault(error)
    const what = `an answer of the store has more than ${LARGEST_ANSWER_BYTES} bytes`
    throw new RemoteFault('SOURCE_FAILED', what)
  }
}

/** An object that is longer than listed was replaced, or has no end: it must not fill the disk. */
const atMost = (bytes: number) =>
  async function* (parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let left = bytes
    for await (const part of parts) {
      left -= part.length
      if (left < 0)
        throw new RemoteFault('SOURCE_FAILED', 'an object is longer than the store says that it is')
      yield part
    }
  }

/** The begin of a refusal, which has its code. */
async function beginOf(parts: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const part of parts) {
    text += part.toString()
    if (text.length > LARGEST_REFUSAL) break
  }
  return text
}

const encoded = (key: string): string => key.split('/').map(encodeURIComponent).join('/')

/** For the header that names the source of a copy. */
export const copySource = ({ bucket }: S3Address, key: string): string => `/${bucket}/${encoded(key)}`

export function createRequests({ bucket }: S3Address, remote: RemoteOptions): Requests {
  const { region = 'us-east-1', access_key_id: id = '', secret_access_key: secret = '', timeout } = remote
  const agent = localAgent()
  const endpoint = (remote.endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '')

  async function signed({ method, key, query = {}, headers = {} }: StoreRequest) {
    const url = new URL(`${endpoint}/${bucket}${key === '' ? '' : `/${encoded(key)}`}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const token = remote.session_token === undefined ? {} : { sessionToken: remote.session_token }
    const signer = new AwsV4Signer({
      ...{ method, url: url.href, headers: { ...headers }, region, service: 's3' },
      ...{ accessKeyId: id, secretAccessKey: secret, ...token },
    })
    const { headers: all } = await signer.sign()
    const options = {
      ...{ method, headers: Object.fromEntries(all), followRedirect: false, throwHttpErrors: false },
      ...{ agent, decompress: false, timeout: { connect: timeout, socket: timeout, response: timeout } },
      retry: { limit: 2, methods: ['GET' as const, 'HEAD' as const] },
    }
    return { url, options }
  }

  function answered(response: Response<string>, expected: readonly number[] = []): StoreAnswer {
    const { statusCode: status, headers, body: text } = response
    const header = (name: string): string | undefined => {
      const value = headers[name]
      return Array.isArray(value) ? value[0] : value
    }
    if ((status < 200 || status > 299) && !expected.includes(status))
      throw faultOf(status, text, header('x-amz-bucket-region'))
    return { status, header, text }
  }

  async function asked(
    { url, options }: Awaited<ReturnType<typeof signed>>,
    more: Readonly<Pick<OptionsOfTextResponseBody, 'headers' | 'body'>>,
    expected?: readonly number[],
  ): Promise<StoreAnswer> {
    const response = await received(url, { ...options, ...more })
    return answered(response, expected)
  }

  return {
    ask: async (request) => asked(await signed(request), {}, request.expected),
    async upload(request, from) {
      const { size } = await stat(from)
      const { url, options } = await signed(request)
      const headers = { ...options.headers, 'content-length': String(size) }
      const body = size === 0 ? '' : createReadStream(from)
      return asked({ url, options }, { headers, body }, request.expected)
    },
    async download(request, bytes, to) {
      const { url, options } = await signed(request)
      const stream = got.stream(url, { ...options, retry: { limit: 0 } })
      stream.once('request', refuseProtocolChange)
      try {
        const [{ statusCode, headers }] = (await once(stream, 'response')) as [Response]
        if (statusCode !== 200)
          throw faultOf(statusCode, await beginOf(stream), headers['x-amz-bucket-region']?.toString())
        await pipeline(stream, atMost(bytes), createWriteStream(to, { flags: 'r+' }))
      } catch (error) {
        throw networkFault(error)
      }
    },
  }
}
