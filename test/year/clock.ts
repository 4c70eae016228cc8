// The clock of the year: no real time passes. It stands still while something works, and jumps to the next timer.
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { Clock } from '../../src/core/ports.ts'
import type { Ticks } from '../../src/schedule/ticks.ts'

export interface YearClock extends Clock {
  readonly ticks: Ticks
  /** Until that moment; `isBusy`: whether a run is active, which is let work before time passes. */
  passUntil(end: number, isBusy: () => boolean): Promise<void>
}

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

const MINUTE = 60_000
/** Turns of the loop without the end of a run, after which what sleeps in it is let wake. */
const PATIENCE = 200

export function createYearClock(start: number): YearClock {
  let now = start
  let sleepers: Sleeper[] = []
  let tick = (): void => undefined

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn += 1) await turnOfTheLoop()
  }

  /** Wakes who is first, if that is before `limit`; whether there was anybody. */
  function wakeFirst(limit: number): boolean {
    const at = Math.min(...sleepers.map((one) => one.at))
    if (at >= limit) return false
    now = Math.max(now, at)
    const woken = sleepers.filter((one) => one.at <= now)
    sleepers = sleepers.filter((one) => one.at > now)
    for (const { wake } of woken) wake()
    return true
  }

  return {
    now: () => now,
    monotonic: () => now - start,
    sleep(ms, signal) {
      if (signal?.aborted === true) return Promise.resolve()
      return new Promise((resolve) => {
        const sleeper: Sleeper = { at: now + ms, wake: () => end() }
        const end = (): void => {
          sleepers = sleepers.filter((one) => one !== sleeper)
          signal?.removeEventListener('abort', end)
          resolve()
        }
        sleepers.push(sleeper)
        signal?.addEventListener('abort', end, { once: true })
      })
    },
    ticks(_, onTick) {
      tick = onTick
      return { stop: () => (tick = () => undefined) }
    },
    async passUntil(end, isBusy) {
      let turns = 0
      while (now < end) {
        if (isBusy() && turns < PATIENCE) {
          turns += 1
          await turnOfTheLoop()
          continue
        }
        turns = 0
        const nextMinute = (Math.floor(now / MINUTE) + 1) * MINUTE
        // A run that does not sleep works with files: it is waited for.
        if (!wakeFirst(nextMinute) && (!isBusy() || sleepers.length > 0)) {
          now = nextMinute
          tick()
        }
        await settle()
      }
    },
  }
}
