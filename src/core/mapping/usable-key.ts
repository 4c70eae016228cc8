// Which keys a state can hold, in a file and at a server, so that it can be moved from one to the other.
import type { ErrorCode } from '../words/errors.ts'

/** Counted as JavaScript does: an index of a PostgreSQL server holds this many, with what stands beside them there. */
const LONGEST = 600

export interface KeyFault {
  readonly code: Extract<ErrorCode, 'KEY_TOO_LONG' | 'TEXT_DAMAGED'>
  readonly reason: string
}

export function keyFault(key: string): KeyFault | undefined {
  if (key.length > LONGEST)
    return {
      code: 'KEY_TOO_LONG',
      reason: `key: has ${key.length} characters; at most ${LONGEST} are possible`,
    }
  // Neither would be found again as it was written.
  if (!key.isWellFormed())
    return { code: 'TEXT_DAMAGED', reason: 'key: contains half a character (a lone surrogate)' }
  return key.includes('\0')
    ? { code: 'TEXT_DAMAGED', reason: 'key: contains the character U+0000' }
    : undefined
}

export const usableKey = (key: string | undefined): string | undefined =>
  key === undefined || keyFault(key) !== undefined ? undefined : key
