// `explain`: one record, each of its values from file and line over the rules to the request that sent it.
import { askService } from '../../app/run/service/checking.ts'
import { assertReadOfService } from '../../app/run/service/service-binding.ts'
import { explainRecords, withLive } from '../../app/people/explain.ts'
import { consentLines } from '../../core/explain/consent.ts'
import { placeText } from '../../core/change/own-inputs.ts'
import type { ExplainedField, ExplainedTerm, Explanation } from '../../core/explain/explanation.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import { momentText } from '../../core/words/format.ts'
import { SyncError } from '../../core/words/errors.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { chosenPipelines, commandSettings } from '../settings.ts'
import { noStateAt } from '../../store/info.ts'
import { openStateForReading } from '../../store/state-store.ts'

interface ExplainOptions extends CommonOptions {
  readonly live?: boolean
}

const shown = (value: unknown): string =>
  value === null || value === undefined ? 'nothing' : JSON.stringify(value)

const place = ({ file, line }: { file: string | null; line: number | null }): string =>
  file === null ? 'no file' : line === null ? `${file}:?` : placeText({ file, line })

/** Where a number is no line of a text: what it counts. */
function placeKind({ file }: { file: string | null }): string {
  if (/\.xls[xm]$/i.test(file ?? '')) return ' (row of the sheet)'
  return /\.(vcf|vcard)(\.gz)?$/i.test(file ?? '') ? ' (first line of the card)' : ''
}

function sentText({ at, run_id: run, request, outcome }: ExplainedField | ExplainedTerm): string | undefined {
  if (at === null) return undefined
  const answered = request?.status === undefined ? 'no answer' : `answered ${request.status}`
  const asked = request === null ? 'no request' : `${request.method} ${request.path}, ${answered}`
  return `run ${run ?? '?'}, ${momentText(Date.parse(at))}; ${asked}; ${outcome?.replace('_', ' ') ?? ''}`
}

const ownerLine = ({ pipeline, why }: NonNullable<ExplainedField['owner']>): string =>
  `    value of ${pipeline ?? 'no pipeline'}: ${why}`

function valueLines(one: ExplainedField | ExplainedTerm, live: boolean): string[] {
  const sent = sentText(one)
  return [
    ...(one.file === null ? [] : [`    from ${place(one)}`]),
    ...one.steps.map(({ rule, from, to }) => `    ${rule}: ${shown(from)} -> ${shown(to)}`),
    ...(sent === undefined ? [] : [`    ${sent}`]),
    ...('value' in one && one.known !== one.value && JSON.stringify(one.known) !== JSON.stringify(one.value)
      ? [`    known at the service: ${shown(one.known)}`]
      : []),
    ...(live ? [`    at the service now: ${shown(one.actual)}`] : []),
    ...('owner' in one ? [ownerLine(one.owner)] : []),
    ...(one.note === undefined ? [] : [`    note: ${one.note}`]),
  ]
}

function printExplanation(io: Io, explanation: Explanation, isLive: boolean): void {
  const { pipeline, key, contact_id: id, record, fields, terms, consent, note } = explanation
  // The service was not asked for a contact that there is not.
  const live = isLive && id !== null
  const contact = id === null ? 'no contact' : `contact ${id}`
  print(io, `${pipeline} ${key}: ${contact}, ${place(record)}${placeKind(record)}`)
  if (note !== undefined) print(io, `  note: ${note}`)
  for (const [name, field] of Object.entries(fields)) {
    print(io, `  ${name} = ${shown(field.value)}`)
    for (const line of valueLines(field, live)) print(io, line)
  }
  if (consent !== undefined) {
    print(io, '  consent')
    for (const line of consentLines(consent)) print(io, `    ${line}`)
  }
  for (const term of terms) {
    print(io, `  term ${term.name}`)
    for (const line of valueLines(term, live)) print(io, line)
  }
}

const nobody = (pipeline: string, wanted: string): SyncError =>
  new SyncError('USAGE', `neither the state nor the sync log knows a record ${wanted} of ${pipeline}`, {
    hint: 'Name the key of a record or its e-mail address. Erased persons are not found.',
  })

/** Throws USAGE for a pipeline that is not configured, where there is no state yet, and where nothing is known; OTHER_SERVICE where the contact is one of another. */
export async function explain(
  io: Io,
  options: ExplainOptions,
  [name = '', wanted = '']: string[],
): Promise<number> {
  const settings = await commandSettings(io, options)
  const [pipeline] = chosenPipelines(settings, [name])
  const state = openStateForReading(settings.state)
  if (state === undefined || pipeline === undefined) throw noStateAt(settings.state)
  const found = await explainRecords(wanted, { settings, pipeline, state }).finally(() => state.close())
  if (found.length === 0) throw nobody(name, wanted)
  const live = options.live === true
  if (live) assertReadOfService(settings)
  const all = live ? await lookedUp(io, found, settings) : found
  if (all === undefined) return EXIT.noService
  if (options.json !== true) for (const one of all) printExplanation(io, one, live)
  else if (all.length === 1) printJson(io, all[0])
  else printJson(io, { records: all })
  return 0
}

/** Undefined, and said, where the service did not answer. */
async function lookedUp(
  io: Io,
  found: readonly Explanation[],
  settings: Awaited<ReturnType<typeof commandSettings>>,
): Promise<readonly Explanation[] | undefined> {
  const all: Explanation[] = []
  const tell = (text: string): void => printError(io, text)
  for (const one of found) {
    const result = await askService(settings, (reads) => withLive(one, settings, reads), { tell })
    if (result.kind !== 'ok') {
      printError(io, `service: ${result.summary}`)
      return undefined
    }
    all.push(result.value)
  }
  return all
}
