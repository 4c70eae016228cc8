// From one attempt to its meaning in words: reads the body as the call expects it, asks the table in
// outcome.ts, and says what happened in a sentence for logs and one for the state. It decides nothing.
import type { AttemptVerdict } from '../core/outcome/retry.ts'
import type { Attempt } from './http.ts'
import { outcome } from './outcome.ts'
import type { BodyKind, Method } from './outcome.ts'
import { serviceMessage, hasError } from './wire.ts'
import type { BodyReader } from './wire.ts'

/** One operation of the interface, ready to be sent. */
export interface Call<T> {
  readonly method: Method
  /** The route template of the interface, `/contact/<contact_id>`: logs and audit never see the URL. */
  readonly path: string
  /** Whether the path names one contact. */
  readonly target: 'object' | 'collection'
  readonly url: URL
  /** JSON text. */
  readonly body?: string
  /** Whether sending it twice has the effect of sending it once. */
  readonly repeatable: boolean
  readonly read: BodyReader<T>
  /** Some services answer 200 with an empty list where one object is asked for and there is none. */
  readonly emptyListIsNone?: boolean
}

export interface Judged<T> {
  readonly verdict: AttemptVerdict
  /** There where the verdict is ok. */
  readonly value: T | undefined
  /** Holds nothing that the service or a person wrote. */
  readonly summary: string
  /** The summary with the service's own words. */
  readonly reason: string
}

type Answer = Extract<Attempt, { answered: true }>

/** What the attempt means. `mask` keeps the key out of the service's words, should it echo it. */
export function judge<T>(call: Call<T>, attempt: Attempt, mask: (text: string) => string): Judged<T> {
  const name = `${call.method} ${call.path}`
  if (!attempt.answered) {
    const fact = attempt.sent ? 'received an incomplete answer' : 'was not sent: no connection to the service'
    const summary = `${name} ${fact} (${attempt.code})`
    return { verdict: outcome(attempt), value: undefined, summary, reason: summary }
  }
  const value = attempt.body.kind === 'json' ? call.read(attempt.body.value) : undefined
  const body = bodyKind(call, attempt, value)
  const { method, target } = call
  const verdict = outcome({ answered: true, method, target, status: attempt.status, body })
  const summary = `${name} was answered with ${attempt.status}${detail(call, attempt, body)}`
  return { verdict, value, summary, reason: withWords(summary, call, { answer: attempt, mask }) }
}

function bodyKind(call: Call<unknown>, { body }: Answer, value: unknown): BodyKind {
  if (body.kind !== 'json') return body.kind
  if (hasError(body.value)) return 'error'
  if (value !== undefined) return 'expected'
  const isNone = call.emptyListIsNone === true && Array.isArray(body.value) && body.value.length === 0
  return isNone ? 'none' : 'json'
}

const DETAILS: Readonly<Record<BodyKind, string>> = {
  expected: '',
  none: '',
  error: ', but the answer reports an error',
  json: ', but the answer does not match the interface',
  other: ', but without JSON',
  broken: ', but the answer broke off',
  oversized: ', but the answer is larger than 8 MB',
}

function detail(call: Call<unknown>, answer: Answer, body: BodyKind): string {
  const { status } = answer
  if (status === 101) return ', a change to another protocol, which is not the interface'
  if (status >= 200 && status < 300) return DETAILS[body]
  if (status >= 300 && status < 400) return ', a redirect, which is never followed'
  const isOwnWord = answer.body.kind === 'json' && call.target === 'object'
  if (status === 404 && !isOwnWord) return '; check that service.base_url names the service itself'
  return ''
}

/** Only the host: the rest of the address may repeat a mail. */
function targetHost({ url }: Call<unknown>, { status, headers: { location } }: Answer): string | undefined {
  if (status < 300 || status >= 400 || typeof location !== 'string') return undefined
  return URL.parse(location, url.href)?.host
}

function withWords(
  summary: string,
  call: Call<unknown>,
  { answer, mask }: { answer: Answer; mask: (text: string) => string },
): string {
  const host = targetHost(call, answer)
  const { body } = answer
  const message = body.kind === 'json' ? serviceMessage(body.value, mask) : undefined
  return [
    summary,
    ...(host === undefined ? [] : [`it leads to ${mask(host)}`]),
    ...(message === undefined ? [] : [message]),
  ].join(': ')
}
