// No run is active, on any machine that works with the state: for decisions that must not happen within one.
import { type Fleet, GUEST, isAtRest } from '../../../core/fleet.ts'
import type { Clock } from '../../../core/ports.ts'

const LOOK_MS = 200

/** Does the work while no worker has an active run; of a process that makes no runs for others. */
export async function atRest<T>(
  fleet: Fleet | undefined,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  if (fleet === undefined) return work()
  try {
    while (!isAtRest(await fleet.meet({ ...GUEST, rest: 'asked' }), fleet.own()))
      await clock.sleep(LOOK_MS, signal).then(() => signal.throwIfAborted())
    return await work()
  } finally {
    await fleet.meet(GUEST)
  }
}
