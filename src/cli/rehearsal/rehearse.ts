// `rehearse`: what a new configuration would make of files that were processed under the one in force; writes nothing.
import { resolve } from 'node:path'
import { type PipelineRehearsal, rehearse } from '../../app/run/rehearsal.ts'
import { outputFile } from '../../app/output-file.ts'
import { type ErrorCode, ERRORS, SyncError } from '../../core/words/errors.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import { systemClock as clock } from '../../system.ts'
import { configFile } from '../config-file.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { writeReport } from '../plan/plan-files.ts'
import { createProgress } from '../progress.ts'
import { chosenAccount } from '../accounts/chosen.ts'
import { accountsIn, commandSettings } from '../settings.ts'
import { terminalOf } from '../terminal.ts'
import { rehearsalJson } from './rehearsal-json.ts'
import { rehearsalsMarkdown } from './rehearsal-markdown.ts'
import { rehearsalText } from './rehearsal-text.ts'

interface RehearseOptions extends CommonOptions {
  readonly with?: string
  readonly files?: number
  readonly markdown?: string
}

/** Enough for a source whose exports vary; each full export holds all records. */
const USUAL_FILES = 3

/** The file could not be read, or was changed meanwhile: under which configuration makes no difference. */
const isOfReading = (code: ErrorCode | null): boolean =>
  code !== null && (code === 'INPUT_UNREADABLE' || ERRORS[code].class === 'later')

/** The new configuration cannot read a file that the old one reads, or a file was not compared to its end. */
const isWorse = ({ unread }: PipelineRehearsal): boolean =>
  unread.some(
    ({ before, after }) => (before === null && after !== null) || isOfReading(before) || isOfReading(after),
  )

export async function rehearseConfiguration(io: Io, options: RehearseOptions): Promise<number> {
  if (options.with === undefined)
    throw new SyncError('USAGE', 'rehearse needs the new configuration', {
      hint: 'contact-sync rehearse --with new.yaml',
    })
  const leniency = { withoutSecrets: 'all' } as const
  const before = await commandSettings(io, options, leniency)
  const other = resolve(io.cwd, options.with)
  const accounts = await accountsIn(other, io, { ...leniency, namedBy: '--with' })
  const after = chosenAccount(accounts, { account: before.account })
  const path =
    options.markdown === undefined
      ? undefined
      : outputFile(options.markdown, {
          cwd: io.cwd,
          settings: before,
          configurations: [configFile(io, options), other],
          json: options.json,
        })
  const progress = createProgress('rehearse', io, clock)
  const rehearsals = await rehearse(before, after, {
    files: options.files ?? USUAL_FILES,
    signal: io.signal,
    report: (read) => progress.report({ phase: 'read', read }),
  }).finally(() => progress.clear())
  if (path !== undefined) await writeReport(io, { what: 'comparison', path }, rehearsalsMarkdown(rehearsals))
  const { paint } = terminalOf(io)
  if (options.json === true) printJson(io, { pipelines: rehearsals.map(rehearsalJson) })
  else for (const rehearsal of rehearsals) print(io, rehearsalText(rehearsal, paint))
  return rehearsals.some(isWorse) ? EXIT.partial : EXIT.done
}
