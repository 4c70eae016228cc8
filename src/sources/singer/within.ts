// Waits for something, with a time limit.
import type { Clock } from '../../core/ports.ts'

interface Patience {
  readonly clock: Pick<Clock, 'sleep'>
  /** Ends the waiting at once. */
  readonly signal: AbortSignal
}

/** What the work brings, or `late` where the time or the signal comes first. */
export async function within<T>(
  work: Promise<T>,
  ms: number,
  { clock, signal }: Patience,
): Promise<T | 'late'> {
  const settled = new AbortController()
  const late = clock.sleep(ms, AbortSignal.any([signal, settled.signal])).then((): 'late' => 'late')
  try {
    return await Promise.race([work, late])
  } finally {
    settled.abort()
  }
}
