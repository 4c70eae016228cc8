// What the inside asks of the state about what has been kept for long enough.
import { DAY_MS } from './words/duration.ts'

/** So long nothing may run. After a longer time the clock may be ahead, and what it makes old is removed by a later run alone. */
const LONGEST_REST_MS = 32 * DAY_MS

/**
 * The time that ages are counted to: now, or `before`, the latest time of before that is known, where the clock is so far ahead
 * of it. What a wrong clock would remove could not be brought back.
 */
export const ageingTo = (now: number, before: number | undefined): number =>
  before === undefined || now - before <= LONGEST_REST_MS ? now : before

export interface RetentionStore {
  /** Of the runs of the pipeline that began no later than that, the last: when it began, in milliseconds since the epoch. */
  lastBegun(pipeline: string, notAfter: number): Promise<number | undefined>
  /**
   * Removes rejects and runs of the pipeline that are older (milliseconds since the epoch), at most `limit` of each; how
   * many. Never the rejects of its newest input, nor runs that something open or health refers to.
   */
  removeOld(
    pipeline: string,
    before: { readonly rejects: number | undefined; readonly runs: number | undefined },
    limit: number,
  ): Promise<{ readonly rejects: number; readonly runs: number }>
  /**
   * Destroys the values of entries of the sync log that are older, at most so many; of how many. The entries stay in the
   * chain, and one more says up to where.
   */
  expireValues(before: number, limit: number, about: { at: number; runId: string }): Promise<number>
}
