// The machine as the inside sees it: clock and chance. The only file that asks for either.
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock, Random } from './core/ports.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    if (signal?.aborted === true) return
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) throw error
    }
  },
}

export const systemRandom: Random = () => Math.random()
