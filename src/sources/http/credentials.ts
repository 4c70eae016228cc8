// The headers that say who asks.
import type { FetchTask } from '../pull/fetcher.ts'
import { type AccessToken, createTokens, type OAuth2 } from './oauth.ts'
import type { HttpOptions } from './options.ts'
import { createSend } from './send.ts'

type Headers = Readonly<Record<string, string>>

export interface Credentials {
  headers(): Promise<Headers>
  /** After a 401: whether other ones can be had. */
  renew(): boolean
  /** They were taken. */
  accepted(): void
}

/** An answer with a token is waited for so long, whatever else ends meanwhile. */
const LONGEST_MS = 30_000

const fixed = (headers: Headers): Credentials => ({
  headers: () => Promise.resolve(headers),
  renew: () => false,
  accepted: () => undefined,
})

function renewing(oauth2: OAuth2, options: HttpOptions, task: FetchTask): Credentials {
  // The end of a run does not cut this request off: a refresh token that its answer brings would be lost.
  const own = { signal: new AbortController().signal }
  const send = createSend({ timeout: Math.min(options.timeout, LONGEST_MS) }, own)
  const fetchToken = createTokens(oauth2, { ...task, send })
  const { clock } = task
  let token: (AccessToken & { readonly end: number }) | undefined
  let refused: string | undefined
  return {
    async headers() {
      if (token === undefined || clock.monotonic() > token.end) {
        const given = await fetchToken(refused)
        token = { ...given, end: clock.monotonic() + given.until - clock.now() }
      }
      return { authorization: `Bearer ${token.text}` }
    },
    renew() {
      // One that was just fetched, and is refused like the one before, is not the reason.
      if (token === undefined || refused !== undefined) return false
      refused = token.text
      token = undefined
      return true
    },
    accepted() {
      refused = undefined
    },
  }
}

export function createCredentials(options: HttpOptions, task: FetchTask): Credentials {
  const { auth } = options
  if (auth?.oauth2 !== undefined) return renewing(auth.oauth2, options, task)
  if (auth?.header !== undefined) return fixed({ [auth.header.name.toLowerCase()]: auth.header.value ?? '' })
  if (auth?.basic !== undefined) {
    const { user, password = '' } = auth.basic
    return fixed({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` })
  }
  return fixed(auth === undefined ? {} : { authorization: `Bearer ${auth.bearer ?? ''}` })
}
