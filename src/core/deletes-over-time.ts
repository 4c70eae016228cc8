// What the state keeps of deletes for guards that look at more than one file. It stays when runs and values are removed.

export interface DeleteCounts {
  /** How many contacts of the pipeline are linked at this moment. */
  noteLinks(pipeline: string, noted: { readonly at: number; readonly links: number }): Promise<void>
  /**
   * Deletes since then (milliseconds since the epoch, to the hour) of records that had gone: done, or sent with an unknown
   * outcome; not those that an operator released. `links`: the most that were noted at that time or later.
   */
  deletedSince(pipeline: string, since: number): Promise<{ readonly deletes: number; readonly links: number }>
}
