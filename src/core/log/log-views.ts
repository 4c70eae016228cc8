// The sync log as the console looks at it.
import type { BadEntry, SyncLog } from './sync-log.ts'

/** How far the chain of the log has been followed, entry by entry, since the daemon started. */
export interface VerificationView {
  readonly entries: number
  /** The hash of the newest entry; 64 zeros where there is none. */
  readonly head: string
  /** How many entries the file beside the state knows of; undefined where there is no such file. */
  readonly marked: number | undefined
  /** All entries up to this one follow from each other. */
  readonly verified: number
  /** When it came to the end last, in milliseconds since the epoch; undefined: not yet. */
  readonly verifiedAt: number | undefined
  /** The first entry that is not as it was written; undefined where none is. */
  readonly bad: BadEntry | undefined
}

export interface LogViews extends Pick<SyncLog, 'logEntry' | 'logPage' | 'runTotals' | 'people'> {
  /** Continues the check in the background, and reports its progress. */
  verification(): Promise<VerificationView>
}
