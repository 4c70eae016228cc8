// Which errors are about one input, and which end the run.
import { SyncError } from '../core/words/errors.ts'

/** Class `input` and `later` are about this file; everything else ends the run. */
export function inputError(error: unknown): SyncError | undefined {
  return error instanceof SyncError && (error.class === 'input' || error.class === 'later')
    ? error
    : undefined
}
