// The way to the thread that speaks with the server. The stores ask and go on with the answer, as they do with a file, so the
// thread that asks stands still meanwhile: for the time of one statement over a socket.
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { serverError, type ServerProblem } from './trouble.ts'

export interface Query {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Of one statement. */
export interface StatementAnswer {
  readonly columns: readonly string[]
  readonly rows: readonly unknown[][]
  readonly changes: number
  /** What it did, as the server names it. */
  readonly command: string
}

export type ServerAnswer =
  { readonly answers: readonly StatementAnswer[] } | { readonly problem: ServerProblem }

/** To be said again and again, on a connection of its own. */
export interface Renewal {
  readonly renew: string
  readonly everyMs: number
}

/** What the thread is told; the first and the last are answered. */
export type Told = readonly Query[] | Renewal | 'close'

export interface ChannelData {
  readonly url: string
  readonly signal: Int32Array
}

export interface Channel {
  /**
   * Statements that go to the server together, and are done in their order. Throws what the server or the socket reports of the
   * first one that fails (trouble.ts): within a transaction nothing of those after it is done.
   */
  ask(queries: readonly Query[]): readonly StatementAnswer[]
  /** From now on, until it is closed; also while the thread that asks stands still. */
  keepRenewing(renewal: Renewal): void
  close(): void
}

/** Beside this file, in the source tree as in the built package. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './connection-thread.ts' : './connection-thread.js',
  import.meta.url,
)

/** The thread is loaded within this time, or never. */
const LOADED_MS = 30_000

/** Longer than any statement may take. */
const PATIENCE_MS = 600_000

/** A connection that does not end within this time is cut. */
const CLOSED_MS = 2000

const isProblem = (answer: ServerAnswer): answer is Extract<ServerAnswer, { problem: unknown }> =>
  'problem' in answer

/** How the thread is: it is being loaded, it serves, or it has ended and answers nothing any more. */
export const THREAD_STATES = { loading: 0, serving: 1, ended: 2 } as const

/** Where in the signal the thread says that an answer is there, and how it is. */
export const SIGNAL = { answered: 0, thread: 1 } as const

const ENDED: ServerAnswer = { problem: { code: 'ECONNRESET', message: 'the connection has ended' } }
const LATE: ServerAnswer = { problem: { code: 'ETIMEDOUT', message: 'the server did not answer' } }

/** `place`: how messages name the state. */
export type OpenChannel = (url: string, place: string) => Channel

export const openChannel: OpenChannel = (url, place) => {
  const { port1: port, port2 } = new MessageChannel()
  const signal = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(THREAD, { workerData: { url, signal, port: port2 }, transferList: [port2] })
  // What it ended for is known by its state.
  worker.on('error', () => undefined)
  worker.unref()
  port.unref()
  if (Atomics.wait(signal, SIGNAL.thread, THREAD_STATES.loading, LOADED_MS) === 'timed-out')
    throw new Error(`the thread that speaks with the server did not start: ${THREAD.pathname}`)
  const hasEnded = (): boolean => Atomics.load(signal, SIGNAL.thread) === THREAD_STATES.ended
  function answerTo(message: readonly Query[] | 'close', withinMs: number): ServerAnswer {
    Atomics.store(signal, SIGNAL.answered, 0)
    if (hasEnded()) return ENDED
    port.postMessage(message)
    if (Atomics.wait(signal, SIGNAL.answered, 0, withinMs) === 'timed-out') {
      // An answer that comes later must not be taken for that to another question.
      Atomics.store(signal, SIGNAL.thread, THREAD_STATES.ended)
      return LATE
    }
    return (receiveMessageOnPort(port) as { message: ServerAnswer } | undefined)?.message ?? ENDED
  }
  return {
    ask(queries) {
      const answer = answerTo(queries, PATIENCE_MS)
      if (isProblem(answer)) throw serverError(answer.problem, place)
      return answer.answers
    },
    keepRenewing: (renewal) => port.postMessage(renewal),
    close() {
      answerTo('close', CLOSED_MS)
      Atomics.store(signal, SIGNAL.thread, THREAD_STATES.ended)
      port.close()
      void worker.terminate()
    },
  }
}
