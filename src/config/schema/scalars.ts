// The small building blocks of the configuration's schema: texts, durations, shares, time zones.
// Sentences have the form "what is wrong; what would be right" and hold no value.
import { z } from 'zod'
import { DURATION, DURATION_SENTENCE, milliseconds } from '../../core/words/duration.ts'
import type { Limit } from '../../core/settings.ts'
import { suggestion } from '../text/nearest.ts'

/** Text that says something. */
export const text = z.string().min(1, { error: 'is empty; write some text, or leave the key out' })

export const flag = z.boolean()

/** `500ms`, `30s`, `5m`, `2h`, `30d`: to milliseconds (contract, 2). `min` and `max` are written the same way. */
export function duration(limits: { min?: string; max?: string } = {}) {
  const { min = '0s', max = '3650d' } = limits
  return z
    .string({ error: DURATION_SENTENCE })
    .regex(DURATION, { error: DURATION_SENTENCE })
    .refine((value) => !DURATION.test(value) || milliseconds(value) >= milliseconds(min), {
      error: `is too short; at least ${min}`,
    })
    .refine((value) => !DURATION.test(value) || milliseconds(value) <= milliseconds(max), {
      error: `is too long; at most ${max}`,
    })
    .transform(milliseconds)
}

const SHARE_SENTENCE = 'is no share; write one such as 5%, up to 100%, or a whole number to count'

/** `5%`, or a count where a whole number stands. */
export const shareOrCount = z.union(
  [
    z.string({ error: SHARE_SENTENCE }).regex(/^(100(\.0+)?|\d{1,2}(\.\d+)?) ?%$/, { error: SHARE_SENTENCE }),
    z.int().min(0),
  ],
  { error: SHARE_SENTENCE },
)

/** What is written as a share or a count. */
export const limit = (written: string | number): Limit =>
  typeof written === 'number' ? { count: written } : { share: Number.parseFloat(written) / 100 }

function isZone(name: string): boolean {
  // Offsets such as +01:00 are zones for Intl, but know no summer time.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export const timezone = z.string().check((ctx) => {
  if (isZone(ctx.value)) return
  const nearest = suggestion(ctx.value, Intl.supportedValuesOf('timeZone'))
  const message = `is no time zone; write an IANA name such as Europe/Berlin (${nearest})`
  ctx.issues.push({ code: 'custom', input: ctx.value, message })
})

/** Where cloud machines are told their own secrets, and no service is; also written as IPv6 (a9fe is 169.254). */
const LINK_LOCAL =
  /^(169\.254(\.\d{1,3}){2}|\[(fe[89ab].*|::(ffff:)?a9fe:.*|fd00:ec2::254)\]|metadata(\.google\.internal)?\.?)$/
/** `..` and `.` as part of a path, however they are written. */
const DOTS = /[/\\](\.|%2e){1,2}([/\\]|$)/i
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** `hostname` as in a URL. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname)

function baseUrlProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'is no URL; write one such as https://system.server.example.com'
  const url = new URL(value)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'is no web address; it begins with https://'
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    return 'would send the key and all contacts unprotected; begin it with https:// (http is for this machine alone)'
  if (LINK_LOCAL.test(url.hostname)) return 'names a link-local address; no service is there'
  if (url.username !== '' || url.password !== '')
    return 'holds a user or password; leave them out, the key goes into service.api_key'
  if (DOTS.test(value)) return 'holds "." or ".." as a part of its path; write the path that is meant'
  if (/[?#]/.test(value)) return 'holds a query or fragment; leave out everything from ? or # on'
  if (/\/public\/api(\/|$)/.test(url.pathname))
    return 'holds the path of the interface; end it before /public/api'
  return undefined
}

/** The address of the service, without a trailing slash; https, or http on this machine (interface, 1). */
export const baseUrl = z
  .string()
  .check((ctx) => {
    const message = baseUrlProblem(ctx.value)
    if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
  })
  .transform((value) => (URL.canParse(value) ? new URL(value).href.replace(/\/+$/, '') : value))

function webhookProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'is no web address; it begins with https://'
  const { protocol, hostname, username, password } = new URL(value)
  if (protocol !== 'https:' && protocol !== 'http:') return 'is no web address; it begins with https://'
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    return 'would be told unprotected; begin it with https:// (http is for this machine alone)'
  if (LINK_LOCAL.test(hostname)) return 'names a link-local address; no receiver is there'
  if (username !== '' || password !== '') return 'holds a user or password; sign messages with secret instead'
  return undefined
}

/** The address of a receiver of messages, with path and query as they come; https, or http on this machine. */
export const webhookAddress = z.string().check((ctx) => {
  const message = webhookProblem(ctx.value)
  if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
})

function smtpProblem(value: string): string | undefined {
  const sentence =
    'is no mail server; write one such as smtps://mail.example.com or smtp://mail.example.com:587'
  if (!URL.canParse(value)) return sentence
  const { protocol, hostname, username, password, pathname, search } = new URL(value)
  if (!['smtp:', 'smtps:'].includes(protocol) || hostname === '') return sentence
  if (username !== '' || password !== '') return 'holds a user or password; write them as user and password'
  return pathname.replace('/', '') + search === '' ? undefined : sentence
}

/** A mail server: `smtps://` speaks TLS from the start, `smtp://` begins it (and need not on this machine). */
export const smtpAddress = z.string().check((ctx) => {
  const message = smtpProblem(ctx.value)
  if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
})

/** One text or a list of them, as a list. */
export const oneOrMore = (expected: string) =>
  z
    .union([text, z.array(text).min(1, { error: `is an empty list; ${expected}` })], {
      error: `has the wrong form; ${expected}`,
    })
    .transform((value) => (typeof value === 'string' ? [value] : value))
