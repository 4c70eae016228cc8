// Access to metrics and pages: by a token of the configuration for the one or the other. Compared in constant time, and
// guessing is throttled. A token that was sent is never kept or logged.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/ports.ts'

/** closed: no token is configured, so there is no access. throttled: too many wrong ones came from there. */
export type TokenVerdict = 'right' | 'wrong' | 'closed' | 'throttled'

export interface TokenGate {
  /** Checks a token that a client at this address has sent; a wrong one counts against the address. */
  judge(shown: string, from: string): TokenVerdict
  /** Whether there is a token to show at all. */
  isOpen(): boolean
  /** A digest of the tokens of now, to tell them from later ones; undefined where there is none. */
  digest(): string | undefined
}

/** Wrong tokens of one address within WINDOW_MS; then it waits until the window is over. */
const GUESSES = 10
const WINDOW_MS = 60_000
/** Far more addresses than are ever used; beyond it the oldest are dropped, so that memory stays bounded. */
const MOST_ADDRESSES = 10_000

/** How long a throttled address waits at most, in seconds. */
export const RETRY_AFTER_S = WINDOW_MS / 1000

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()

/** The token of an `Authorization: Bearer` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
}

/** `tokens` are asked each time: a reload may have changed them. Each opens; an undefined one opens nothing. */
export function createTokenGate(tokens: () => readonly (string | undefined)[], clock: Clock): TokenGate {
  const configured = (): readonly string[] => tokens().filter((token) => token !== undefined)
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
    digest() {
      const right = configured()
      return right.length === 0 ? undefined : digest(right.join(' ')).toString('hex')
    },
    judge(shown, from) {
      const right = configured()
      if (right.length === 0) return 'closed'
      const now = clock.monotonic()
      const known = wrong.get(from)
      if (known !== undefined && known.until > now && known.count >= GUESSES) return 'throttled'
      const given = digest(shown)
      if (right.filter((token) => timingSafeEqual(given, digest(token))).length > 0) return 'right'
      guessed(from, now)
      return 'wrong'
    },
  }
}
