// A command that waits for another process says so once where nothing was heard from it for a while.
import { systemClock as clock } from '../../system.ts'

const QUIET_MS = 10_000
const QUIET = `no answer for ${QUIET_MS / 1000} seconds from the process that was asked (contact-sync status names it): it is busy, or stands still; waiting for it`

/** Returns what is to be called with the first line of the other one, and at the end. */
export function tellOfSilence(tell: (text: string) => void): () => void {
  const heard = new AbortController()
  void clock.sleep(QUIET_MS, heard.signal).then(() => {
    if (!heard.signal.aborted) tell(QUIET)
  })
  return () => heard.abort()
}
