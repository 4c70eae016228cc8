// In which order calls have their turns, and how many at a time: p-queue, with a lane for restrictions before all others.
import PQueue from 'p-queue'
import type { Lane } from '../core/ports.ts'

/** Of a turn that has to begin again, behind a restriction that is still in the queue. */
export interface Behind {
  readonly kind: 'behind'
}

/** Higher goes first. A turn that has returned to the queue is before those that never left it. */
const PRIORITY = { restrictions: 2, returned: 1, others: 0 } as const

export function createTurnQueue(concurrency: number) {
  const queue = new PQueue({ concurrency })
  let restrictions = 0

  /** The signal takes the task out of the queue, but no longer touches it once it has begun. */
  async function enqueue<Result>(
    task: () => Promise<Result>,
    { signal, priority }: { signal: AbortSignal; priority: number },
  ): Promise<Result | { readonly kind: 'aborted' }> {
    if (signal.aborted) return { kind: 'aborted' }
    const waiting = new AbortController()
    const leave = (): void => waiting.abort()
    signal.addEventListener('abort', leave, { once: true })
    const begin = (): Promise<Result> => {
      signal.removeEventListener('abort', leave)
      return task()
    }
    try {
      return await queue.add(begin, { signal: waiting.signal, priority })
    } catch (error) {
      if (waiting.signal.aborted) return { kind: 'aborted' }
      throw error
    }
  }

  /** A restriction is counted until its turn begins, or the signal comes. */
  async function first<Result>(
    turn: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | { readonly kind: 'aborted' }> {
    let isQueued = true
    restrictions += 1
    const leave = (): void => {
      if (isQueued) restrictions -= 1
      isQueued = false
    }
    const begin = (): Promise<Result> => {
      leave()
      return turn()
    }
    return enqueue(begin, { signal, priority: PRIORITY.restrictions }).finally(leave)
  }

  return {
    /** Gives what the turn gave; one that is `behind` is begun again after the restrictions. */
    async run<Result extends { readonly kind: string }>(
      turn: () => Promise<Result | Behind>,
      signal: AbortSignal,
      lane: Lane,
    ): Promise<Result | { readonly kind: 'aborted' }> {
      let priority: number = PRIORITY[lane]
      for (;;) {
        const ended = await (lane === 'restrictions'
          ? first(turn, signal)
          : enqueue(turn, { signal, priority }))
        if (!isBehind(ended)) return ended
        priority = PRIORITY.returned
      }
    },
    /** Whether a restriction has not begun its turn. */
    hasRestriction: (): boolean => restrictions > 0,
    /** Turns that have not begun. */
    size: (): number => queue.size,
    idle: (): Promise<void> => queue.onIdle(),
  }
}

const isBehind = (ended: { readonly kind: string }): ended is Behind => ended.kind === 'behind'
