// Which keys a state can hold, in a file and at a server, so that it can be moved from one to the other.
import type { ErrorCode } from '../words/errors.ts'

/** Counted as JavaScript does: an index of a PostgreSQL server holds this many, with what stands beside them there. */
const LONGEST = 600

/** Why a record with this key is rejected; without the key, which nothing could be found by. */
export interface BadKey {
  readonly kind: 'rejected'
  readonly code: Extract<ErrorCode, 'KEY_TOO_LONG' | 'TEXT_DAMAGED'>
  readonly reason: string
  readonly key: undefined
}

const bad = (code: BadKey['code'], reason: string): BadKey => ({
  kind: 'rejected',
  code,
  reason: `key: ${reason}`,
  key: undefined,
})

/** Undefined where a state can hold it, or there is none. */
export function badKey(key: string | undefined): BadKey | undefined {
  if (key === undefined) return undefined
  if (key.length > LONGEST)
    return bad('KEY_TOO_LONG', `has ${key.length} characters; at most ${LONGEST} are possible`)
  // Neither would be found again as it was written.
  if (!key.isWellFormed()) return bad('TEXT_DAMAGED', 'contains half a character (a lone surrogate)')
  return key.includes('\0') ? bad('TEXT_DAMAGED', 'contains the character U+0000') : undefined
}

export const usableKey = (key: string | undefined): string | undefined =>
  badKey(key) === undefined ? key : undefined
