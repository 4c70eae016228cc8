// What one session knows about its key. A service may refuse a good key once in a while: after it was taken, a single
// 401 is looked at once more. Two in a row are a refusal. It never lets through more than the calls under way.

export interface KeyTrust {
  /** An attempt leaves; gives its number. */
  begin(): number
  /** The attempt's answer: the key was taken with it. */
  taken(attempt: number): void
  /** An attempt was answered with 401; whether the call may be sent once more. */
  refused(): boolean
}

export function createKeyTrust(): KeyTrust {
  let begun = 0
  let isProven = false
  /** The last attempt that had left when the key was refused. */
  let doubtedAfter: number | undefined
  return {
    begin() {
      begun += 1
      return begun
    },
    taken(attempt) {
      isProven = true
      // What had left before the refusal may have been served before the key was revoked: it proves nothing.
      if (doubtedAfter !== undefined && attempt > doubtedAfter) doubtedAfter = undefined
    },
    refused() {
      if (!isProven || doubtedAfter !== undefined) return false
      doubtedAfter = begun
      return true
    },
  }
}
