// `audit export`: the sync log as a file, whole or filtered; or all that is held about one person.
import { exportLog, type LogFormat, writeText } from '../../app/audit-files.ts'
import { outputFile } from '../../app/output-file.ts'
import { subjectReport } from '../../app/people/subject-report.ts'
import type { Settings } from '../../core/settings.ts'
import { SyncError } from '../../core/words/errors.ts'
import { plural } from '../../core/words/format.ts'
import { configFile } from '../config-file.ts'
import { replacedText } from '../format.ts'
import { type Io, printError, printJson } from '../io.ts'
import { peopleNamed, withLog } from '../with-log.ts'
import { type FilterOptions, logFilter } from './audit.ts'
import { commandSettings } from '../settings.ts'

interface ExportOptions extends FilterOptions {
  readonly format?: LogFormat
  readonly subject?: string
}

export async function exportAudit(io: Io, options: ExportOptions, [name]: string[]): Promise<number> {
  if (name === undefined) throw new SyncError('USAGE', 'audit export needs the name of the file to write')
  const settings = await commandSettings(io, options)
  const file = outputFile(name, {
    cwd: io.cwd,
    settings,
    configurations: [configFile(io, options)],
    json: options.json,
  })
  if (options.subject !== undefined)
    return exportSubject(io, { ...options, settings }, { file, subject: options.subject })
  return withLog(io, { ...options, settings }, async (state) => {
    const what = { filter: logFilter(options), format: options.format ?? 'jsonl' }
    const { entries, hash, replaced } = await exportLog(state, file, what)
    const head = await state.logHead()
    if (options.json === true) printJson(io, { file, entries, hash, head, replaced })
    else
      printError(
        io,
        `${plural(entries, 'entry', 'entries')} written to ${file}${replacedText(replaced)}; the head of the log is ${head.hash}`,
      )
    return 0
  })
}

/** For an access request. */
async function exportSubject(
  io: Io,
  options: ExportOptions & { readonly settings: Settings },
  { file, subject }: { file: string; subject: string },
): Promise<number> {
  const { settings } = options
  return withLog(io, options, async (state, place) => {
    await peopleNamed(state, subject)
    const report = await subjectReport(state, place, subject)
    const { replaced } = await writeText(file, [
      `${JSON.stringify(report, null, 2)}
`,
    ])
    if (options.json === true) printJson(io, { file, people: report.people.length, replaced })
    else
      printError(
        io,
        `${plural(report.people.length, 'person', 'people')} written to ${file}${replacedText(replaced)}. Not in it: the contact as ${settings.service.base_url} has it, rows of theirs in files (waiting, archived, in the outbox), and backups.`,
      )
    return 0
  })
}
