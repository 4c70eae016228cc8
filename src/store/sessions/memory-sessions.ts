// Sessions in the memory of this process, beside a state in a file: a restart ends them all, and nothing of them is ever on a
// disk.
import { createHash } from 'node:crypto'
import { type ClaimedForm, SESSION_LIMITS, type SessionStore } from '../../core/console-sessions.ts'
import type { Clock } from '../../core/ports.ts'

interface KeptForm {
  readonly number: number
  /** Undefined once it was claimed. */
  text: string | undefined
  outcome: string | undefined
}

interface Kept {
  readonly holder: string
  account: string | undefined
  readonly began: number
  /** When the user asked last. */
  lastSeen: number
  /** Pages that load themselves again, by path, with the moment of the request. */
  readonly refreshing: Map<string, number>
  readonly searches: Map<number, string>
  lastSearch: number
  /** By the digest of their token. */
  readonly forms: Map<string, KeptForm>
  lastForm: number
}

const MOST_REFRESHING = 20

const digest = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Drops the oldest beyond so many. */
function bound(map: Map<unknown, unknown>, most: number): void {
  const [oldest] = map.keys()
  if (map.size > most) map.delete(oldest)
}

const newSession = (holder: string, now: number): Kept => ({
  holder,
  account: undefined,
  began: now,
  lastSeen: now,
  refreshing: new Map(),
  searches: new Map(),
  lastSearch: 0,
  forms: new Map(),
  lastForm: 0,
})

/** Undefined where it is over. */
function used({ holder, account, began, refreshing, ...kept }: Kept, path: string, now: number) {
  const { idleMs, longestMs, refreshMs } = SESSION_LIMITS
  if (now - kept.lastSeen > idleMs || now - began > longestMs) return undefined
  const isRefresh = now - (refreshing.get(path) ?? -Infinity) < refreshMs
  return { holder, account, isRefresh }
}

function addSearch(session: Kept, text: string): number {
  session.lastSearch += 1
  session.searches.set(session.lastSearch, text)
  bound(session.searches, SESSION_LIMITS.searches)
  return session.lastSearch
}

function addForm(session: Kept, token: string, text: string): void {
  session.lastForm += 1
  session.forms.set(digest(token), { number: session.lastForm, text, outcome: undefined })
  bound(session.forms, SESSION_LIMITS.forms)
}

function claimForm({ forms }: Kept, token: string): ClaimedForm | undefined {
  const form = forms.get(digest(token))
  if (form === undefined) return undefined
  const { number, text } = form
  form.text = undefined
  return { number, text }
}

const claimedForm = ({ forms }: Kept, number: number): KeptForm | undefined =>
  [...forms.values()].find((form) => form.number === number && form.text === undefined)

function forgetTexts({ searches, forms }: Kept): void {
  searches.clear()
  for (const [token, form] of forms)
    if (form.text !== undefined || form.outcome !== undefined) forms.delete(token)
}

export function createMemorySessions(clock: Clock): SessionStore {
  const sessions = new Map<string, Kept>()
  /** What the work gives, in the session; undefined where that is not there. */
  async function within<T>(id: string, work: (session: Kept) => T): Promise<T | undefined> {
    const session = sessions.get(digest(id))
    return session && work(session)
  }
  return {
    async begin(id, holder) {
      sessions.set(digest(id), newSession(holder, clock.monotonic()))
      bound(sessions, SESSION_LIMITS.most)
    },
    find: (id, path) =>
      within(id, (session) => {
        const now = clock.monotonic()
        const found = used(session, path, now)
        if (found === undefined) sessions.delete(digest(id))
        // A page that is left open on a screen does not keep its user signed in.
        else if (!found.isRefresh) session.lastSeen = now
        return found
      }),
    end: async (id) => void sessions.delete(digest(id)),
    chooseAccount: (id, account) => within(id, (session) => void (session.account = account)),
    noteRefresh: (id, path) =>
      within(id, ({ refreshing }) => {
        refreshing.delete(path)
        refreshing.set(path, clock.monotonic())
        bound(refreshing, MOST_REFRESHING)
      }),
    addSearch: (id, text) => within(id, (session) => addSearch(session, text)),
    search: (id, number) => within(id, ({ searches }) => searches.get(number)),
    addForm: (id, token, text) => within(id, (session) => addForm(session, token, text)),
    claimForm: (id, token) => within(id, (session) => claimForm(session, token)),
    settleForm: (id, number, text) =>
      within(id, (session) => {
        const form = claimedForm(session, number)
        if (form !== undefined) form.outcome = text
      }),
    outcome: (id, number) =>
      within(id, (session) => {
        const form = claimedForm(session, number)
        return form && { text: form.outcome }
      }),
    async forgetTexts() {
      for (const session of sessions.values()) forgetTexts(session)
    },
    async close() {
      sessions.clear()
    },
  }
}
