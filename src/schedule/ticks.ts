// What wakes the daemon: once a minute, or once a second where a schedule has seconds. It remembers nothing: each tick
// looks at the clock again, so a clock that jumps or a machine that slept costs one tick and never a walk over what was
// missed. What is due is decided by due times; a tick too late or too many does no harm.
import type { Clock } from '../core/ports.ts'

/** Calls until it is stopped. */
export type Ticks = (every: 'second' | 'minute', onTick: () => void) => { stop(): void }

const PERIOD_MS = { second: 1000, minute: 60_000 } as const

export function clockTicks(clock: Clock): Ticks {
  return (every, onTick) => {
    const ending = new AbortController()
    const period = PERIOD_MS[every]
    const wake = async (): Promise<void> => {
      for (;;) {
        // At most one period, and by the clock that never jumps: `sleep` does not ask what time it is.
        await clock.sleep(period - (clock.now() % period), ending.signal)
        if (ending.signal.aborted) return
        onTick()
      }
    }
    void wake()
    return { stop: () => ending.abort() }
  }
}
