// Times when no run is active on any machine: this daemon wants one, or gives one to another worker.
import { type FleetStanding, isAtRest, isRestAsked, type WorkerReport } from '../../../core/fleet.ts'
import type { Clock } from '../../../core/ports.ts'
import type { Ownership } from './ownership.ts'

export interface FleetRest {
  /** What this worker says about it. */
  standing(): WorkerReport['rest']
  /** Lets the runs end where another worker wants it, and lets them begin again afterwards. */
  follow(now: FleetStanding): void
  /** Does the work once no other worker has an active run; this one's have ended already. */
  around<T>(work: () => Promise<T>): Promise<T>
}

interface Parts {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly runs: () => { hold(): Promise<void>; release(): void }
  readonly ownership: () => Ownership
}

const LOOK_MS = 200

export function createFleetRest({ clock, signal, runs, ownership }: Parts): FleetRest {
  let asking = 0
  let held: 'no' | 'ending' | 'ended' = 'no'

  async function untilAtRest(): Promise<void> {
    for (;;) {
      await ownership().look()
      const now = ownership().standing()
      if (now === undefined || isAtRest(now.all, now.own)) return
      await clock.sleep(LOOK_MS, signal)
      signal.throwIfAborted()
    }
  }

  return {
    standing: () => (asking > 0 ? 'asked' : held === 'ended' ? 'given' : 'none'),
    follow(now) {
      const isAsked = isRestAsked(now, ownership().standing()?.own ?? 0)
      if (isAsked && held === 'no') {
        held = 'ending'
        void runs()
          .hold()
          .then(() => (held = 'ended'))
      }
      if (isAsked || held !== 'ended') return
      held = 'no'
      runs().release()
    },
    async around(work) {
      asking += 1
      try {
        await untilAtRest()
        return await work()
      } finally {
        asking -= 1
      }
    },
  }
}
