// The log of a run for one of its files: every line carries the number of the file, and the beginning of its sum once the
// file was read to its end, so that the file can be followed. No line gets the file's name here.
import type { ErrorCode } from '../../core/words/errors.ts'
import type { CommonFields, LogEvent } from '../../core/log/events/events.ts'
import type { RunLog } from '../context.ts'

type FileFields = Pick<CommonFields, 'file_number' | 'file_sha256'>

interface FileLog extends RunLog {
  /** From now on lines carry the sum, too. Rejects that are read again are no file: their sum is empty. */
  wasRead(sha256: string): void
}

export function fileLog(log: RunLog, number: number): FileLog {
  let file: FileFields = { file_number: number }
  const info: LogEvent<'info'> = (event, fields) => log.info(event, { ...file, ...fields } as typeof fields)
  const warn: LogEvent<'warn'> = (event, fields) => log.warn(event, { ...file, ...fields } as typeof fields)
  return {
    info,
    warn,
    wasRead(sha256) {
      if (sha256 !== '') file = { ...file, file_sha256: sha256.slice(0, 12) }
    },
  }
}

interface FileEnd {
  readonly report: { readonly file: string; readonly status: string; readonly code?: ErrorCode }
  readonly folder: 'processed' | 'failed'
  /** Whether the file was moved there. */
  readonly isArchived: boolean
}

export function logEnd({ report, folder, isArchived }: FileEnd, log: RunLog): void {
  const code = report.code === undefined ? {} : { code: report.code }
  if (report.status === 'left') log.info('file left in inbox', code)
  else if (isArchived) log.info('file archived', { ...code, folder })
  else
    log.warn('file not archived: replaced or removed during the run', {
      file: report.file,
    })
}
