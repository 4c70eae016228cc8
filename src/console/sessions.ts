// Sessions as pages use them, over a store that keeps texts: what was searched for, and decisions that were shown, in the words of
// the console. Where the store cannot be reached there is one answer to every page, which says so.
import { randomBytes } from 'node:crypto'
import type { SessionStore } from '../core/console-sessions.ts'
import type { Proposed } from './decisions.ts'
import type { Decided } from './pages/decision.ts'

/** No page can be shown: it is not known who asks. The cause is for the log, not for the page. */
export class SessionsUnavailable extends Error {
  override readonly name = 'SessionsUnavailable'
}

/** A decision that was confirmed. */
interface ConfirmedForm {
  readonly number: number
  /** For the one request that takes it; undefined: another one has, or had. */
  readonly proposed: Proposed | undefined
}

/** Of a user who is signed in. */
export interface Session {
  /** The account that was chosen last; undefined: none was. */
  readonly account: string | undefined
  chooseAccount(account: string): Promise<void>
  /** The next requests for the page come from the page itself. */
  noteRefresh(path: string): Promise<void>
  /**
   * Keeps what was searched for, which may be a person's mail and so stands in no address; gives its number, which may.
   * Undefined: the session has ended meanwhile.
   */
  rememberSearch(text: string): Promise<number | undefined>
  searched(number: number): Promise<string | undefined>
  /** Keeps a decision that is shown; gives the token of its form. `account`: what it is about, and can be confirmed for alone. */
  keepForm(account: string, proposed: Proposed): Promise<string>
  /** Gives it to one request alone, at whichever worker. */
  claimForm(account: string, token: string): Promise<ConfirmedForm | undefined>
  settleForm(number: number, decided: Decided): Promise<void>
  /** What came of it: `open` where that is not known yet. */
  decided(number: number): Promise<Decided | 'open' | undefined>
}

/** `isRefresh`: the page has asked, not the user. */
export interface FoundSession {
  readonly session: Session
  /** The id of who signed in: a session ends with its user or token. */
  readonly holder: string
  readonly isRefresh: boolean
}

export interface Sessions {
  /** `holder`: the id of who signs in. Gives the id for the cookie. */
  begin(holder: string): Promise<string>
  /** `isCurrent`: whether the holder may still sign in. `path`: what is asked for. */
  find(
    id: string | undefined,
    asked: { isCurrent(holder: string): boolean; readonly path: string },
  ): Promise<FoundSession | undefined>
  end(id: string | undefined): Promise<void>
}

/** Whatever its methods fail with: it cannot be reached. */
function reaching(store: SessionStore): SessionStore {
  return new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: readonly unknown[]) => Promise<unknown>
      return async (...args: readonly unknown[]) => {
        try {
          return await method(...args)
        } catch (cause) {
          throw new SessionsUnavailable('sessions cannot be read or kept', { cause })
        }
      }
    },
  })
}

/** A token is good for the account that its form is about: the same number means something else in another one. */
const keyOf = (account: string, token: string): string => JSON.stringify([account, token])

function sessionOver(store: SessionStore, id: string, account: string | undefined): Session {
  return {
    account,
    chooseAccount: (name) => store.chooseAccount(id, name),
    noteRefresh: (path) => store.noteRefresh(id, path),
    rememberSearch: (text) => store.addSearch(id, text),
    searched: (number) => store.search(id, number),
    async keepForm(about, proposed) {
      const token = randomBytes(24).toString('base64url')
      await store.addForm(id, keyOf(about, token), JSON.stringify(proposed))
      return token
    },
    async claimForm(about, token) {
      const claimed = await store.claimForm(id, keyOf(about, token))
      if (claimed === undefined) return undefined
      const { number, text } = claimed
      return { number, proposed: text === undefined ? undefined : (JSON.parse(text) as Proposed) }
    },
    settleForm: (number, decided) => store.settleForm(id, number, JSON.stringify(decided)),
    async decided(number) {
      const outcome = await store.outcome(id, number)
      if (outcome === undefined) return undefined
      return outcome.text === undefined ? 'open' : (JSON.parse(outcome.text) as Decided)
    },
  }
}

export function createSessions(kept: SessionStore): Sessions {
  const store = reaching(kept)
  return {
    async begin(holder) {
      const id = randomBytes(32).toString('base64url')
      await store.begin(id, holder)
      return id
    },
    async find(id, { isCurrent, path }) {
      if (id === undefined) return undefined
      const found = await store.find(id, path)
      if (found === undefined) return undefined
      const { holder, account, isRefresh } = found
      if (isCurrent(holder)) return { session: sessionOver(store, id, account), holder, isRefresh }
      await store.end(id)
      return undefined
    },
    async end(id) {
      if (id !== undefined) await store.end(id)
    },
  }
}
