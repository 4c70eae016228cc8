// The addresses that requests go to. Everything that reaches a path is checked before and the finished
// URL is checked again: a request must never go to another resource or another host than was meant.
import { SyncError } from '../core/words/errors.ts'
import { isLoopback } from '../core/words/network/loopback.ts'
import type { ServiceSettings } from '../core/settings.ts'

/** What stands in the path after `/public/api/<version>/`. Mails and names by `lookupMail` and `lookupName` only. */
type PathSegment = 'contact' | 'contacts' | 'terms' | 'custom-fields' | number | LookupText

/** A mail or a name that may stand in a path. */
export interface LookupText {
  readonly text: string
}

/** What is asked of a read besides its path. */
interface Query {
  readonly fields?: readonly string[]
  readonly offset?: number
  readonly limit?: number
}

// A slash may be unescaped on the way and make another resource of the rest, a backslash likewise;
// control characters are cut off by some.
const UNSAFE = /[/\\\p{Cc}]/u

/** The mail for use in a path, or undefined where its lookup could address something else. */
export function lookupMail(mail: string): LookupText | undefined {
  const safe = mail.includes('@') && !UNSAFE.test(mail) && mail.isWellFormed()
  return safe ? { text: mail } : undefined
}

/**
 * The name of a term or custom field for use in a path, or undefined where it could be taken for an id
 * (anything that reads as a number) or for another resource (dots, and what has a meaning in addresses).
 */
export function lookupName(name: string): LookupText | undefined {
  const safe = name.isWellFormed() && !UNSAFE.test(name) && !/[%?#]/.test(name) && /[^.\s]/.test(name)
  return safe && Number.isNaN(Number(name)) ? { text: name } : undefined
}

/**
 * The URL of a resource (interface, 1 and 4). Throws an Error where an id is no safe positive integer,
 * and SERVICE_CONTRACT where the finished URL is not below the configured base.
 */
export function requestUrl(
  settings: Pick<ServiceSettings, 'base_url' | 'api_version'>,
  segments: readonly PathSegment[],
  query: Query = {},
): URL {
  const base = new URL(settings.base_url)
  const prefix = `${base.pathname.replace(/\/+$/, '')}/public/api/${settings.api_version}/`
  const url = new URL(`${base.origin}${prefix}${segments.map(encoded).join('/')}`)
  url.search = searchText(query)
  assertBelow(url, { base, prefix, segments: segments.length })
  return url
}

/** Throws CONFIG_INVALID where the key would travel unencrypted (interface, 5). */
export function assertEncrypted(baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return
  throw new SyncError(
    'CONFIG_INVALID',
    'service.base_url must begin with https:// (http only for loopback hosts)',
  )
}

/** Commas between field names stay commas (interface, 4.2). */
function searchText({ fields, offset, limit }: Query): string {
  const list = fields === undefined ? [] : [`fields=${fields.map(encodeURIComponent).join(',')}`]
  const page = Object.entries({ offset, limit }).filter(([, value]) => value !== undefined)
  return [...list, ...page.map(([name, value]) => `${name}=${value}`)].join('&')
}

function encoded(segment: PathSegment): string {
  if (typeof segment === 'string') return segment
  if (typeof segment === 'object') return encodeURIComponent(segment.text)
  if (!Number.isSafeInteger(segment) || segment <= 0) throw new Error('An id must be a positive integer')
  return String(segment)
}

function assertBelow(url: URL, expected: { base: URL; prefix: string; segments: number }): void {
  const rest = url.pathname.slice(expected.prefix.length).split('/')
  const holds =
    url.origin === expected.base.origin &&
    url.pathname.startsWith(expected.prefix) &&
    rest.length === expected.segments &&
    !/\/\/|\/$/.test(url.pathname) &&
    url.hash === ''
  if (!holds)
    throw new SyncError('SERVICE_CONTRACT', 'A request would leave service.base_url and was not sent')
}
