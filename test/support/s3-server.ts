// A store that speaks as much of the interface of S3 as a drop folder needs, over loopback, in memory. Signatures are computed
// anew, conditions are honoured, a bucket may keep versions, listings come in pages of three.
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

interface Version {
  readonly id: string
  readonly content: Buffer
  readonly modified: number
  /** It hides what lies beneath. */
  readonly isDeleted?: boolean
}

export interface S3Server {
  readonly url: string
  readonly keyId: string
  readonly secret: string
  /** How many requests are answered from now on before connections break; Infinity: all. */
  failAfter(requests: number): void
  requests(): number
  /** Called before a request is answered. */
  before: (method: string, key: string) => void
  /** Whether deletes and writes honour conditions, and whether the bucket keeps versions. */
  readonly habits: { conditionalDelete: boolean; conditionalWrite: boolean; versions: boolean }
  put(key: string, content: string): void
  remove(key: string): void
  keys(): string[]
  /** The content of every version, hidden ones among them. */
  everything(): string[]
  /** The content, and that of every older version beneath. */
  all(key: string): string[]
  close(): Promise<void>
}

const PAGE = 3
const BUCKET = 'exports'
const KEY_ID = 'AKIATEST'
const SECRET = 'canary/secret+of/the/store'

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const strict = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
const etagOf = ({ content }: Version): string => `"${createHash('md5').update(content).digest('hex')}"`

/** After the description of Signature Version 4. */
function isSigned(request: IncomingMessage, url: URL): boolean {
  const given = /Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(
    request.headers.authorization ?? '',
  )
  const [, credential = '', names = '', signature] = given ?? []
  const [keyId, day = '', region = '', service = ''] = credential.split('/')
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name])}\n`)
  const query = [...url.searchParams].map(([name, value]) => `${strict(name)}=${strict(value)}`).sort()
  const path = decodeURIComponent(url.pathname).split('/').map(strict).join('/')
  const hash = String(request.headers['x-amz-content-sha256'])
  const canonical = [request.method, path, query.join('&'), headers.join(''), names, hash].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, digest].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${SECRET}`)
  return keyId === KEY_ID && hmac(key, text).toString('hex') === signature
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Version[]>()
  let [left, count, ids, clock] = [Infinity, 0, 0, 1_700_000_000_000]
  const current = (key: string): Version | undefined => {
    const version = objects.get(key)?.at(-1)
    return version?.isDeleted === true ? undefined : version
  }
  const visible = (): string[] => [...objects.keys()].filter((key) => current(key) !== undefined)
  const add = (key: string, content: Buffer): Version => {
    const version = { id: `v${(ids += 1)}`, content, modified: (clock += 1000) }
    objects.set(key, [...(store.habits.versions ? (objects.get(key) ?? []) : []), version])
    return version
  }
  const send = (response: ServerResponse, status: number, text: string | Buffer = '', headers = {}): void => {
    response.writeHead(status, { 'content-length': Buffer.byteLength(text), ...headers }).end(text)
  }
  const refuse = (response: ServerResponse, status: number, code: string): void =>
    send(response, status, `<Error><Code>${code}</Code><Message>ann@example.org</Message></Error>`)

  function list(url: URL, response: ServerResponse): void {
    const prefix = url.searchParams.get('prefix') ?? ''
    const after = url.searchParams.get('continuation-token') ?? ''
    const keys = visible().filter((key) => key.startsWith(prefix) && !key.slice(prefix.length).includes('/'))
    const rest = keys.sort().filter((key) => key > after)
    const page = rest.slice(0, PAGE).flatMap((key) => {
      const version = current(key)
      if (version === undefined) return []
      const when = new Date(version.modified + 345).toISOString()
      return `<Contents><Key>${escaped(strict(key))}</Key><LastModified>${when}</LastModified><ETag>${etagOf(version)}</ETag><Size>${version.content.length}</Size></Contents>`
    })
    const next =
      rest.length > PAGE ? `<NextContinuationToken>${rest[PAGE - 1] ?? ''}</NextContinuationToken>` : ''
    send(
      response,
      200,
      `<?xml version="1.0"?><ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${next !== ''}</IsTruncated>${next}${page.join('')}<CommonPrefixes><Prefix>x/</Prefix></CommonPrefixes></ListBucketResult>`,
    )
  }

  function get(request: IncomingMessage, key: string, response: ServerResponse): void {
    const version = current(key)
    if (version === undefined) return refuse(response, 404, 'NoSuchKey')
    const condition = request.headers['if-match']
    if (condition !== undefined && condition !== etagOf(version))
      return refuse(response, 412, 'PreconditionFailed')
    const ids = store.habits.versions ? { 'x-amz-version-id': version.id } : {}
    const headers = {
      etag: etagOf(version),
      'last-modified': new Date(version.modified).toUTCString(),
      ...ids,
    }
    send(response, 200, version.content, headers)
  }

  async function put(request: IncomingMessage, key: string, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const { 'if-none-match': none, 'if-match': match, 'x-amz-copy-source': source } = request.headers
    const here = current(key)
    if (none === '*' && here !== undefined && store.habits.conditionalWrite)
      return refuse(response, 412, 'PreconditionFailed')
    if (match !== undefined && (here === undefined || match !== etagOf(here)))
      return refuse(response, 412, 'PreconditionFailed')
    if (source === undefined) {
      add(key, body)
      return send(response, 200)
    }
    const from = current(decodeURIComponent(String(source)).slice(BUCKET.length + 2))
    if (from === undefined) return refuse(response, 404, 'NoSuchKey')
    if (request.headers['x-amz-copy-source-if-match'] !== etagOf(from))
      return refuse(response, 412, 'PreconditionFailed')
    add(key, from.content)
    send(response, 200, '<CopyObjectResult/>')
  }

  function remove(request: IncomingMessage, url: URL, response: ServerResponse): void {
    const key = decodeURIComponent(url.pathname).slice(BUCKET.length + 2)
    const [id, match, here] = [url.searchParams.get('versionId'), request.headers['if-match'], current(key)]
    if (id === null && match !== undefined && !store.habits.conditionalDelete)
      return refuse(response, 501, 'NotImplemented')
    if (match !== undefined && here !== undefined && match !== etagOf(here))
      return refuse(response, 412, 'PreconditionFailed')
    const versions = objects.get(key) ?? []
    const marker = { id: `v${(ids += 1)}`, content: Buffer.alloc(0), modified: clock, isDeleted: true }
    const hidden = store.habits.versions ? [...versions, marker] : []
    const kept = id === null ? hidden : versions.filter((version) => version.id !== id)
    if (kept.length === 0) objects.delete(key)
    else objects.set(key, kept)
    send(response, 204)
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://127.0.0.1')
    const key = decodeURIComponent(url.pathname).slice(BUCKET.length + 2)
    count += 1
    if ((left -= 1) < 0) return void request.socket.destroy()
    if (!isSigned(request, url)) return refuse(response, 403, 'SignatureDoesNotMatch')
    if (!url.pathname.startsWith(`/${BUCKET}`)) return refuse(response, 404, 'NoSuchBucket')
    store.before(request.method ?? '', key)
    if (request.method === 'PUT') return put(request, key, response)
    if (request.method === 'DELETE') return remove(request, url, response)
    return key === '' ? list(url, response) : get(request, key, response)
  }

  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const store: S3Server = {
    ...{ url: `http://127.0.0.1:${address.port}`, keyId: KEY_ID, secret: SECRET, before: () => undefined },
    habits: { conditionalDelete: true, conditionalWrite: true, versions: false },
    failAfter(requests) {
      left = requests
      count = 0
    },
    requests: () => count,
    remove: (key) => void objects.delete(key),
    put: (key, content) => void add(key, Buffer.from(content)),
    keys: () => visible().sort(),
    everything: () => [...objects.values()].flat().map(({ content }) => content.toString()),
    all: (key) => (objects.get(key) ?? []).map(({ content }) => content.toString()),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return store
}
