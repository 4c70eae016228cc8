// A tap as a process: started without a shell and in its own process group, read by lines, and ended with everything that it
// started. It is complete only if it exited by itself, with 0.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { env, kill } from 'node:process'
import type { Readable } from 'node:stream'
import { basename } from 'node:path'
import { SyncError } from '../../core/words/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { describeFault, faultCode } from '../fault.ts'
import { within } from './within.ts'

/** From SIGTERM to SIGKILL: the program itself has ten seconds in all when it is ended. */
const GRACE_MS = 5000
/** What a process that has ended may still hold of its standard error. */
const LAST_WORDS_MS = 1000

export interface TapTask {
  readonly command: readonly string[]
  /** Its working directory. */
  readonly home: string
  /** Without output. */
  readonly timeout: number
  readonly clock: Pick<Clock, 'sleep'>
  readonly signal: AbortSignal
  /** A piece of its standard error. */
  onError(piece: Buffer): void
  /** For the message of a tap that failed. */
  lastWords(): string
}

type Tap = ChildProcessByStdio<null, Readable, Readable>
interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** Ours are not handed on: the key of the service is none of a tap's business. */
const tapEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('CONTACT_SYNC_')))

export const tapFailure = ([program = '']: readonly string[], what: string, cause?: unknown): SyncError =>
  new SyncError('SOURCE_FAILED', `tap ${basename(program)}: ${what}`, { cause })

function signalGroup(tap: Tap, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (tap.pid !== undefined) kill(-tap.pid, name)
  } catch (error) {
    // Nothing of it is left.
    if (faultCode(error) === undefined) throw error
  }
}

const NEVER = new AbortController().signal

async function endGroup(tap: Tap, closed: Promise<unknown>, { clock }: TapTask): Promise<void> {
  const unhurried = { clock, signal: NEVER }
  signalGroup(tap, 'SIGTERM')
  if ((await within(closed, GRACE_MS, unhurried)) !== 'late') return
  signalGroup(tap, 'SIGKILL')
  await within(closed, LAST_WORDS_MS, unhurried)
}

const lateText = (task: TapTask): string =>
  task.signal.aborted ? 'the run was ended' : 'it wrote nothing in the time of source.timeout'

async function* output(tap: Tap, task: TapTask): AsyncGenerator<Buffer> {
  const pieces = (tap.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  for (;;) {
    const next = await within(pieces.next(), task.timeout, task)
    if (next === 'late') throw tapFailure(task.command, lateText(task))
    if (next.done === true) return
    yield next.value
  }
}

function assertWell({ code, signal }: Exit, task: TapTask): void {
  if (code === 0) return
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`
  const said = task.lastWords()
  throw tapFailure(task.command, `it ended ${how}${said === '' ? '' : `: ${said}`}`)
}

/** What a tap writes, piece by piece. Throws SOURCE_FAILED where it did not end well; however this is left, the tap ends. */
export async function* tapOutput(task: TapTask): AsyncGenerator<Buffer> {
  const [program = '', ...args] = task.command
  const tap = spawn(program, args, {
    cwd: task.home,
    env: tapEnvironment(),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  tap.stderr.on('data', (piece: Buffer) => task.onError(piece))
  const life = { isOver: false }
  const closed = new Promise<void>((resolve) => {
    const settle = (): void => {
      life.isOver = true
      resolve()
    }
    tap.once('close', settle).once('error', settle)
  })
  const ended = new Promise<Exit | Error>((resolve) => {
    tap.once('exit', (code, signal) => resolve({ code, signal })).once('error', resolve)
  })
  try {
    yield* output(tap, task)
    const exit = await within(ended, task.timeout, task)
    if (exit === 'late') throw tapFailure(task.command, lateText(task))
    if (exit instanceof Error)
      throw tapFailure(task.command, `it cannot be started: ${describeFault(exit)}`, exit)
    await within(closed, LAST_WORDS_MS, task)
    assertWell(exit, task)
  } finally {
    if (!life.isOver) await endGroup(tap, closed, task)
    // What left the group may still hold the other ends.
    tap.stdout.destroy()
    tap.stderr.destroy()
    tap.unref()
  }
}
