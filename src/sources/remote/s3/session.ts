// A drop folder in a bucket: the objects under a prefix. The version of an object is its ETag. It is put away by a copy and a
// delete that both name the version; in a bucket with versions nothing of that version stays.
import type { S3Address } from '../address.ts'
import type { RemoteOptions } from '../options.ts'
import {
  assertEnds,
  RemoteFault,
  type RemoteEntry,
  type RemotePlace,
  type RemoteSession,
  type TakenFile,
} from '../session.ts'
import { readPage } from './listing.ts'
import { type StoreAnswer, copySource, createRequests, type Requests } from './requests.ts'

/** What one copy may have; larger ones are copied in parts, which this program does not. */
const MOST_BYTES = 5 * 1024 ** 3

interface Bucket extends Requests {
  readonly address: S3Address
  key(place: RemotePlace, name: string): string
  /** Whether the store was seen to honour the condition of a write. */
  readonly trial: { isPassed: boolean }
}

interface Head extends RemoteEntry {
  readonly etag: string
  /** In a bucket with versions. */
  readonly versionId: string | undefined
}

const GONE = [404]
const REPLACED = [404, 409, 412]

/** Listings have fractions of a second, answers about one object have none. */
function entryOf(name: string, object: { etag: string; bytes: number; modified: number }): RemoteEntry {
  const seconds = Math.floor(object.modified / 1000)
  const { etag, bytes } = object
  const what = bytes > MOST_BYTES ? 'an object of more than 5 GiB' : 'file'
  return { name, what, bytes, writtenAt: seconds * 1000 + 999, version: `s3:${etag}:${seconds}` }
}

async function headOf(bucket: Bucket, place: RemotePlace, name: string): Promise<Head | undefined> {
  const answer = await bucket.ask({ method: 'HEAD', key: bucket.key(place, name), expected: GONE })
  if (answer.status === 404) return undefined
  const etag = answer.header('etag') ?? ''
  const versionId = answer.header('x-amz-version-id')
  const modified = Date.parse(answer.header('last-modified') ?? '')
  const entry = entryOf(name, { etag, bytes: Number(answer.header('content-length')), modified })
  return { ...entry, etag, versionId: versionId === 'null' ? undefined : versionId }
}

async function listOf(bucket: Bucket, place: RemotePlace): Promise<RemoteEntry[] | undefined> {
  const prefix = bucket.key(place, '')
  const entries: RemoteEntry[] = []
  const tokens = new Set<string>()
  for (let token: string | undefined; ;) {
    const query = {
      ...{ 'list-type': '2', delimiter: '/', 'encoding-type': 'url', prefix },
      ...(token === undefined ? {} : { 'continuation-token': token }),
    }
    const answer = await bucket.ask({ method: 'GET', key: '', query, expected: GONE })
    if (answer.status === 404) return undefined
    const { objects, next } = readPage(answer.text)
    for (const object of objects) {
      const name = object.key.slice(prefix.length)
      // The mark that some programs write for a folder, and what is no name of a file here.
      if (!/[/\0]|^\.{0,2}$/.test(name)) entries.push(entryOf(name, object))
    }
    if (next === undefined) return entries
    if (tokens.has(next)) throw new RemoteFault('SOURCE_FAILED', 'the store lists the same page twice')
    tokens.add(next)
    assertEnds(entries.length + tokens.size)
    token = next
  }
}

/**
 * Deletes just this version; false where another one has the name by now. In a bucket with versions the first delete hides
 * what lies beneath, which would appear again, and the second one leaves nothing of the version.
 */
async function removeVersion(bucket: Bucket, key: string, { versionId, etag }: Head): Promise<boolean> {
  const isStill = async (): Promise<boolean> => {
    const now = await bucket.ask({ method: 'HEAD', key, expected: GONE })
    return now.status !== 404 && now.header('etag') === etag
  }
  // Some stores pass over conditions of deletes, and some know none: they are asked at the last moment.
  if (!(await isStill())) return false
  const asked = { method: 'DELETE', key, headers: { 'if-match': etag } } as const
  const answer = await bucket.ask({ ...asked, expected: [...REPLACED, 501] })
  if (REPLACED.includes(answer.status)) return false
  if (answer.status === 501) {
    if (!(await isStill())) return false
    await bucket.ask({ method: 'DELETE', key })
  }
  if (versionId !== undefined) await forgetVersion(bucket, key, versionId)
  return true
}

async function remove(bucket: Bucket, place: RemotePlace, name: string): Promise<void> {
  const head = await headOf(bucket, place, name)
  if (head !== undefined) await removeVersion(bucket, bucket.key(place, name), head)
}

const forgetVersion = (bucket: Bucket, key: string, versionId: string): Promise<StoreAnswer> =>
  bucket.ask({ method: 'DELETE', key, query: { versionId }, expected: GONE })

/** Under the first name that is free; undefined: what is to be copied is not there any more. */
async function storeUnder(
  names: (turn: number) => string,
  put: (name: string) => Promise<StoreAnswer | undefined>,
): Promise<string | undefined> {
  for (let turn = 1; ; turn += 1) {
    const name = names(turn)
    const answer = await put(name)
    if (answer === undefined) continue
    // A copy may fail after the store has begun to answer.
    if (answer.text.includes('<Error>'))
      throw new RemoteFault('SOURCE_FAILED', 'the store did not complete a copy')
    return REPLACED.includes(answer.status) ? undefined : name
  }
}

function takenFrom(bucket: Bucket, head: Head): TakenFile {
  const key = bucket.key('', head.name)
  return {
    fetch: (to) =>
      bucket.download({ method: 'GET', key, headers: { 'if-match': head.etag } }, head.bytes, to),
    async moveTo(place, { free }) {
      const stored = await storeUnder(free, async (name) => {
        if ((await headOf(bucket, place, name)) !== undefined) return undefined
        const headers = {
          'x-amz-copy-source': copySource(bucket.address, key),
          'x-amz-copy-source-if-match': head.etag,
        }
        return bucket.ask({ method: 'PUT', key: bucket.key(place, name), headers, expected: REPLACED })
      })
      if (stored === undefined) return false
      if (await removeVersion(bucket, key, head)) return true
      const copy = await headOf(bucket, place, stored)
      if (copy !== undefined) await removeVersion(bucket, bucket.key(place, stored), copy)
      return false
    },
    discard: () => removeVersion(bucket, key, head),
    // It never left its place.
    giveBack: () => Promise.resolve(),
  }
}

/**
 * A store that does not know the condition, or passes over it, has to be noticed before anything relies on it: the same
 * write is tried once more, and has to be refused.
 */
async function storeNew(
  bucket: Bucket,
  { place, name }: { place: RemotePlace; name: string },
  from: string,
): ReturnType<RemoteSession['storeNew']> {
  const put = async (): Promise<number> => {
    const asked = { method: 'PUT', key: bucket.key(place, name), headers: { 'if-none-match': '*' } } as const
    return (await bucket.upload({ ...asked, expected: [409, 412, 501] }, from)).status
  }
  const first = await put()
  if (first === 501) return 'unsafe'
  if (first >= 300) return 'taken'
  if (bucket.trial.isPassed) return 'stored'
  bucket.trial.isPassed = (await put()) >= 300
  if (bucket.trial.isPassed) return 'stored'
  await remove(bucket, place, name)
  return 'unsafe'
}

function sessionOver(bucket: Bucket): RemoteSession {
  return {
    isExact: true,
    list: (place) => listOf(bucket, place),
    entry: (place, name) => headOf(bucket, place, name),
    async fetch(place, { name, version, bytes }, to) {
      const key = bucket.key(place, name)
      const etag = /^s3:(.*):\d+$/.exec(version)?.[1] ?? ''
      await bucket.download({ method: 'GET', key, headers: { 'if-match': etag } }, bytes, to)
    },
    async take({ name, version }) {
      const head = await headOf(bucket, '', name)
      return head?.version === version ? takenFrom(bucket, head) : undefined
    },
    makeFolder: () => Promise.resolve(),
    async store(place, { free }, from) {
      const stored = await storeUnder(free, async (name) => {
        if ((await headOf(bucket, place, name)) !== undefined) return undefined
        const asked = {
          method: 'PUT',
          key: bucket.key(place, name),
          headers: { 'if-none-match': '*' },
        } as const
        const answer = await bucket.upload({ ...asked, expected: [409, 412] }, from)
        return answer.status < 300 ? answer : undefined
      })
      if (stored === undefined) throw new RemoteFault('SOURCE_FAILED', 'the store did not take a file')
      return stored
    },
    storeNew: (place, { name }, from) => storeNew(bucket, { place, name }, from),
    async replace(place, name, from) {
      const before = await headOf(bucket, place, name)
      const key = bucket.key(place, name)
      const condition = before === undefined ? {} : { 'if-match': before.etag }
      await bucket.upload({ method: 'PUT', key, headers: condition }, from)
      // In a bucket with versions, what was there would stay beneath.
      if (before?.versionId !== undefined) await forgetVersion(bucket, key, before.versionId)
    },
    remove: (place, name) => remove(bucket, place, name),
    giveBackTaken: () => Promise.resolve(),
    isAlive: () => Promise.resolve(true),
    setUsed: () => undefined,
    close: () => Promise.resolve(),
  }
}

export function openS3(address: S3Address, remote: RemoteOptions): RemoteSession {
  const { prefix } = address
  const key = (place: RemotePlace, name: string): string =>
    `${prefix}${place === '' ? '' : `${place}/`}${name}`
  return sessionOver({ ...createRequests(address, remote), address, key, trial: { isPassed: false } })
}
