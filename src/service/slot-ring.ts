// The places of the rate limit. A place is taken when a request is sent and free again one window after
// its answer came, so that no window of the service, which counts somewhere in between, ever holds more.
// It only counts: the caller does the waiting.

export interface SlotRing {
  /** Takes a place and returns 0, or the milliseconds until one may be free; Infinity: when one is released. */
  take(nowMs: number, places: number): number
  /** The answer (or failure) came: the place is free one window from now. */
  giveBack(nowMs: number): void
  /** Nothing was sent: the place is free at once. */
  undo(): void
  /** How many places are taken now. */
  used(nowMs: number): number
}

/** `perMs`: the length of the window. All times are monotonic milliseconds. */
export function createSlotRing(perMs: number): SlotRing {
  // The service's clock is not ours: a part in a thousand and a millisecond keep a window from closing early.
  const windowMs = perMs * 1.001 + 1
  let busy = 0
  /** When the places of answered requests become free, in ascending order. */
  let cooling: number[] = []
  return {
    take(nowMs, places) {
      cooling = cooling.filter((freeAt) => freeAt > nowMs)
      const surplus = busy + cooling.length - places
      if (surplus >= 0) return (cooling[surplus] ?? Infinity) - nowMs
      busy += 1
      return 0
    },
    giveBack(nowMs) {
      busy -= 1
      cooling.push(nowMs + windowMs)
    },
    undo() {
      busy -= 1
    },
    used: (nowMs) => busy + cooling.filter((freeAt) => freeAt > nowMs).length,
  }
}
