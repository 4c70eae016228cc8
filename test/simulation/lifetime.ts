// One life of the program, from its start to its end or its crash. Every call of a port passes two numbered points, one
// before and one after it; at the point that was drawn the world stops for this life: that call never comes back, nor does
// any later one, and nothing is put in order.
import type { Clock, InputReader, Source } from '../../src/core/ports.ts'
import type { StateStore } from '../../src/core/state-store.ts'
import type { Attempt, Transport } from '../../src/service/http.ts'
import type { Chance } from './chance.ts'
import type { Timeline } from './timeline.ts'

export interface Lifetime {
  readonly isOver: boolean
  /** Points passed so far. */
  readonly points: number
  /** Resolves with the name of the point at which it crashed. */
  readonly crashed: Promise<string>
  /** From now on it does not crash. */
  spare(): void
  /** Ends it here: what is still under way never comes back. */
  end(): void
  call<T>(name: string, work: () => Promise<T>): Promise<T>
  items<T>(name: string, list: AsyncIterable<T>): AsyncGenerator<T>
}

const never = (): Promise<never> => new Promise(() => undefined)

export interface LifetimePlan {
  /** The number of the point at which it crashes; undefined: it does not. */
  readonly crashAt: number | undefined
  /** How often a call lets others go first. */
  readonly yields: number
}

export function createLifetime(plan: LifetimePlan, timeline: Timeline, chance: Chance): Lifetime {
  const crashed = Promise.withResolvers<string>()
  const end = { isOver: false }
  let points = 0
  let { crashAt } = plan

  const isOver = (): boolean => end.isOver
  const point = async (name: string): Promise<void> => {
    if (isOver()) return never()
    points += 1
    if (points === crashAt) {
      end.isOver = true
      crashed.resolve(name)
      return never()
    }
    if (plan.yields > 0 && chance.happens(plan.yields)) await timeline.pause(0)
    if (isOver()) return never()
  }

  return {
    get isOver() {
      return end.isOver
    },
    get points() {
      return points
    },
    crashed: crashed.promise,
    spare() {
      crashAt = undefined
    },
    end() {
      end.isOver = true
    },
    async call(name, work) {
      await point(`before ${name}`)
      try {
        return await work()
      } finally {
        await point(`after ${name}`)
      }
    },
    async *items(name, list) {
      for await (const item of list) {
        await point(`in ${name}`)
        yield item
      }
    },
  }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

/** What no run asks for. */
const BESIDE = ['close', 'onTrouble', 'doubt', 'accept', 'formerWindow']

/** What gives its answer piece by piece. */
const LISTS = ['rejectsOfInput', 'rejects', 'held', 'newRecords']

/** The state as this life sees it. Its methods are asynchronous; some give their answer piece by piece. */
export function livingState(state: StateStore, life: Lifetime): StateStore {
  const methods = (Object.entries(state) as [string, (...given: unknown[]) => unknown][]).filter(
    ([name]) => !BESIDE.includes(name),
  )
  const living = methods.map(([name, method]) => {
    const isList = LISTS.includes(name)
    const call = (...given: unknown[]): unknown => {
      if (!isList) return life.call(`state.${name}`, () => method(...given) as Promise<unknown>)
      const list = method(...given)
      if (!isIterable(list)) throw new Error(`state.${name} gives no list`)
      return life.items(`state.${name}`, list)
    }
    return [name, call] as const
  })
  // Every method that a run may ask for is in it, with the very same arguments and answers.
  return Object.fromEntries<unknown>(living) as unknown as StateStore
}

export function livingSource(source: Source, life: Lifetime): Source {
  const livingReader = (reader: InputReader): InputReader => ({
    header: reader.header,
    bytesRead: () => reader.bytesRead(),
    batches: () => life.items('reader.batches', reader.batches()),
    sha256: () => reader.sha256(),
    close: () => life.call('reader.close', () => reader.close()),
  })
  return {
    list: (options) => life.call('source.list', () => source.list(options)),
    open: (input, options) =>
      life.call('source.open', async () => livingReader(await source.open(input, options))),
    isWaiting: (input) => life.call('source.isWaiting', () => source.isWaiting(input)),
    clearLeftovers: (input, runId) =>
      life.call('source.clearLeftovers', () => source.clearLeftovers(input, runId)),
    archive: (input, to) => life.call('source.archive', () => source.archive(input, to)),
    writeRejects: (input, to, header, rows) =>
      life.call('source.writeRejects', () => source.writeRejects(input, to, header, rows)),
  }
}

/** `wall`: what the machine's clock says, which may jump; what is waited for goes by the time itself. */
export function livingClock(timeline: Timeline, life: Lifetime, wall: () => number): Clock {
  const start = timeline.now()
  return {
    now: wall,
    monotonic: () => timeline.now() - start,
    sleep: (ms, signal) =>
      life.call('clock.sleep', async () => {
        if (signal?.aborted === true) return
        const aborted = new Promise<void>((resolve) =>
          signal?.addEventListener('abort', () => resolve(), { once: true }),
        )
        await Promise.race([timeline.pause(ms), aborted])
      }),
  }
}

export function livingTransport(transport: Transport, life: Lifetime): Transport {
  return {
    send: (request) => life.call<Attempt>('transport.send', () => transport.send(request)),
    close: () => transport.close(),
  }
}
