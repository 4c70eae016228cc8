// The operational log: one static message per event with fixed fields, on standard error and, where a folder is set,
// in a file a day. No personal data comes here; secrets are masked by value.
import type { Writable } from 'node:stream'
import { createLogger, format, transports, type Logger } from 'winston'
import DailyRotateFile from 'winston-daily-rotate-file'
import type { LogSettings } from '../core/settings.ts'
import { createRedaction } from './redact.ts'

export type LogFields = Readonly<Record<string, string | number | boolean>>
export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

export interface Log {
  error(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
  /** The same log with fields that every line carries. */
  with(fields: LogFields): Log
  /** Resolves when everything is written. */
  close(): Promise<void>
}

const MESSAGE = Symbol.for('message')
const DAY_MS = 86_400_000

function prettyLine(info: Record<string, unknown>): string {
  const { timestamp, level, message, ...fields } = info
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [String(timestamp), String(level).toUpperCase().padEnd(5), String(message), ...rest].join(' ')
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

function wrap(logger: Logger, fields: LogFields): Log {
  const at = (level: LogLevel) => (message: string, more?: LogFields) =>
    void logger.log(level, message, { ...fields, ...more })
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    with: (more) => wrap(logger, { ...fields, ...more }),
    async close() {
      const finished = new Promise<void>((resolve) => logger.once('finish', () => resolve()))
      logger.end()
      await finished
    },
  }
}

function dailyFile(folder: string, keepMs: number): DailyRotateFile {
  return new DailyRotateFile({
    dirname: folder,
    filename: 'contact-sync-%DATE%.log',
    auditFile: `${folder}/.rotation.json`,
    maxFiles: `${Math.max(1, Math.round(keepMs / DAY_MS))}d`,
    utc: true,
  })
}

export function createLog(
  settings: LogSettings,
  options: { secrets: readonly string[]; stream: Writable },
): Log {
  const redact = createRedaction(options.secrets)
  const stream = new transports.Stream({ stream: options.stream })
  const logger = createLogger({
    level: settings.level,
    format: lineFormat(settings, redact),
    transports: stream,
  })
  if (settings.folder !== undefined) logger.add(dailyFile(settings.folder, settings.keepMs))
  return wrap(logger, {})
}
