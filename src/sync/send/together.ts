// What small requests write to the state in one turn of the event loop is one transaction: a commit waits for the disk, and takes
// longer than all else that one change needs. A request still leaves only after its own commit.
import type { EndedBatch, Marking } from '../../core/run-state.ts'
import type { Settlement } from '../../core/change/operation.ts'
import type { SyncState } from '../../core/state-store.ts'

/** What writes as many records or more has a transaction of its own: it would keep the event loop from others for too long. */
const MANY = 25

interface Write {
  readonly marks: readonly Marking[]
  readonly ended: EndedBatch | undefined
  readonly done: PromiseWithResolvers<readonly Settlement[]>
}

/** Of one run, so its ends differ in their moments only: the newest is that of all. */
function endedOf(writes: readonly Write[]): EndedBatch | undefined {
  const all = writes.flatMap(({ ended }) => ended ?? [])
  const context = all.at(-1)?.context
  return context && { context, settled: all.flatMap(({ settled }) => settled) }
}

/** The same state; what is marked and settled in one turn goes to it together. For one run. */
export function writingTogether(state: SyncState): SyncState {
  let waiting: Write[] = []
  async function writeAll(): Promise<void> {
    const writes = waiting
    waiting = []
    try {
      const marks = writes.flatMap((write) => write.marks)
      const taken = await state.markAndSettle(marks, endedOf(writes))
      let from = 0
      for (const { ended, done } of writes) {
        const to = from + (ended?.settled.length ?? 0)
        done.resolve(taken.slice(from, to))
        from = to
      }
    } catch (error) {
      for (const { done } of writes) done.reject(error)
    }
  }
  async function write(given: Omit<Write, 'done'>): Promise<readonly Settlement[]> {
    if (waiting.length === 0) setImmediate(() => void writeAll())
    const done = Promise.withResolvers<readonly Settlement[]>()
    waiting.push({ ...given, done })
    return done.promise
  }
  return {
    ...state,
    async markSending(operations, about) {
      if (operations.length >= MANY) return state.markSending(operations, about)
      await write({ marks: [{ operations, ...about }], ended: undefined })
    },
    async settleBatch(settled, context) {
      if (settled.length === 0 || settled.length >= MANY) return state.settleBatch(settled, context)
      return write({ marks: [], ended: { settled, context } })
    },
  }
}
