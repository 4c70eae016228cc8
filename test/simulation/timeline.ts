// Virtual time: what is to happen waits in order of (time, lot, number). Nothing sleeps, and between two happenings every
// chain of promises is let settle, so that a seed always gives the same course. What comes shortly after another may come in the
// same turn, as do answers that arrived while the process waited for its disk.
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

/** What comes so shortly after another, and draws a lot below the share, comes with it. */
const SHORTLY_MS = 20
const SHARE_TOGETHER = 0.25

const START = Date.UTC(2026, 0, 5, 8)

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What is put off to the next turn of the event loop comes before what is to happen later. */
const settled = (): Promise<void> => turn().then(turn)

/** A chain of promises that takes more turns than that is no reason to believe that it has ended. */
const MOST_TURNS = 50

const order = (one: Happening, other: Happening): number =>
  one.at - other.at || one.lot - other.lot || one.number - other.number

export function createTimeline(chance: Chance): Timeline {
  const waiting: Happening[] = []
  let now = START
  let numbers = 0

  function first(): number {
    let least = 0
    for (let index = 1; index < waiting.length; index += 1)
      if (order(waiting[index]!, waiting[least]!) < 0) least = index
    return least
  }
  /** The next, and what comes with it. */
  function takeNext(): Happening[] {
    const taken: Happening[] = waiting.splice(first(), 1)
    for (;;) {
      const index = first()
      const following = waiting[index]
      const at = taken[0]?.at ?? 0
      if (following === undefined || following.lot >= SHARE_TOGETHER || following.at > at + SHORTLY_MS)
        return taken
      taken.push(...waiting.splice(index, 1))
    }
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
        for (let turns = 0; waiting.length === 0 && !end.isDone && turns < MOST_TURNS; turns += 1)
          await turn()
        if (end.isDone) return work
        const all = takeNext()
        if (all.length === 0) throw new Stuck('nothing is left to happen, and the work is not done')
        for (const { at, fire } of all) {
          if (at > limit) throw new Stuck(`not done after ${deadlineMs} ms`)
          now = Math.max(now, at)
          fire()
        }
      }
    },
  }
}
