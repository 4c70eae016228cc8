// What an input of a pipeline is compared with: the last one that was accepted. A supplement, an empty file and an export
// that lost nearly everything never take its place.

/** An input that was taken, as the next one of its pipeline is compared with it. */
export interface Accepted {
  readonly mode: 'incremental' | 'full'
  /** Rejected ones included. */
  readonly records: number
  /** Undefined where its form has no line breaks that could be missing. */
  readonly endsWithLineBreak: boolean | undefined
  /** Undefined where an older version accepted it. */
  readonly header?: readonly string[] | undefined
  /** When it was finished, milliseconds since the epoch. */
  readonly at: number
}

export interface AcceptedStore {
  lastAccepted(pipeline: string): Promise<Accepted | undefined>
}
