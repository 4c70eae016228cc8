// The requests of `probe`: of the interface, one attempt each but for throttling, through the limiter of all requests, and
// never more than the number allowed. Unlike a session it reports what came, also a refusal, instead of judging it.
import { SyncError } from '../core/words/errors.ts'
import type { Clock, SharedWindow } from '../core/ports.ts'
import type { ProbeCalls, ProbedContact } from '../core/service-profile.ts'
import type { ServiceSettings } from '../core/settings.ts'
import type { Attempt } from './http.ts'
import { createLateTransport } from './late-transport.ts'
import type { Method } from './outcome.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { assertEncrypted, lookupMail, lookupName, requestUrl } from './url.ts'
import { waitHints } from './wait-hints.ts'
import {
  type BodyReader,
  contactReader,
  contactsReader,
  hasError,
  readCreatedId,
  readCreatedMembers,
  readCustomFields,
  readTerm,
  readTermPage,
} from './wire.ts'

const LONGEST_PAGE = 500
const THROTTLED_AGAIN = 5
const THROTTLED_MS = 2_000

interface Request {
  readonly method: Method
  readonly segments: Parameters<typeof requestUrl>[1]
  readonly query?: Parameters<typeof requestUrl>[2]
  readonly body?: unknown
}

interface ProbeDeps {
  readonly clock: Clock
  readonly shared: SharedWindow
  /** Requests at most, all attempts included. */
  readonly most: number
}

/** Whether the answer is a success; undefined where none came. */
const isDone = (attempt: Attempt): boolean | undefined =>
  attempt.answered
    ? attempt.status < 300 && !(attempt.body.kind === 'json' && hasError(attempt.body.value))
    : undefined

/** A failure of the service, or half of an answer: whether the request was carried out is open. */
const saysNothing = (attempt: Attempt): boolean =>
  attempt.answered && (attempt.status >= 500 || attempt.status === 429 || attempt.body.kind === 'broken')

function readBy<T>(attempt: Attempt, read: BodyReader<T>): T | undefined {
  if (isDone(attempt) !== true || !attempt.answered || attempt.body.kind !== 'json') return undefined
  return read(attempt.body.value)
}

/** Sends one request, and again as long as it is throttled. */
function createSender(settings: ServiceSettings, { clock, shared, most }: ProbeDeps) {
  assertEncrypted(settings.base_url)
  const transport = createLateTransport(settings)
  const limiter = createRateLimiter(settings.rate_limit, { clock, shared })
  const headers = new Set<string>()
  const never = new AbortController().signal
  const counts = { requests: 0 }
  async function attempt({ method, segments, query, body }: Request): Promise<Attempt> {
    if (counts.requests >= most) return { answered: false, sent: false, code: 'no request left' }
    counts.requests += 1
    const url = requestUrl(settings, segments, query)
    const request = { method, url, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const turn = await limiter.run(() => transport.send(request), never)
    if (turn.kind !== 'taken')
      throw new SyncError('DAILY_LIMIT', 'service.rate_limit.per_day leaves no request for the probe')
    return turn.value
  }
  return {
    ...{ counts, headers },
    async send(request: Request): Promise<Attempt> {
      for (let again = 0; ; again += 1) {
        const answer = await attempt(request)
        if (!answer.answered) return answer
        for (const name of Object.keys(answer.headers)) headers.add(name.toLowerCase())
        if (answer.status !== 429 || again === THROTTLED_AGAIN) return answer
        const { retryAfterMs, resetMs } = waitHints(answer.headers, clock.now())
        limiter.pause(retryAfterMs ?? resetMs ?? THROTTLED_MS)
      }
    },
    async close(): Promise<void> {
      await limiter.idle()
      shared.close(clock.now())
      transport.close()
    },
  }
}

type Send = ReturnType<typeof createSender>['send']

/** Throws where the service cannot be used at all: no answer, a refused key, something that is not the interface. */
function assertUsable(attempt: Attempt): void {
  if (!attempt.answered)
    throw new SyncError('SERVICE_UNREACHABLE', `GET /terms was not answered (${attempt.code})`)
  if (attempt.status === 401 || attempt.status === 403)
    throw new SyncError('SERVICE_KEY_REFUSED', `GET /terms was answered with ${attempt.status}`)
  if (readBy(attempt, readTermPage) === undefined)
    throw new SyncError(
      'SERVICE_CONTRACT',
      `GET /terms was answered with ${attempt.status}, and not with a list of terms`,
    )
}

function lists(send: Send): Pick<ProbeCalls, 'termIds' | 'definitions' | 'createTerm' | 'termNamed'> {
  return {
    async termIds(offset) {
      const query = { offset, limit: LONGEST_PAGE }
      const attempt = await send({ method: 'GET', segments: ['terms'], query })
      if (offset === 0) assertUsable(attempt)
      return readBy(attempt, readTermPage)?.entries.map(({ id }) => id)
    },
    async definitions(offset) {
      const query = { offset, limit: LONGEST_PAGE }
      const attempt = await send({ method: 'GET', segments: ['custom-fields'], query })
      return readBy(attempt, readCustomFields)?.entries
    },
    async createTerm(name) {
      return readBy(await send({ method: 'POST', segments: ['terms'], body: { name } }), readCreatedId)
    },
    async termNamed(name) {
      const segment = lookupName(name)
      if (segment === undefined) return undefined
      return readBy(await send({ method: 'GET', segments: ['terms', segment] }), readTerm)?.id
    },
  }
}

const methods = (check: string, merge: string) => ({
  duplicate_check_method: check,
  duplicate_merge_method: merge,
})

function contactCalls(send: Send): Omit<ProbeCalls, keyof ReturnType<typeof lists> | 'headers' | 'counts'> {
  return {
    async byMail(mail, fields) {
      const segment = lookupMail(mail)
      if (segment === undefined) return undefined
      const asked = [...new Set([...fields, 'mail'])]
      // {} is an empty list of a service that writes lists as objects.
      const readPage = contactsReader(asked, { isFurther: true })
      const attempt = await send({ method: 'GET', segments: ['contact', segment], query: { fields: asked } })
      if (attempt.answered && attempt.status === 404) return []
      return readBy<readonly ProbedContact[]>(attempt, (json) => readPage(json)?.entries)
    },
    async byId(id, fields) {
      const attempt = await send({ method: 'GET', segments: ['contact', id], query: { fields } })
      return readBy(attempt, contactReader(id, fields))?.fields
    },
    async create(contact, check, merge = 'update_add') {
      const body = { contact, ...methods(check, merge) }
      return readBy(await send({ method: 'POST', segments: ['contact'], body }), readCreatedId)
    },
    async createMany(contacts, container) {
      const packed = container === 'array' ? contacts : Object.fromEntries(contacts.entries())
      const body = { contacts: packed, ...methods('email', 'update_add') }
      const attempt = await send({ method: 'POST', segments: ['contacts'], body })
      if (!attempt.answered || attempt.status >= 500) return undefined
      return (readBy(attempt, readCreatedMembers)?.length ?? 0) > 0
    },
    async update(id, fields) {
      const attempt = await send({ method: 'PUT', segments: ['contact', id], body: fields })
      return saysNothing(attempt) ? undefined : isDone(attempt)
    },
    async remove(id) {
      const attempt = await send({ method: 'DELETE', segments: ['contact', id] })
      return isDone(attempt) === true || (attempt.answered && attempt.status === 404)
    },
  }
}

/** Throws CONFIG_INVALID where the key would travel unencrypted. */
export function createProbeCalls(
  settings: ServiceSettings,
  deps: ProbeDeps,
): ProbeCalls & { close(): Promise<void> } {
  const { send, counts, headers, close } = createSender(settings, deps)
  return { counts, headers, close, ...lists(send), ...contactCalls(send) }
}
