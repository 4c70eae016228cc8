// Addresses of services, receivers and mail servers, as the configuration may name them: encrypted, but on this machine.
// Sentences have the form "what is wrong; what would be right" and hold no value.
import { z } from 'zod'
import { isLoopback } from './loopback.ts'

/** Where cloud machines are told their own secrets, and no service is; also written as IPv6 (a9fe is 169.254). */
const LINK_LOCAL =
  /^(169\.254(\.\d{1,3}){2}|\[(fe[89ab].*|::(ffff:)?a9fe:.*|fd00:ec2::254)\]|metadata(\.google\.internal)?\.?)$/
/** `..` and `.` as part of a path, however they are written. */
const DOTS = /[/\\](\.|%2e){1,2}([/\\]|$)/i

function baseUrlProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'is not a URL; write one such as https://system.server.example.com'
  const url = new URL(value)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'is not a web address; it begins with https://'
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'would send the key and all contacts unprotected; begin it with https:// (http is for this machine only)'
  if (LINK_LOCAL.test(url.hostname)) return 'is a link-local address; no service has one'
  if (url.username !== '' || url.password !== '')
    return 'contains a user or password; leave them out, the key belongs in service.api_key'
  if (DOTS.test(value)) return 'contains "." or ".." in its path; write the path itself'
  if (/[?#]/.test(value)) return 'contains a query or fragment; leave out everything from ? or # on'
  if (/\/public\/api(\/|$)/.test(url.pathname))
    return 'contains the path of the interface; end it before /public/api'
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

/** What is wrong with an address that messages are to be sent to. */
export function webhookProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'is not a web address; it begins with https://'
  const { protocol, hostname, username, password } = new URL(value)
  if (protocol !== 'https:' && protocol !== 'http:') return 'is not a web address; it begins with https://'
  if (protocol === 'http:' && !isLoopback(hostname))
    return 'would be sent unprotected; begin it with https:// (http is for this machine only)'
  if (LINK_LOCAL.test(hostname)) return 'is a link-local address; no receiver has one'
  if (username !== '' || password !== '')
    return 'contains a user or password; sign messages with secret instead'
  return undefined
}

/** The address of a receiver of messages, with path and query as they come; https, or http on this machine. */
export const webhookAddress = z.string().check((ctx) => {
  const message = webhookProblem(ctx.value)
  if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
})

function smtpProblem(value: string): string | undefined {
  const sentence =
    'is not a mail server; write one such as smtps://mail.example.com or smtp://mail.example.com:587'
  if (!URL.canParse(value)) return sentence
  const { protocol, hostname, username, password, pathname, search } = new URL(value)
  if (!['smtp:', 'smtps:'].includes(protocol) || hostname === '') return sentence
  if (username !== '' || password !== '')
    return 'contains a user or password; write them as user and password'
  return pathname.replace('/', '') + search === '' ? undefined : sentence
}

/** A mail server: `smtps://` speaks TLS from the start, `smtp://` begins it (and need not on this machine). */
export const smtpAddress = z.string().check((ctx) => {
  const message = smtpProblem(ctx.value)
  if (message !== undefined) ctx.issues.push({ code: 'custom', input: ctx.value, message })
})

/** Whether a text is meant as an address of the web, and not as a file. */
export const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text)

const RECEIVER = /^(tcp|tls):\/\//i
const ANY_SCHEME = /^[a-z][a-z\d+.-]*:\/\//i

/** Whether a text is meant as a collector of logs on the network, and not as a file. */
export const isReceiver = (to: string): boolean => RECEIVER.test(to)

/** What is wrong with the place of a collector of logs; undefined for every name of a file. */
export function handOverProblem(to: string): string | undefined {
  if (!ANY_SCHEME.test(to)) return undefined
  const sentence = 'is not a receiver; write one such as tls://siem.example.com:6514, or the name of a file'
  if (!isReceiver(to) || !URL.canParse(to)) return sentence
  const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(to)
  if (username !== '' || password !== '') return 'contains a user or password; syslog has neither'
  if (hostname === '' || pathname.replace('/', '') + search + hash !== '') return sentence
  if (port === '' || port === '0') return 'has no port; write one such as tls://siem.example.com:6514'
  if (protocol === 'tcp:' && !isLoopback(hostname))
    return 'would be sent unprotected; begin it with tls:// (tcp is for a collector on this machine only)'
  return undefined
}
