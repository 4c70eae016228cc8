// Access to metrics and pages: by a token of the configuration for the one or the other. Compared in constant time, and
// guessing is throttled. A token that was sent is never kept or logged.
import type { Clock } from '../core/ports.ts'
import { isRightSecret, secretDigest } from '../core/words/secrets/secret-digest.ts'
import type { UserRole } from '../core/words/user-roles.ts'

/** closed: no token is configured, so there is no access. throttled: too many wrong ones came from there. */
export type TokenVerdict = 'right' | 'wrong' | 'closed' | 'throttled'

/** Who may show which token; without a name: the token of the console, which only reads. */
export interface TokenOwner {
  readonly token: string | undefined
  readonly name?: string
  readonly role?: UserRole
}

/** Whose token was shown. */
export interface TokenHolder {
  /** A digest of name and token: another one of the same name is another holder. */
  readonly id: string
  readonly name: string | undefined
  readonly role: UserRole
}

export interface TokenGate {
  /** Checks a token that a client at this address has sent; a wrong one counts against the address. */
  judge(shown: string, from: string): TokenVerdict
  /** Whether there is a token to show at all. */
  isOpen(): boolean
  /** Whose token this is; only for one that was judged right. */
  holderOf(shown: string): TokenHolder | undefined
  /** The holder of this id, while the configuration still names that user with that token. */
  holder(id: string): TokenHolder | undefined
}

/** Wrong tokens of one address within WINDOW_MS; then it waits until the window is over. */
const GUESSES = 10
const WINDOW_MS = 60_000
/** Far more addresses than are ever used; beyond it the oldest are dropped, so that memory stays bounded. */
const MOST_ADDRESSES = 10_000

/** How long a throttled address waits at most, in seconds. */
export const RETRY_AFTER_S = WINDOW_MS / 1000

/** The token of an `Authorization: Bearer` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
}

interface Configured extends TokenHolder {
  readonly digest: Buffer
}

function withDigests(owners: readonly TokenOwner[]): readonly Configured[] {
  return owners.flatMap(({ token, name, role = 'viewer' }) =>
    token === undefined || token === ''
      ? []
      : [
          {
            name,
            role,
            digest: secretDigest(token),
            id: secretDigest(JSON.stringify([name ?? null, token])).toString('hex'),
          },
        ],
  )
}

/** `owners` are asked each time: a reload may have changed them. Each token opens; an undefined one opens nothing. */
export function createTokenGate(owners: () => readonly TokenOwner[], clock: Clock): TokenGate {
  const configured = (): readonly Configured[] => withDigests(owners())
  /** Compares with each, so that the time tells nothing. */
  const fitting = (shown: string, among: readonly Configured[]): Configured | undefined =>
    among.filter((one) => isRightSecret(shown, one.digest))[0]
  const wrong = new Map<string, { count: number; until: number }>()

  function guessed(from: string, now: number): void {
    const known = wrong.get(from)
    if (known !== undefined && known.until > now) {
      known.count += 1
      return
    }
    wrong.delete(from)
    const [oldest] = wrong.keys()
    if (wrong.size >= MOST_ADDRESSES && oldest !== undefined) wrong.delete(oldest)
    wrong.set(from, { count: 1, until: now + WINDOW_MS })
  }

  return {
    isOpen: () => configured().length > 0,
    holderOf: (shown) => fitting(shown, configured()),
    holder: (id) => configured().find((one) => one.id === id),
    judge(shown, from) {
      const right = configured()
      if (right.length === 0) return 'closed'
      const now = clock.monotonic()
      const known = wrong.get(from)
      if (known !== undefined && known.until > now && known.count >= GUESSES) return 'throttled'
      if (fitting(shown, right) !== undefined) return 'right'
      guessed(from, now)
      return 'wrong'
    },
  }
}
