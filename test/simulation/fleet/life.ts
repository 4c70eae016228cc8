// One life of one worker: from the start of its process to its end. It may stand still for a while, as a process that was
// stopped or a machine that slept: whatever it waits for comes when it goes on, with what it knew before. A dead one waits for
// ever: nothing that it asked for comes back, and nothing is put in order.
import type { Clock, Source } from '../../../src/core/ports.ts'
import type { Attempt, Transport } from '../../../src/service/http.ts'
import type { Chance } from '../chance.ts'
import type { Timeline } from '../timeline.ts'

export interface Life {
  readonly number: number
  readonly isOver: boolean
  readonly isPaused: boolean
  /** By how much its wall clock is off; its steady clock is not. */
  clockOffMs: number
  end(): void
  /** `isAsleep`: its steady clock stands still, too. */
  pause(isAsleep: boolean): void
  goOn(): void
  /** Passes when it is awake; never, once it is over. */
  gate(): Promise<void>
  call<T>(work: () => Promise<T>): Promise<T>
  readonly clock: Clock
}

const never = (): Promise<never> => new Promise(() => undefined)

export interface LifePlan {
  readonly number: number
  readonly timeline: Timeline
  readonly chance: Chance
  /** How often it wakes late, and by how much at most. */
  readonly lateRate: number
  readonly latestMs: number
}

export function createLife({ number, timeline, chance, lateRate, latestMs }: LifePlan): Life {
  const start = timeline.now()
  let isOver = false
  let pause: { since: number; isAsleep: boolean; ended: PromiseWithResolvers<undefined> } | undefined
  let sleptMs = 0
  const gate = async (): Promise<void> => {
    while (pause !== undefined) await pause.ended.promise
    if (isOver) return never()
  }
  const monotonic = (): number => {
    const asleep = pause?.isAsleep === true ? timeline.now() - pause.since : 0
    return timeline.now() - start - sleptMs - asleep
  }
  const life: Life = {
    number,
    get isOver() {
      return isOver
    },
    get isPaused() {
      return pause !== undefined
    },
    clockOffMs: 0,
    end() {
      isOver = true
      life.goOn()
    },
    pause(isAsleep) {
      pause ??= { since: timeline.now(), isAsleep, ended: Promise.withResolvers() }
    },
    goOn() {
      if (pause?.isAsleep === true) sleptMs += timeline.now() - pause.since
      pause?.ended.resolve(undefined)
      pause = undefined
    },
    gate,
    async call(work) {
      await gate()
      try {
        return await work()
      } finally {
        await gate()
      }
    },
    clock: {
      now: () => timeline.now() + life.clockOffMs,
      monotonic,
      sleep: (ms, signal) =>
        life.call(async () => {
          if (signal?.aborted === true) return
          const lateMs = chance.happens(lateRate) ? chance.int(latestMs) : 0
          const aborted = new Promise<void>((resolve) =>
            signal?.addEventListener('abort', () => resolve(), { once: true }),
          )
          await Promise.race([timeline.pause(ms + lateMs), aborted])
        }),
    },
  }
  return life
}

export const transportOf = (transport: Transport, life: Life, sent: () => void): Transport => ({
  async send(request) {
    await life.gate()
    const attempt = transport.send(request)
    sent()
    return life.call<Attempt>(() => attempt)
  },
  close: () => transport.close(),
})

/** The folder that all workers see. */
export const sourceOf = (source: Source, life: Life): Source => ({
  list: (options) => life.call(() => source.list(options)),
  open: (input, options) => life.call(() => source.open(input, options)),
  isWaiting: (input) => life.call(() => source.isWaiting(input)),
  clearLeftovers: (input, runId) => life.call(() => source.clearLeftovers(input, runId)),
  archive: (input, to) => life.call(() => source.archive(input, to)),
  writeRejects: (input, to, header, rows) => life.call(() => source.writeRejects(input, to, header, rows)),
})
