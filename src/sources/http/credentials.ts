// The headers that say who asks. OAuth tokens are kept in memory alone: each fetch asks for its own, and renews it when it
// expires or is refused.
import { SyncError } from '../../core/words/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { parsedAnswer, valueAtPath } from './answer.ts'
import type { Send } from './send.ts'
import type { HttpOptions } from './options.ts'

type Headers = Readonly<Record<string, string>>
type OAuth2 = NonNullable<NonNullable<HttpOptions['auth']>['oauth2']>

export interface Credentials {
  headers(): Promise<Headers>
  /** After a 401: whether other ones can be had. */
  renew(): boolean
}

/** A token is given up so long before it expires. */
const BEFORE_END_MS = 30_000
const USUAL_LIFE_S = 3600

const fixed = (headers: Headers): Credentials => ({
  headers: () => Promise.resolve(headers),
  renew: () => false,
})

interface Token {
  readonly text: string
  readonly until: number
}

async function fetchToken(oauth2: OAuth2, { send, clock }: { send: Send; clock: Clock }): Promise<Token> {
  const { token_url, client_id, client_secret, scope, refresh_token } = oauth2
  const url = new URL(token_url)
  const grant =
    refresh_token === undefined
      ? { grant_type: 'client_credentials' }
      : { grant_type: 'refresh_token', refresh_token }
  const answered = await send(
    url,
    {},
    {
      ...grant,
      client_id,
      ...(client_secret === undefined ? {} : { client_secret }),
      ...(scope === undefined ? {} : { scope }),
    },
  )
  if (answered.status === undefined)
    throw new SyncError('SOURCE_UNREACHABLE', `${url.host} gives no token (${answered.code})`)
  if (answered.status >= 500 || answered.status === 429)
    throw new SyncError('SOURCE_UNREACHABLE', `${url.host} gives no token (${answered.status})`)
  if (answered.status !== 200)
    throw new SyncError('SOURCE_DENIED', `${url.host} gives no token (${answered.status})`)
  const answer = parsedAnswer(answered.body, url.host)
  const text = valueAtPath(answer, 'access_token')
  const life = Number(valueAtPath(answer, 'expires_in') ?? USUAL_LIFE_S)
  // It becomes a header: a line break in it would become another one.
  if (typeof text !== 'string' || !/^[\x21-\x7e]+$/.test(text))
    throw new SyncError('SOURCE_ANSWER', `the answer of ${url.host} has no access_token`)
  return {
    text,
    until: clock.monotonic() + (Number.isFinite(life) ? life : USUAL_LIFE_S) * 1000 - BEFORE_END_MS,
  }
}

function renewing(oauth2: OAuth2, parts: { send: Send; clock: Clock }): Credentials {
  let token: Token | undefined
  let refused: string | undefined
  return {
    async headers() {
      if (token === undefined || parts.clock.monotonic() > token.until)
        token = await fetchToken(oauth2, parts)
      return { authorization: `Bearer ${token.text}` }
    },
    renew() {
      // One that was just fetched, and is refused like the one before, is not the reason.
      if (token === undefined || refused !== undefined) return false
      refused = token.text
      token = undefined
      return true
    },
  }
}

export function createCredentials(
  auth: HttpOptions['auth'],
  parts: { send: Send; clock: Clock },
): Credentials {
  if (auth?.oauth2 !== undefined) return renewing(auth.oauth2, parts)
  if (auth?.header !== undefined) return fixed({ [auth.header.name.toLowerCase()]: auth.header.value ?? '' })
  if (auth?.basic !== undefined) {
    const { user, password = '' } = auth.basic
    return fixed({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` })
  }
  return fixed(auth === undefined ? {} : { authorization: `Bearer ${auth.bearer ?? ''}` })
}
