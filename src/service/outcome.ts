// What one attempt came to: a closed table from evidence to verdict. Pure, and the only place that
// gives a status its meaning. In doubt it says `unknown`: a guess here could double or lose a contact.
import type { AttemptVerdict } from '../core/outcome/retry.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * What the body of an answer is: `expected` as the interface says, `none` an empty list where one object
 * was asked for, `error` an object with a truthy `error`, `json` any other object or list, `other` no
 * JSON, `broken` cut off or not decodable, `oversized` more than we take.
 */
export type BodyKind = 'expected' | 'none' | 'error' | 'json' | 'other' | 'broken' | 'oversized'

/** What is known about one attempt. `object`: the path names one contact; `collection`: it names none. */
export type Evidence =
  | { readonly answered: false; readonly sent: boolean }
  | {
      readonly answered: true
      readonly method: Method
      readonly target: 'object' | 'collection'
      readonly status: number
      readonly body: BodyKind
    }

type Answer = Extract<Evidence, { answered: true }>

const verdict = (
  kind: AttemptVerdict['kind'],
  retriable: AttemptVerdict['retriable'] = 'no',
): AttemptVerdict => ({
  kind,
  retriable,
  throttled: false,
})

/** The meaning of an attempt (see CallResult in core/ports.ts for the kinds). */
export function outcome(evidence: Evidence): AttemptVerdict {
  // Without a connection no byte left this machine. With one, the service may have got the whole request.
  if (!evidence.answered) return verdict(evidence.sent ? 'unknown' : 'not_applied', 'yes')
  const { status } = evidence
  if (status >= 200 && status < 300) return ofSuccess(evidence)
  if (status >= 500) return verdict('unknown', 'yes')
  switch (status) {
    case 400:
    case 409:
    case 413:
    case 415:
    case 422:
      return verdict('refused')
    case 401:
      return verdict('denied')
    case 403:
      // Gateways throttle with their own 403 page; the service itself answers with JSON.
      return verdict('denied', isJson(evidence) ? 'no' : 'once')
    case 404:
      return ofNotFound(evidence)
    case 405:
      return evidence.target === 'collection' ? verdict('not_applied') : verdict('unknown')
    case 408:
    case 425:
      return verdict('unknown', 'yes')
    case 429:
      return { kind: 'not_applied', retriable: 'yes', throttled: true }
    default:
      // Redirects are never followed (the key would go with them); other statuses are not the interface's.
      return verdict('unknown')
  }
}

function ofSuccess({ method, body }: Answer): AttemptVerdict {
  switch (body) {
    case 'expected':
      return verdict('ok')
    case 'none':
      return verdict('absent')
    case 'error':
      return verdict('refused')
    case 'broken':
      return verdict('unknown', 'yes')
    case 'other':
      // A page in place of the answer often goes away. A write is read back rather than sent again.
      return verdict('unknown', method === 'GET' ? 'yes' : 'no')
    case 'json':
    case 'oversized':
      return verdict('unknown')
  }
}

/**
 * Only the service itself says in JSON that a contact is not there; a page may mean a wrong base URL.
 * Where even the collection is not known, nothing can have been applied: this is the wrong place.
 */
function ofNotFound(answer: Answer): AttemptVerdict {
  if (answer.target === 'collection') return verdict('not_applied')
  return verdict(isJson(answer) ? 'absent' : 'unknown')
}

function isJson({ body }: Answer): boolean {
  return body === 'expected' || body === 'none' || body === 'error' || body === 'json'
}
