// What the inside asks of the state about what has been kept for long enough.

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
