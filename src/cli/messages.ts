// From an error to what a person reads, and to the exit code. The one place where that is decided.
import { type ErrorCode, SyncError } from '../core/errors.ts'

/** Problems in the configuration, each a finished line. */
export class ConfigurationError extends Error {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.name = 'ConfigurationError'
    this.lines = lines
  }
}

const EXIT_CODES: Partial<Record<ErrorCode, number>> = {
  USAGE: 2,
  CONFIG_INVALID: 2,
  STATE_LOCKED: 6,
  OTHER_SERVICE: 2,
  SERVICE_UNREACHABLE: 5,
  SERVICE_KEY_REFUSED: 5,
  SERVICE_CONTRACT: 5,
  DAILY_LIMIT: 5,
  HELD_CHANGED: 4,
}

export interface Message {
  readonly text: string
  readonly exitCode: number
}

/** A known error becomes a sentence and the next step; an unknown one keeps its stack, for the report. */
export function errorMessage(error: unknown): Message {
  if (error instanceof ConfigurationError) {
    const count = error.lines.length === 1 ? '1 problem' : `${error.lines.length} problems`
    return {
      text: `${error.lines.join('\n')}\n${count} in the configuration; nothing was done.`,
      exitCode: 2,
    }
  }
  if (error instanceof SyncError)
    return { text: `${error.code}: ${error.message}\n${error.hint}`, exitCode: EXIT_CODES[error.code] ?? 1 }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return {
    text: `This is a fault of contact-sync. Please report it with these lines:\n${detail}`,
    exitCode: 1,
  }
}
