// How the rate comes back after the service has asked for fewer requests.

// From half to full within a minute after calls continue, well inside the two minutes that are promised.
export const RECOVERY_MS = 60_000

/** The places of a window that was cut down to `places`, so long after calls have resumed. */
export function grownBack(requests: number, places: number, sinceResumedMs: number): number {
  const recovered = Math.min(1, Math.max(0, sinceResumedMs / RECOVERY_MS))
  return Math.floor(places + (requests - places) * recovered)
}
