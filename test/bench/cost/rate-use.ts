// What a client makes of its rate limit, from when its requests came and were answered: the fullest window, and the shortest
// time that they could have taken as a share of the time that they took. Pure.
import { median } from './median.ts'

export interface ServedRequest {
  /** Milliseconds. */
  readonly at: number
  /** Null: never, its client has gone. */
  readonly answered: number | null
  readonly isWrite: boolean
}

export interface RateLimit {
  readonly allowed: number
  readonly windowMs: number
  readonly atOnce: number
}

export interface RateUse {
  readonly requests: number
  readonly fullest: number
  readonly answerMs: number
  /** From 0 to 1; the limit cannot be used better than by 1. */
  readonly share: number
}

/** How many requests the fullest window holds. A window begins with a request: no other one could hold more. */
export function fullestWindow(times: readonly number[], windowMs: number): number {
  let first = 0
  let most = 0
  times.forEach((at, last) => {
    while (at - (times[first] ?? at) >= windowMs) first += 1
    most = Math.max(most, last - first + 1)
  })
  return most
}

/**
 * The least time from the first to the last of so many requests: one of them takes a place of the limit until a window after
 * its answer, and a place among those at once until its answer.
 */
export function leastMs(
  requests: number,
  answerMs: number,
  { allowed, windowMs, atOnce }: RateLimit,
): number {
  const starts: number[] = []
  for (let index = 0; index < requests; index += 1) {
    const place = starts[index - allowed]
    const turn = starts[index - atOnce]
    starts.push(
      Math.max(
        place === undefined ? 0 : place + windowMs + answerMs,
        turn === undefined ? 0 : turn + answerMs,
      ),
    )
  }
  return starts.at(-1) ?? 0
}

/**
 * How much of a limit is in use from one moment to another, without beginning or end of work: each request takes a place from its
 * arrival until a window after its answer. Without a pause between two of a place, it lets W / (W + answer) of itself through.
 */
export function steadyShare(
  served: readonly ServedRequest[],
  { from, to }: { from: number; to: number },
  { allowed, windowMs }: Omit<RateLimit, 'atOnce'>,
): number {
  const taken = served.map(({ at, answered }) =>
    Math.max(0, Math.min(to, (answered ?? to) + windowMs) - Math.max(from, at)),
  )
  return taken.reduce((sum, ms) => sum + ms, 0) / (allowed * (to - from))
}

/** Use is judged from the first write on: before that, a run reads its files and plans. */
export function rateUse(served: readonly ServedRequest[], limit: RateLimit): RateUse {
  const times = served.map(({ at }) => at)
  const begun = served.findIndex(({ isWrite }) => isWrite)
  const work = begun < 0 ? [] : served.slice(begun)
  const answerMs = median(work.flatMap(({ at, answered }) => (answered === null ? [] : [answered - at])))
  const tookMs = (work.at(-1)?.at ?? 0) - (work[0]?.at ?? 0)
  return {
    requests: served.length,
    fullest: fullestWindow(times, limit.windowMs),
    answerMs,
    share: leastMs(work.length, answerMs, limit) / tookMs,
  }
}
