// How much of the configured rate is used: all of it, until the service says "too many requests"; then
// half, growing back. It only computes; times are monotonic milliseconds.
import { RECOVERY_MS } from '../core/outcome/recovery.ts'

export interface Allowance {
  /** How many of `requests` places may be used now; at least one. */
  places(nowMs: number): number
  /**
   * A request sent at `sentAtMs` was throttled, and calls continue at `resumeAtMs`. Requests that were under
   * way together are throttled together, so only those sent after the last halving halve again.
   */
  halve(times: { nowMs: number; sentAtMs: number; resumeAtMs: number }): void
}

/** `requests`: the full number of places in a window. */
export function createAllowance(requests: number): Allowance {
  let share = 1
  let halvedAtMs = -Infinity
  let resumeAtMs = -Infinity

  function shareAt(nowMs: number): number {
    const recovered = (nowMs - resumeAtMs) / RECOVERY_MS
    if (recovered >= 1) return 1
    return share + (1 - share) * Math.max(0, recovered)
  }

  return {
    places: (nowMs) => Math.max(1, Math.floor(requests * shareAt(nowMs))),
    halve(times) {
      if (times.sentAtMs >= halvedAtMs) {
        share = Math.max(shareAt(times.nowMs) / 2, 1 / requests)
        halvedAtMs = times.nowMs
      }
      resumeAtMs = Math.max(resumeAtMs, times.resumeAtMs)
    },
  }
}
