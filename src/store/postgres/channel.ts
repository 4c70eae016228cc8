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

/** Of one of those who use the connection. */
export interface Statements {
  readonly queries: readonly Query[]
  /** The settings of the session that they are asked under; another user may have left others. */
  readonly under: string
}

/** What the thread is told; `Statements` and 'close' are answered. */
export type Told = Statements | Renewal | { readonly renewNoMore: string } | 'close'

export interface WireData {
  readonly url: string
  readonly signal: Int32Array
}

/** A connection, in a thread of its own. */
export interface Wire {
  answer(asked: Statements): ServerAnswer
  /** From now on, until it is told to stop or closed; also while the thread that asks stands still. */
  keepRenewing(renewal: Renewal): void
  renewNoMore(renewal: Renewal): void
  /** It answers nothing any more. */
  isBroken(): boolean
  close(): void
}

/** What one state has of a connection: all of it, or a share (shared-channels.ts). */
export interface Channel {
  /** Ends the names of what goes with the connection, so that those who share it do not meet; empty where it is not shared. */
  readonly mark: string
  /** How many states of this process use it and others to the same server, this one included. */
  crowd(): number
  /** Settings of the session for all that is asked from now on; not within a transaction. */
  under(settings: string): void
  /**
   * Statements that go to the server together, and are done in their order. Throws what the server or the socket reports of the
   * first one that fails (trouble.ts): within a transaction nothing of those after it is done.
   */
  ask(queries: readonly Query[]): readonly StatementAnswer[]
  /** From now on, until it is closed. */
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

/** Where in the signal the thread says that an answer is there, how it is, and that the connection broke off. */
export const SIGNAL = { answered: 0, thread: 1, broken: 2 } as const

export const ENDED: ServerAnswer = { problem: { code: 'ECONNRESET', message: 'the connection has ended' } }
const LATE: ServerAnswer = { problem: { code: 'ETIMEDOUT', message: 'the server did not answer' } }

export function openWire(url: string): Wire {
  const { port1: port, port2 } = new MessageChannel()
  const signal = new Int32Array(new SharedArrayBuffer(12))
  const worker = new Worker(THREAD, { workerData: { url, signal, port: port2 }, transferList: [port2] })
  // What it ended for is known by its state.
  worker.on('error', () => undefined)
  worker.unref()
  port.unref()
  if (Atomics.wait(signal, SIGNAL.thread, THREAD_STATES.loading, LOADED_MS) === 'timed-out')
    throw new Error(`the thread that speaks with the server did not start: ${THREAD.pathname}`)
  const hasEnded = (): boolean => Atomics.load(signal, SIGNAL.thread) === THREAD_STATES.ended
  /** The thread may be stopped between saying that an answer is there and waking us: that wakes us while we wait for the next one. */
  function isAnswered(withinMs: number): boolean {
    const until = performance.now() + withinMs
    while (Atomics.load(signal, SIGNAL.answered) === 0)
      if (Atomics.wait(signal, SIGNAL.answered, 0, Math.max(0, until - performance.now())) === 'timed-out')
        return false
    return true
  }
  function answerTo(message: Statements | 'close', withinMs: number): ServerAnswer {
    Atomics.store(signal, SIGNAL.answered, 0)
    if (hasEnded()) return ENDED
    port.postMessage(message)
    const isThere = isAnswered(withinMs)
    const received = receiveMessageOnPort(port) as { message: ServerAnswer } | undefined
    if (isThere && received !== undefined) return received.message
    // An answer that comes later must not be taken for that to another question.
    Atomics.store(signal, SIGNAL.thread, THREAD_STATES.ended)
    return isThere ? ENDED : LATE
  }
  const tell = (told: Told): void => port.postMessage(told)
  return {
    answer: (asked) => answerTo(asked, PATIENCE_MS),
    keepRenewing: tell,
    renewNoMore: ({ renew }) => tell({ renewNoMore: renew }),
    isBroken: () => hasEnded() || Atomics.load(signal, SIGNAL.broken) === 1,
    close() {
      answerTo('close', CLOSED_MS)
      Atomics.store(signal, SIGNAL.thread, THREAD_STATES.ended)
      port.close()
      void worker.terminate()
    },
  }
}

/** What a state asks over a wire. `place`: how messages name the state. `onProblem` is told of each code before it is thrown. */
export function askOver(
  wire: Pick<Wire, 'answer'>,
  place: string,
  onProblem: (code: string) => void = () => undefined,
) {
  let under = ''
  return {
    under: (settings: string): void => void (under = settings),
    ask(queries: readonly Query[]): readonly StatementAnswer[] {
      const answer = wire.answer({ queries, under })
      if (!isProblem(answer)) return answer.answers
      onProblem(answer.problem.code)
      throw serverError(answer.problem, place)
    },
  }
}

/** `place`: how messages name the state. */
export type OpenChannel = (url: string, place: string) => Channel

/** A connection for one state alone. */
export const openChannel: OpenChannel = (url, place) => {
  const wire = openWire(url)
  return {
    ...askOver(wire, place),
    mark: '',
    crowd: () => 1,
    keepRenewing: wire.keepRenewing,
    close: wire.close,
  }
}
