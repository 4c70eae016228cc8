// Who is signed in. Sessions live in memory: a restart ends them all, and nothing of them is ever on a disk.
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../core/ports.ts'
import type { Proposed } from './decisions.ts'
import type { Decided } from './pages/decision.ts'

export interface Session {
  /** The account that was chosen last; undefined: none was. */
  account?: string
  /** What was searched for, newest last: it may be a person's mail, so it stands in no address. */
  readonly searches: Map<number, string>
  searched: number
  /** Decisions that were shown and may be confirmed, by the token of their form. */
  readonly forms: Map<string, PendingDecision>
  /** What came of those that were confirmed, by number. */
  readonly results: Map<number, Decided>
  decided: number
  /** Pages that load themselves again, by path, with the moment of the request. */
  readonly refreshing: Map<string, number>
  /** When a request came last. */
  askedAt: number
}

export interface PendingDecision {
  readonly proposed: Proposed
  /** Once it was confirmed. */
  result?: Promise<Decided>
}

export const newSession = (): Session => ({
  searches: new Map(),
  searched: 0,
  forms: new Map(),
  results: new Map(),
  decided: 0,
  refreshing: new Map(),
  askedAt: 0,
})

export interface OpenSession extends Session {
  /** The id of who signed in: a session ends with its user or token. */
  readonly holder: string
}

/** `isRefresh`: the page has asked, not the user. */
export interface FoundSession {
  readonly session: OpenSession
  readonly isRefresh: boolean
}

interface Kept extends OpenSession {
  readonly began: number
  lastSeen: number
}

export interface Sessions {
  /** `holder`: the id of who signs in. Gives the id for the cookie. */
  begin(holder: string): string
  /** `isCurrent`: whether the holder may still sign in. `path`: what is asked for. */
  find(
    id: string | undefined,
    asked: { isCurrent(holder: string): boolean; readonly path: string },
  ): FoundSession | undefined
  end(id: string | undefined): void
}

const MINUTE_MS = 60_000
/** Without a request. */
const IDLE_MS = 30 * MINUTE_MS
const LONGEST_MS = 12 * 60 * MINUTE_MS
/** Beyond it the oldest ends: there are only a few users. */
const MOST = 200
const MOST_SEARCHES = 20
const LATEST_REFRESH_MS = 30_000

/** Ids are kept as digests: who could read the memory's map of them could use none. */
const digest = (id: string): string => createHash('sha256').update(id).digest('hex')

export function createSessions(clock: Clock): Sessions {
  const kept = new Map<string, Kept>()
  return {
    begin(holder) {
      const [oldest] = kept.keys()
      if (kept.size >= MOST && oldest !== undefined) kept.delete(oldest)
      const id = randomBytes(32).toString('base64url')
      const now = clock.monotonic()
      kept.set(digest(id), { began: now, lastSeen: now, holder, ...newSession() })
      return id
    },
    find(id, { isCurrent, path }) {
      if (id === undefined) return undefined
      const session = kept.get(digest(id))
      if (session === undefined) return undefined
      const now = clock.monotonic()
      const isOver = now - session.lastSeen > IDLE_MS || now - session.began > LONGEST_MS
      if (isOver || !isCurrent(session.holder)) {
        kept.delete(digest(id))
        return undefined
      }
      const refreshedAt = session.refreshing.get(path) ?? -Infinity
      session.refreshing.delete(path)
      const isRefresh = now - refreshedAt < LATEST_REFRESH_MS
      // A page that is left open on a screen does not keep its user signed in.
      if (!isRefresh) session.lastSeen = now
      session.askedAt = now
      return { session, isRefresh }
    },
    end(id) {
      if (id !== undefined) kept.delete(digest(id))
    },
  }
}

/** The next request for the page comes from the page itself. */
export function noteRefreshed({ refreshing, askedAt }: Session, path: string): void {
  refreshing.set(path, askedAt)
  const [oldest] = refreshing.keys()
  if (refreshing.size > MOST_SEARCHES && oldest !== undefined) refreshing.delete(oldest)
}

/** Keeps what was searched for; gives its number, which may stand in an address. */
export function rememberSearch(session: Session, text: string): number {
  session.searched += 1
  session.searches.set(session.searched, text)
  const [oldest] = session.searches.keys()
  if (session.searches.size > MOST_SEARCHES && oldest !== undefined) session.searches.delete(oldest)
  return session.searched
}
