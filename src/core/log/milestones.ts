// Milestones of a pipeline: its first run, and the last run of each kind that is asked for. Times are in
// milliseconds since the epoch.
import type { ErrorCode } from '../words/errors.ts'

/** The runs of a pipeline that are asked for long after they were; milliseconds since the epoch. */
export interface Milestones {
  readonly firstRunAt: number | undefined
  /** The end of the last run that did not fail. */
  readonly lastSuccessAt: number | undefined
  /** The last run that found a file, and its records. */
  readonly lastFile: { readonly at: number; readonly read: number; readonly rejected: number } | undefined
  /** The last run that refused files, one of them by name, and when it ended. */
  readonly lastRefused?:
    | {
        readonly at: number
        /** When the first of the runs of that day (UTC) ended that refused the same, one after the other, up to that one. */
        readonly firstAt: number
        readonly runId: string
        readonly files: number
        readonly file: string | null
        readonly code: ErrorCode | null
      }
    | undefined
  /** The last run that met what others had changed at the service, and when it ended. */
  readonly lastDrift?: { readonly at: number; readonly runId: string; readonly times: number } | undefined
}
