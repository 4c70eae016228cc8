// Questions of the console to the thread that reads the state. It is started by the first question and by the first one
// after it died; a query that takes too long is aborted, and the thread with it.
import { Worker } from 'node:worker_threads'
import type { ExplainReads } from '../../core/explain/explain-reads.ts'
import { type ErrorCode, SyncError } from '../../core/words/errors.ts'
import type { LogViews } from '../../core/log/log-views.ts'
import type { StateLocation } from '../../core/state-place.ts'
import type { StateViews } from '../../core/views.ts'

export type Readable = StateViews & LogViews & ExplainReads

export interface Question {
  readonly id: number
  readonly method: keyof Readable
  readonly args: readonly unknown[]
}

export interface Answer {
  readonly id: number
  readonly value?: unknown
  /** `code`: undefined for a fault of this program. */
  readonly problem?: { readonly code: ErrorCode | undefined; readonly message: string }
}

export interface StateReader {
  readonly readable: Readable
  close(): Promise<void>
}

/** Far longer than any page may take. */
const PATIENCE_MS = 20_000

/** Beside this file, in the source tree as in the built package. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './reader-thread.ts' : './reader-thread.js',
  import.meta.url,
)

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
}

const toError = ({ code, message }: NonNullable<Answer['problem']>): Error =>
  code === undefined ? new Error(message) : new SyncError(code, message)

function createThread(where: StateLocation) {
  const worker = new Worker(THREAD, { workerData: where })
  // It must not keep a process alive that has nothing else to do.
  worker.unref()
  const waiting = new Map<number, Waiting>()
  const failAll = (error: unknown): void => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  worker.on('message', ({ id, value, problem }: Answer) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (problem === undefined) asked?.resolve(value)
    else asked?.reject(toError(problem))
  })
  worker.on('error', failAll)
  return {
    waiting,
    ask: (question: Question): void => worker.postMessage(question),
    onEnd: (listener: () => void): unknown =>
      worker.on('exit', () => {
        failAll(new Error('the thread that reads the state has ended'))
        listener()
      }),
    end: async (): Promise<unknown> => worker.terminate(),
  }
}

/** `patienceMs`: after so long without an answer the thread is terminated. */
export function createReader(where: StateLocation, patienceMs = PATIENCE_MS): StateReader {
  let thread: ReturnType<typeof createThread> | undefined
  let last = 0
  const started = () => {
    if (thread !== undefined) return thread
    const fresh = createThread(where)
    fresh.onEnd(() => (thread = thread === fresh ? undefined : thread))
    thread = fresh
    return fresh
  }
  const ask = async (method: keyof Readable, args: readonly unknown[]): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const asked = started()
    const id = (last += 1)
    asked.waiting.set(id, { resolve, reject })
    asked.ask({ id, method, args })
    const patience = AbortSignal.timeout(patienceMs)
    const giveUp = (): void => void asked.end()
    patience.addEventListener('abort', giveUp, { once: true })
    return promise.finally(() => patience.removeEventListener('abort', giveUp))
  }
  const readable = new Proxy({} as Readable, {
    // Whatever is asked of it is a question for the thread, but whether it is a promise.
    get: (_, method) =>
      method === 'then' ? undefined : (...args: unknown[]) => ask(method as keyof Readable, args),
  })
  return {
    readable,
    async close() {
      await thread?.end()
      thread = undefined
    },
  }
}
