// From an error to what a person reads, and to the exit code. The one place where that is decided.
import { type ErrorCode, inputError, SyncError, unlessOfLimit } from '../core/words/errors.ts'
import { EXIT } from '../core/words/exit-codes.ts'
import { type Io, printError } from './io.ts'
import { reportedToModule } from '../sources/module/unhandled.ts'

/** Problems in the configuration, each a finished line. */
export class ConfigurationError extends Error {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.name = 'ConfigurationError'
    this.lines = lines
  }
}

/** Ctrl-C at a question: a terminal that is asked sends no signal for it, and a shell expects the code of one. */
export class Interrupted extends SyncError {
  constructor(hint: string) {
    super('USAGE', 'interrupted, not done', { hint })
  }
}

const EXIT_CODES: Partial<Record<ErrorCode, number>> = {
  USAGE: EXIT.refused,
  CONFIG_INVALID: EXIT.refused,
  STATE_LOCKED: EXIT.locked,
  // As a run that it breaks off.
  DAEMON_ENDING: EXIT.terminated,
  OTHER_SERVICE: EXIT.refused,
  SERVICE_UNREACHABLE: EXIT.noService,
  SERVICE_KEY_REFUSED: EXIT.noService,
  SERVICE_CONTRACT: EXIT.noService,
  DAILY_LIMIT: EXIT.noService,
  HELD_CHANGED: EXIT.held,
  PAUSED: EXIT.held,
  SUPPRESSION_LIST: EXIT.held,
  PIPELINE_RENAMED: EXIT.held,
  RECEIVER_FAILED: EXIT.partial,
}

/** A source that cannot be read ends a command as it ends a run. */
const exitOf = (error: SyncError): number =>
  EXIT_CODES[error.code] ?? (inputError(error) === undefined ? EXIT.fault : EXIT.partial)

export interface Message {
  /** Each is one line, whatever its values hold. */
  readonly lines: readonly string[]
  readonly exitCode: number
}

/** The places of a stack, without the message: a line of it must not look like a line of the program. */
function stackPlaces({ message, stack = '' }: Error): readonly string[] {
  // The stack begins with the message, line breaks and all.
  const begin = stack.indexOf(`: ${message}`)
  const places = begin < 0 ? stack : stack.slice(begin + 2 + message.length)
  return places.split('\n').filter((line) => /^ +at /.test(line))
}

/** The error in one line, and the places of its stack. */
function detailLines(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)]
  return [`${error.name}: ${error.message}`, ...stackPlaces(error)]
}

/** What a command that ends without a result prints with --json: as a run that failed says it. */
export interface FailureDocument {
  readonly status: 'failed'
  /** Absent where it is a bug. */
  readonly code?: ErrorCode
  readonly error: string
  readonly hint?: string
}

/** Of a command that has said itself on standard error why it has no result. */
export const failureAsSaid = (said: string): FailureDocument => ({ status: 'failed', error: said.trim() })

/** An unknown error is not quoted: it may hold a record. */
export function failureDocument(thrown: unknown): FailureDocument {
  const error = unlessOfLimit(thrown)
  const failed = { status: 'failed' } as const
  if (error instanceof ConfigurationError)
    return { ...failed, code: 'CONFIG_INVALID', error: error.lines.join('\n'), hint: 'Nothing was done.' }
  if (error instanceof SyncError)
    return { ...failed, code: error.code, error: error.message, hint: error.hint }
  return { ...failed, error: 'this is a bug in contact-sync; standard error has the lines to report' }
}

/** A known error becomes a sentence and the next step; an unknown one keeps its stack, for the report. */
export function errorMessage(thrown: unknown): Message {
  const error = unlessOfLimit(thrown)
  if (error instanceof ConfigurationError) {
    const count = error.lines.length === 1 ? '1 problem' : `${error.lines.length} problems`
    return {
      lines: [...error.lines, `${count} in the configuration; nothing was done.`],
      exitCode: EXIT.refused,
    }
  }
  if (error instanceof Interrupted) return { lines: [error.message, error.hint], exitCode: EXIT.interrupted }
  if (error instanceof SyncError)
    return {
      lines: [`${error.code}: ${error.message}`, error.hint],
      exitCode: exitOf(error),
    }
  return {
    lines: ['This is a bug in contact-sync. Please report it with these lines:', ...detailLines(error)],
    exitCode: EXIT.fault,
  }
}

/**
 * An unhandled error, at the top of the process: the exit code; undefined where it has failed the fetch of a module.
 * Anything else is a bug. Its message is not shown, because it may quote a record; the next start settles what is half done.
 */
export function exitOfUnhandled(error: unknown, io: Pick<Io, 'stderr'>): number | undefined {
  if (reportedToModule(error)) return undefined
  const name = error instanceof Error ? error.constructor.name : typeof error
  printError(io, [
    `This is a bug in contact-sync, which ends here. Please report it with these lines: ${name}`,
    ...(error instanceof Error ? stackPlaces(error) : []),
  ])
  return EXIT.fault
}
