// Asks for a page: credentials, rate limit, retries. No redirect leaves the host, and no message holds more of an address than
// its host: the rest may hold secrets.
import { SyncError } from '../../core/words/errors.ts'
import type { FetchTask } from '../pull/fetcher.ts'
import { parsedAnswer } from './answer.ts'
import { createCredentials } from './credentials.ts'
import type { HttpOptions } from './options.ts'
import { createPace, pauseMs } from './pace.ts'
import { type Answered, createSend, headerText, type Send } from './send.ts'

const MOST_REDIRECTS = 5

export interface AnsweredPage {
  /** Undefined: there is none (204), or no such page (404). */
  readonly answer: unknown
  readonly link: string | undefined
  /** The interface calls it a part of the list (206). */
  readonly isPart: boolean
  /** When the interface began to answer, by its own clock, or before; undefined where it tells no time. */
  readonly begunAt: number | undefined
}

const isPassing = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500
const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** Credentials go to this host alone. */
function redirected(url: URL, { headers }: Answered): URL {
  const location = headerText(headers['location'])
  const to = location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : undefined
  if (to?.origin === url.origin) return to
  const where = to === undefined ? 'nowhere' : `to ${to.origin}`
  throw new SyncError(
    'SOURCE_ANSWER',
    `${url.host} redirects ${where}; redirects are followed within ${url.origin} alone`,
    {
      hint: 'Set source.url to the address that it redirects to, if you trust it with the credentials.',
    },
  )
}

function refusal(url: URL, status: number): SyncError {
  if (status === 401 || status === 403)
    return new SyncError('SOURCE_DENIED', `${url.host} refuses the credentials (${status})`)
  return new SyncError('SOURCE_ANSWER', `${url.host} refuses the request (${status})`)
}

/** Of a page of which the interface has said that it is behind the last one. */
const isBehindLast = (status: number | undefined, mayLack: boolean): boolean => mayLack && status === 404

/** Throws SOURCE_UNREACHABLE, SOURCE_DENIED or SOURCE_ANSWER. `mayLack`: the page may be missing (404). */
type PageAt = (url: URL, mayLack: boolean) => Promise<AnsweredPage>

/** Gives what fetches a page. */
export function createClient(options: HttpOptions, task: FetchTask): PageAt {
  const { clock, signal } = task
  const send = createSend(options, task)
  const pace = createPace(options.rate_limit, task)
  const credentials = createCredentials(options, task)

  async function attempted(url: URL, redirects = 0): ReturnType<Send> {
    await pace()
    const answered = await send(url, { ...options.headers, ...(await credentials.headers()) })
    if (answered.status === undefined || !isRedirect(answered.status)) return answered
    if (redirects === MOST_REDIRECTS)
      throw new SyncError('SOURCE_ANSWER', `${url.host} redirects in a circle`)
    return attempted(redirected(url, answered), redirects + 1)
  }

  /** The header `Date` is of the end of the work, in whole seconds. */
  const begunAt = ({ headers }: Answered, asked: number): number | undefined => {
    const date = Date.parse(headerText(headers['date']) ?? '')
    return Number.isNaN(date) ? undefined : date - Math.ceil(clock.monotonic() - asked)
  }

  return async (url, mayLack) => {
    const asked = clock.monotonic()
    let said = 'does not answer'
    for (let attempt = 1; attempt <= options.attempts;) {
      const answered = await attempted(url)
      if (signal.aborted) break
      const isLacking = isBehindLast(answered.status, mayLack)
      if (answered.status !== undefined && (isLacking || (answered.status >= 200 && answered.status < 300))) {
        credentials.accepted()
        const isBlank = isLacking || answered.status === 204
        return {
          answer: isBlank ? undefined : parsedAnswer(answered.body, url.host),
          link: headerText(answered.headers['link']),
          isPart: answered.status === 206,
          begunAt: begunAt(answered, asked),
        }
      }
      said =
        answered.status === undefined ? `does not answer (${answered.code})` : `answers ${answered.status}`
      const isRenewed = answered.status === 401 && credentials.renew()
      if (answered.status !== undefined && !isPassing(answered.status) && !isRenewed)
        throw refusal(url, answered.status)
      // A new token is no fault of the interface; one that is refused, too, ends the fetch.
      if (isRenewed) continue
      if (attempt < options.attempts) {
        const after = answered.status === undefined ? undefined : headerText(answered.headers['retry-after'])
        await clock.sleep(pauseMs(attempt, after, clock.now()), signal)
      }
      attempt += 1
    }
    throw new SyncError('SOURCE_UNREACHABLE', `${url.host} ${said}, after ${options.attempts} attempts`)
  }
}
