// What is kept of those who are signed in to the console: in the memory of a daemon whose state is a file, and at the server with
// a state that several workers share, so that whichever of them answers knows the session. Ids of sessions and tokens of forms
// are secrets, which a store keeps as digests alone. Texts are what the console makes of searches and decisions; they may hold
// personal data.

const MINUTE_MS = 60_000

export const SESSION_LIMITS = {
  /** Without a request of the user. */
  idleMs: 30 * MINUTE_MS,
  longestMs: 12 * 60 * MINUTE_MS,
  /** Beyond it the oldest session ends: there are only a few users. */
  most: 200,
  /** Of one session; beyond it the oldest is forgotten. */
  searches: 20,
  forms: 100,
  /** A request that comes later than so long after its page was shown is not a reload by the page itself. */
  refreshMs: 30_000,
} as const

export interface KeptSession {
  /** Who signed in. */
  readonly holder: string
  /** The account that was chosen last. */
  readonly account: string | undefined
  /** The page has asked by itself, not the user: it does not keep the user signed in. */
  readonly isRefresh: boolean
}

/** Of a form that was confirmed. */
export interface ClaimedForm {
  /** Under which `outcome` has what came of it. */
  readonly number: number
  /** What was kept with it, for the one request that may carry it out; undefined for every later one. */
  readonly text: string | undefined
}

/** Each method throws a SyncError where the store cannot be reached. A session that is not there has nothing, and keeps nothing. */
export interface SessionStore {
  begin(id: string, holder: string): Promise<void>
  /** Undefined where it was ended or is over. `path`: of the page that is asked for. */
  find(id: string, path: string): Promise<KeptSession | undefined>
  end(id: string): Promise<void>
  chooseAccount(id: string, account: string): Promise<void>
  /** The next requests for this page come from the page itself. */
  noteRefresh(id: string, path: string): Promise<void>
  /** Gives its number. */
  addSearch(id: string, text: string): Promise<number | undefined>
  search(id: string, number: number): Promise<string | undefined>
  addForm(id: string, token: string, text: string): Promise<void>
  /** Gives the text once, however many processes ask for it at the same moment. Undefined: there is no such form. */
  claimForm(id: string, token: string): Promise<ClaimedForm | undefined>
  settleForm(id: string, number: number, text: string): Promise<void>
  /** Of a claimed form; without a text where nothing has come of it yet. Undefined: there is no such form. */
  outcome(id: string, number: number): Promise<{ readonly text: string | undefined } | undefined>
  /** Of all sessions: a person was erased, whom any text may name. Forms that are being carried out keep their place. */
  forgetTexts(): Promise<void>
  close(): Promise<void>
}
