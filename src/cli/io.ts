// What a command may use of the process; handed in by main.ts, and by tests.
import { unbroken } from '../core/words/harmless.ts'
import type { Settings } from '../core/settings.ts'
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
  /** From now on the command is carried out, and gives its exit code, also where standard output cannot be written. */
  outlastReader(): void
  /** From now on SIGHUP calls this; without it SIGHUP ends the command as SIGTERM does, with 129. */
  onHangup(listener: () => void): void
}

/** All that an answer without a command line has: to make the rest would load more of Node than it needs. */
export type QuickIo = Pick<Io, 'stdout' | 'env' | 'cwd'>

/** Options that every command has. */
export interface CommonOptions {
  readonly config?: string
  /** One of the accounts of the configuration. */
  readonly account?: string
  readonly json?: boolean
  /** Of that account, where the configuration has been read already. */
  readonly settings?: Settings
}

export const printJson = (io: Io, value: unknown): void => void io.stdout.write(`${JSON.stringify(value)}\n`)

/** Each text is one line, whatever its values hold: a line break in one of them makes no further line. */
type Lines = string | readonly string[]

const onLines = (lines: Lines): string =>
  [lines]
    .flat()
    .map((line) => `${unbroken(line)}\n`)
    .join('')

export const print = (io: Pick<Io, 'stdout'>, lines: Lines): void => void io.stdout.write(onLines(lines))
export const printError = (io: Pick<Io, 'stderr'>, lines: Lines): void => void io.stderr.write(onLines(lines))
