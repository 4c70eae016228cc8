// The answers of S3 that are lists of objects, page by page.
import { SaxesParser } from 'saxes'
import { RemoteFault } from '../session.ts'

export interface ListedObject {
  readonly key: string
  readonly etag: string
  readonly bytes: number
  readonly modified: number
}

export interface ListedPage {
  readonly objects: readonly ListedObject[]
  /** Asks for the next page; undefined: this is the last. */
  readonly next: string | undefined
}

/** As the store writes names when it is asked to encode them; some do not, and say so by saying nothing. */
function decoded(key: string, encoding: string): string | undefined {
  if (encoding !== 'url') return key
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Throws RemoteFault for what is no list. */
export function readPage(text: string): ListedPage {
  const objects: ListedObject[] = []
  let [isList, isTruncated, next] = [false, false, undefined as string | undefined]
  let encoding = ''
  let values: Record<string, string> = {}
  let path: string[] = []
  const parser = new SaxesParser({ xmlns: false })
  parser.on('opentag', ({ name }) => {
    path.push(name)
    if (name === 'ListBucketResult') isList = true
    if (name === 'Contents') values = {}
  })
  parser.on('text', (part) => {
    const name = path.at(-1) ?? ''
    if (path.at(-2) === 'Contents') values[name] = (values[name] ?? '') + part
    if (path.length === 2 && name === 'EncodingType') encoding += part.trim()
    if (path.length === 2 && name === 'IsTruncated') isTruncated = part.trim() === 'true'
    if (path.length === 2 && name === 'NextContinuationToken') next = (next ?? '') + part
  })
  parser.on('closetag', ({ name }) => {
    path = path.slice(0, -1)
    if (name !== 'Contents') return
    const { Key: key = '', ETag: etag = '', Size: size = '', LastModified: modified = '' } = values
    objects.push({
      key,
      etag,
      bytes: Number(size),
      modified: Date.parse(modified),
    })
  })
  const refusal = new RemoteFault('SOURCE_FAILED', 'the store answers a listing with something else')
  try {
    parser.write(text).close()
  } catch {
    throw refusal
  }
  // A page that says that there is more and not where would be taken for the whole.
  if (!isList || (isTruncated && next === undefined)) throw refusal
  const named = objects.map(({ key, ...object }) => {
    const name = decoded(key, encoding)
    if (name === undefined) throw refusal
    return { ...object, key: name }
  })
  return { objects: named, next: isTruncated ? next : undefined }
}
