// The operational log: one static message per event with fixed fields, on standard error and, where a folder is set,
// in a file a day. No personal data comes here: what the table of events does not allow is not written; secrets are
// masked by value. A log that cannot be written never ends or blocks a run.
import { oneLine } from '../core/words/harmless.ts'
import type { Writable } from 'node:stream'
import { createLogger, format, transports, type Logger } from 'winston'
import {
  type CommonFields,
  type EventName,
  fieldKind,
  type LogEvent,
  type LogLevel,
} from '../core/log/events/events.ts'
import { createRedaction } from '../core/words/secrets/redact.ts'
import type { LogSettings } from '../core/settings.ts'
import { createDailyFile } from './daily-file.ts'

type LogFields = Readonly<Record<string, string | number>>

export interface Log {
  readonly error: LogEvent<'error'>
  readonly warn: LogEvent<'warn'>
  readonly info: LogEvent<'info'>
  readonly debug: LogEvent<'debug'>
  /** The same log with fields that every line carries. */
  with(fields: CommonFields): Log
  /** Masks these from now on, too, in every line of this log and of those made from it. */
  mask(secrets: readonly string[]): void
  /** Resolves when everything is written. */
  close(): Promise<void>
}

const MESSAGE = Symbol.for('message')

function prettyLine(info: Record<string, unknown>): string {
  const { timestamp, level, message, ...fields } = info
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return oneLine(
    [String(timestamp), String(level).toUpperCase().padEnd(5), String(message), ...rest].join(' '),
  )
}

function lineFormat(settings: LogSettings, redact: (text: string) => string) {
  const masked = format((info) => {
    const line = info[MESSAGE]
    if (typeof line === 'string') info[MESSAGE] = redact(line)
    return info
  })
  const shape = settings.format === 'json' ? format.json() : format.printf((info) => prettyLine({ ...info }))
  return format.combine(format.timestamp(), shape, masked())
}

/** Without what the table of events lacks, and what only the user who started the run may see. */
function writable(event: string, fields: LogFields): LogFields {
  const allowed = Object.entries(fields).filter(([name]) => {
    const kind = fieldKind(event, name)
    return kind !== undefined && kind !== 'told'
  })
  return Object.fromEntries(allowed)
}

function wrap(logger: Logger, mask: Log['mask'], fields: LogFields = {}): Log {
  const at = (level: LogLevel) => (event: string, more?: LogFields) => {
    // A source module may have something to say after the end.
    if (logger.writable) logger.log(level, event, writable(event, { ...fields, ...more }))
  }
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    mask,
    with: (more) => wrap(logger, mask, { ...fields, ...more }),
    async close() {
      const finished = new Promise<void>((resolve) => logger.once('finish', () => resolve()))
      logger.end()
      await finished
    },
  }
}

interface LogOptions {
  readonly secrets: readonly string[]
  /** Standard error. */
  readonly stream: Writable
  /** Of what goes to standard error, where `log.console_level` does not say; as `log.level` by default. */
  readonly consoleLevel?: LogLevel
}

export function createLog(settings: LogSettings, { secrets, stream, consoleLevel }: LogOptions): Log {
  const level = settings.console_level ?? consoleLevel ?? settings.level
  const masked = new Set(secrets)
  let redact = createRedaction([...masked])
  const shape = lineFormat(settings, (text) => redact(text))
  const sink = new transports.Stream({ stream, level })
  // Each sink has its own level; the logger itself lets everything pass.
  const logger = createLogger({ level: 'debug', format: shape, transports: sink })
  const log = wrap(logger, (more) => {
    // With many accounts most of them are known.
    if (more.every((secret) => masked.has(secret))) return
    for (const secret of more) masked.add(secret)
    redact = createRedaction([...masked])
  })
  const { folder, keep: keepMs } = settings
  if (folder === undefined) return log
  const file = createDailyFile({
    folder,
    keepMs,
    // Past the logger: its other sink is the one that failed.
    failed(code) {
      const message: EventName<'error'> = 'log file not writable: logging to standard error only'
      const line = shape.transform({ level: 'error', message, code })
      if (typeof line === 'object') stream.write(`${String(line[MESSAGE])}\n`)
    },
    // Not from within the line that is being written.
    recovered: (lines) =>
      queueMicrotask(() => {
        if (logger.writable) log.warn('log file writable again', { lines_lost: lines })
      }),
  })
  logger.add(new transports.Stream({ stream: file, level: settings.level }))
  return log
}
