// What a command may use of the process; handed in by main.ts, and by tests.
import { oneLine } from '../core/harmless.ts'
import type { Readable, Writable } from 'node:stream'

export interface Io {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly pid: number
  /** Whether standard error is a terminal: only then are there progress lines. */
  readonly isTerminal: boolean
  /** Whether a person can be asked: standard input and standard error are a terminal. */
  readonly isInteractive: boolean
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** From now on SIGHUP calls this; without it SIGHUP ends the command as SIGTERM does, with 129. */
  onHangup(listener: () => void): void
}

/** Options that every command has. */
export interface CommonOptions {
  readonly config?: string
  readonly json?: boolean
}

export const printJson = (io: Io, value: unknown): void => void io.stdout.write(`${JSON.stringify(value)}\n`)
export const print = (io: Io, text: string): void => void io.stdout.write(`${text}\n`)
/** A record of a list: whatever its values hold, it is one line. */
export const printLine = (io: Io, text: string): void => print(io, oneLine(text))
export const printError = (io: Io, text: string): void => void io.stderr.write(`${text}\n`)
