// Habits of real services that the interface leaves open. All off: the sandbox answers as the document says.

export interface Habits {
  /** The key may set `mail_status`; otherwise it is ignored without a word. */
  readonly mailStatusPermission: boolean
  /** Ids are written as text. */
  readonly idsAsText: boolean
  /** Lists are written as objects whose keys are numbers. */
  readonly keyedLists: boolean
  /** An unknown mail is answered with 404 instead of an empty list. */
  readonly unknownMailIs404: boolean
  /** How success is written. */
  readonly success: 'true' | true | 1
  /** Bulk answers come in the opposite order. */
  readonly reversedBulk: boolean
  /** So many requests in any sliding window; 429 with Retry-After beyond it. */
  readonly rateLimit: { readonly requests: number; readonly perMs: number } | undefined
  /** Milliseconds before every answer. */
  readonly latencyMs: number
}

export const PLAIN_HABITS: Habits = {
  mailStatusPermission: false,
  idsAsText: false,
  keyedLists: false,
  unknownMailIs404: false,
  success: 'true',
  reversedBulk: false,
  rateLimit: undefined,
  latencyMs: 0,
}
