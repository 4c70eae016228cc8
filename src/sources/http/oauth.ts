// Tokens of OAuth 2.0, for the client itself or, with a refresh token, for a user. They are kept sealed, so that the next
// run uses them, too; a refresh token that the server replaces is kept before the access token that came with it is used.
import { SyncError } from '../../core/words/errors.ts'
import { createTextSeal, type TextSeal } from '../../core/words/secrets/text-seal.ts'
import type { KeptToken } from '../../core/token-vault.ts'
import type { FetchTask } from '../pull/fetcher.ts'
import { parsedAnswer, valueAtPath } from './answer.ts'
import type { HttpOptions } from './options.ts'
import type { Send } from './send.ts'

export type OAuth2 = NonNullable<NonNullable<HttpOptions['auth']>['oauth2']>
type TokenParts = Pick<FetchTask, 'clock' | 'signal' | 'tokens'> & { readonly send: Send }

export interface AccessToken {
  readonly text: string
  /** By the wall clock, since other processes read it. */
  readonly until: number
}

/** What is kept; `scope`: what the access token is for. */
interface Granted extends AccessToken {
  readonly scope: string
  readonly refresh?: string | undefined
}

/** A token is renewed so long before it expires. */
const BEFORE_END_MS = 30_000
const USUAL_LIFE_S = 3600
/** They become parts of headers and forms: a line break in one would become another header. */
const TOKEN = /^[\x21-\x7e]+$/

const isToken = (value: unknown): value is string => typeof value === 'string' && TOKEN.test(value)

function assertGiven(host: string, answered: Awaited<ReturnType<Send>>, isForUser: boolean): Buffer {
  const { status } = answered
  if (status === undefined)
    throw new SyncError('SOURCE_UNREACHABLE', `${host} gives no token (${answered.code})`)
  if (status >= 500 || status === 429)
    throw new SyncError('SOURCE_UNREACHABLE', `${host} gives no token (${status})`)
  if (status === 200) return answered.body
  const hint = isForUser
    ? 'The refresh token may have been withdrawn, or used by another program: get a new one, and set it as source.auth.oauth2.refresh_token.'
    : undefined
  throw new SyncError(
    'SOURCE_DENIED',
    `${host} gives no token (${status})`,
    hint === undefined ? {} : { hint },
  )
}

async function fetchGrant(
  { token_url, client_id, client_secret, scope }: OAuth2,
  refresh: string | undefined,
  { send, clock }: TokenParts,
): Promise<Granted> {
  const url = new URL(token_url)
  const grant =
    refresh === undefined
      ? { grant_type: 'client_credentials' }
      : { grant_type: 'refresh_token', refresh_token: refresh }
  const form = {
    ...{ ...grant, client_id },
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(scope === undefined ? {} : { scope }),
  }
  const asked = clock.now()
  const answer = parsedAnswer(
    assertGiven(url.host, await send(url, {}, form), refresh !== undefined),
    url.host,
  )
  const text = valueAtPath(answer, 'access_token')
  if (!isToken(text)) throw new SyncError('SOURCE_ANSWER', `the answer of ${url.host} has no access_token`)
  const life = Number(valueAtPath(answer, 'expires_in') ?? USUAL_LIFE_S)
  const until = asked + (Number.isFinite(life) ? life : USUAL_LIFE_S) * 1000 - BEFORE_END_MS
  const replaced = valueAtPath(answer, 'refresh_token')
  return { text, until, scope: scope ?? '', refresh: isToken(replaced) ? replaced : refresh }
}

/** Undefined where there is no secret that tokens could be sealed under. */
function sealFor({
  token_url,
  client_id,
  client_secret,
  scope,
  refresh_token,
}: OAuth2): TextSeal | undefined {
  // With the refresh token of the configuration, as long as that is the same: a new one starts over.
  if (refresh_token !== undefined)
    return createTextSeal(refresh_token, ['contact-sync token', 'user', token_url, client_id])
  if (client_secret === undefined) return undefined
  return createTextSeal(client_secret, ['contact-sync token', 'client', token_url, client_id, scope ?? ''])
}

function keptGrant(seal: TextSeal, { kept }: KeptToken): Granted | undefined {
  const text = kept === undefined ? undefined : seal.open(kept)
  return text === undefined ? undefined : (JSON.parse(text) as Granted)
}

/** Gives a token that was not refused: a kept one that is valid still, or a new one. */
export function createTokens(
  oauth2: OAuth2,
  parts: TokenParts,
): (refused: string | undefined) => Promise<AccessToken> {
  const { clock, signal, tokens } = parts
  const seal = tokens === undefined ? undefined : sealFor(oauth2)
  if (tokens === undefined || seal === undefined) return () => fetchGrant(oauth2, oauth2.refresh_token, parts)
  return (refused) =>
    tokens.exclusive(seal.name, { clock, signal }, async (token) => {
      const known = keptGrant(seal, token)
      // Another process, or another pipeline, may have renewed it meanwhile.
      const isFit = known !== undefined && known.text !== refused && known.scope === (oauth2.scope ?? '')
      if (isFit && clock.now() < known.until) return known
      const keep = (grant: Granted): void => token.keep(seal.seal(JSON.stringify(grant)))
      const refresh = known?.refresh ?? oauth2.refresh_token
      // Written before the server replaces the one: where a disk is full, the other would be lost.
      if (refresh !== undefined) keep({ text: '', until: 0, scope: '', ...known, refresh })
      const granted = await fetchGrant(oauth2, refresh, parts)
      keep(granted)
      return granted
    })
}
