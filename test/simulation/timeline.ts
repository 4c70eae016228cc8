// Virtual time: what is to happen waits in order of (time, lot, number). Nothing sleeps, and between two happenings every
// chain of promises is let settle, so that a seed always gives the same course.
import type { Chance } from './chance.ts'

interface Happening {
  readonly at: number
  readonly lot: number
  readonly number: number
  fire(): void
}

export interface Timeline {
  /** Milliseconds since the epoch, virtual. */
  now(): number
  /** Lets something happen `delayMs` from now; those of one moment in an order that the seed decides. */
  after(delayMs: number, fire: () => void): void
  /** So long nothing can happen: what was due then comes late. */
  pass(durationMs: number): void
  /** Resolves after so long. */
  pause(delayMs: number): Promise<void>
  /** Goes on until the work is done. Throws Stuck where nothing is left to happen, or the deadline has passed. */
  until<T>(work: Promise<T>, deadlineMs: number): Promise<T>
}

/** The program waits for something that never comes, or takes without end. */
class Stuck extends Error {}

const START = Date.UTC(2026, 0, 5, 8)

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const order = (one: Happening, other: Happening): number =>
  one.at - other.at || one.lot - other.lot || one.number - other.number

export function createTimeline(chance: Chance): Timeline {
  const waiting: Happening[] = []
  let now = START
  let numbers = 0

  function takeNext(): Happening | undefined {
    let first = 0
    for (let index = 1; index < waiting.length; index += 1)
      if (order(waiting[index]!, waiting[first]!) < 0) first = index
    const [next] = waiting.splice(first, 1)
    return next
  }

  const after = (delayMs: number, fire: () => void): void => {
    numbers += 1
    waiting.push({ at: now + Math.max(0, delayMs), lot: chance.next(), number: numbers, fire })
  }

  return {
    now: () => now,
    after,
    pass: (durationMs) => void (now += durationMs),
    pause: (delayMs) => new Promise((resolve) => after(delayMs, resolve)),
    async until(work, deadlineMs) {
      const limit = now + deadlineMs
      const end = { isDone: false }
      const finish = (): void => void (end.isDone = true)
      work.then(finish, finish)
      for (;;) {
        await settled()
        if (end.isDone) return work
        const next = takeNext()
        if (next === undefined) throw new Stuck('nothing is left to happen, and the work is not done')
        if (next.at > limit) throw new Stuck(`not done after ${deadlineMs} ms`)
        now = Math.max(now, next.at)
        next.fire()
      }
    },
  }
}
