// Notes who looked at whose data, some at a time: a page waits for no disk.
import type { Clock } from '../../core/ports.ts'
import { errorFacts } from '../../core/words/error-facts.ts'
import type { NotedRead, ReadStore } from '../../core/log/reads.ts'
import type { Log } from '../../log/log.ts'

export interface NotingReads {
  note(read: NotedRead): void
  /** Writes what is left. */
  close(): Promise<void>
}

const EVERY_MS = 1_000
/** Beyond it they are written at once. */
const MOST = 200

interface Parts {
  readonly state: Pick<ReadStore, 'noteReads'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: Log
}

export function createNotingReads({ state, clock, log }: Parts): NotingReads {
  let waiting: NotedRead[] = []
  const ending = new AbortController()
  const write = async (): Promise<void> => {
    const reads = waiting
    waiting = []
    if (reads.length === 0) return
    try {
      await state.noteReads(reads)
    } catch (error) {
      log.warn('reads not noted', { reads: reads.length, ...errorFacts(error) })
    }
  }
  return {
    note(read) {
      waiting.push(read)
      if (waiting.length >= MOST) void write()
      else if (waiting.length === 1) void clock.sleep(EVERY_MS, ending.signal).then(write)
    },
    async close() {
      ending.abort()
      await write()
    },
  }
}
