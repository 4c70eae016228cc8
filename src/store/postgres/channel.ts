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

/** `place`: how messages name the state. */
export function openChannel(url: string, place: string): Channel {
  const { port1: port, port2 } = new MessageChannel()
  const signal = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(THREAD, { workerData: { url, signal, port: port2 }, transferList: [port2] })
  worker.unref()
  port.unref()
  if (Atomics.wait(signal, 1, 0, LOADED_MS) === 'timed-out')
    throw new Error(`the thread that speaks with the server did not start: ${THREAD.pathname}`)
  const answerTo = (message: readonly Query[] | 'close', withinMs: number): ServerAnswer => {
    Atomics.store(signal, 0, 0)
    port.postMessage(message)
    if (Atomics.wait(signal, 0, 0, withinMs) === 'timed-out')
      return { problem: { code: 'ETIMEDOUT', message: 'the server did not answer' } }
    return (receiveMessageOnPort(port) as { message: ServerAnswer }).message
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
      port.close()
      void worker.terminate()
    },
  }
}
