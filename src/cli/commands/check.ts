// `check`: everything that can be known to be wrong before the first run, all at once, without a write.
import { basename } from 'node:path'
import { EXIT } from '../../core/words/exit-codes.ts'
import { askService, checkColumns, termProblems } from '../../app/run/service/checking.ts'
import { type BrokenFile, type Configuration, loadConfiguration } from '../../app/run/configuration.ts'
import { assertUsableList } from '../../app/run/suppression.ts'
import { orphans } from '../../app/people/pipelines.ts'
import { assertReadOfService, bindingWarning } from '../../app/run/service/service-binding.ts'
import { definitionsWith } from '../../sync/definitions.ts'
import { markerProblem } from '../../sync/send/marker.ts'
import { customFieldFindings } from '../../core/mapping/custom-fields.ts'
import { requiresInVain } from '../../core/mapping/values/evidence-columns.ts'
import { stateText } from '../../core/state-place.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { CustomFieldDefinition, ServiceReads } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'
import { closedState, stateDoubt } from '../../store/info.ts'
import { shareConnections } from '../../app/sharing-connections.ts'
import { plural } from '../../core/words/format.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { chosenAccount } from '../accounts/chosen.ts'
import { configFile } from '../config-file.ts'
import { sharedFieldWarnings } from '../shared-fields-text.ts'
import { orphanText } from '../status-text.ts'

interface CheckReport {
  readonly problems: readonly { readonly about: string; readonly text: string }[]
  readonly notes: readonly string[]
  readonly orphans: readonly string[]
  readonly exitCode: number
}

async function checkPipelines(settings: Settings) {
  const checked = []
  for (const pipeline of settings.pipelines)
    checked.push({ name: pipeline.name, ...(await checkColumns(pipeline, settings)) })
  return {
    problems: checked.flatMap(({ name, problems }) =>
      problems.map((text) => ({ about: `pipeline ${name}`, text })),
    ),
    notes: checked.flatMap(({ name, files, unsettled, warnings }) => [
      `pipeline ${name}: ${plural(files, 'file')} waiting, checked`,
      ...(unsettled === 0
        ? []
        : [
            `pipeline ${name}: ${plural(unsettled, 'file')} still growing, not checked: check again once nothing has changed for source.settle`,
          ]),
      ...warnings.map((text) => `warning: pipeline ${name}: ${text}`),
    ]),
  }
}

type Findings = Pick<CheckReport, 'problems' | 'notes'>

async function checkTerms(settings: Settings, reads: ServiceReads): Promise<Findings> {
  const concerned = settings.pipelines.filter(({ terms }) => terms.assign.length > 0)
  if (concerned.length === 0) return { problems: [], notes: [] }
  const result = await reads.terms()
  if (result.kind !== 'ok') return { problems: [{ about: 'service', text: result.summary }], notes: [] }
  const problems = concerned.flatMap((pipeline) =>
    termProblems(pipeline, result.value).map((text) => ({ about: `pipeline ${pipeline.name}`, text })),
  )
  return { problems, notes: [`service: ${plural(result.value.length, 'term')}`] }
}

function checkFields(settings: Settings, definitions: readonly CustomFieldDefinition[]): Findings {
  const checked = settings.pipelines.map((pipeline) => ({
    name: pipeline.name,
    ...customFieldFindings(pipeline, definitions, settings.service.custom_field_key),
  }))
  return {
    problems: checked.flatMap(({ name, problems }) =>
      problems.map((text) => ({ about: `pipeline ${name}`, text })),
    ),
    notes: checked.flatMap(({ name, warnings }) =>
      warnings.map((text) => `warning: pipeline ${name}: ${text}`),
    ),
  }
}

const knownText = (error: unknown): string => {
  if (error instanceof SyncError) return `${error.code}: ${error.message}. ${error.hint}`
  throw error
}

/** Without it no run sends anything. */
async function checkSuppression(settings: Settings): Promise<CheckReport['problems']> {
  try {
    await assertUsableList(settings)
    return []
  } catch (error) {
    return [{ about: 'consents.suppress', text: knownText(error) }]
  }
}

/** Whether the service shows what the state knows of it. */
async function checkBinding(settings: Settings, reads: ServiceReads): Promise<Findings> {
  try {
    const warning = await bindingWarning(settings, reads)
    return { problems: [], notes: warning === undefined ? [] : [`warning: service: ${warning}`] }
  } catch (error) {
    return { problems: [{ about: 'service', text: knownText(error) }], notes: [] }
  }
}

/** A state that no run takes; one that this user cannot write may be another's. */
function checkState({ state }: Settings): Findings {
  const found = stateDoubt(state)
  const closed = closedState(state)
  return {
    problems:
      found === undefined
        ? []
        : [{ about: 'state', text: `${stateText(state)} ${found.doubt}. ${found.hint}` }],
    notes:
      closed === undefined
        ? []
        : [
            `warning: state: this user may not write to ${closed}: a run could not begin; give it the right to, or check as the user of the daemon`,
          ],
  }
}

/** Why the service must not be asked with this state; undefined: it may. */
function otherService(settings: Settings): string | undefined {
  try {
    assertReadOfService(settings)
    return undefined
  } catch (error) {
    return knownText(error)
  }
}

/** The service at its definitions of custom fields: a cheap read that needs the key; then what else is asked of it. */
async function checkService(settings: Settings, io: Io): Promise<Findings & { reached: boolean }> {
  return askService(
    settings,
    async (reads) => {
      const { marker_field: markerField } = settings.service
      const mapped = [
        ...settings.pipelines.flatMap(({ custom_fields: customFields }) => Object.keys(customFields)),
        ...(markerField === undefined ? [] : [markerField]),
      ]
      const fields = await definitionsWith([...new Set(mapped)], reads, { whole: true })
      if (fields.kind !== 'ok')
        return { problems: [{ about: 'service', text: fields.reason }], notes: [], reached: false }
      const terms = await checkTerms(settings, reads)
      const custom = checkFields(settings, fields.value)
      const other = await checkBinding(settings, reads)
      const notes = ['service: reached, the key is accepted', ...other.notes, ...terms.notes, ...custom.notes]
      const marker = markerField === undefined ? undefined : markerProblem(markerField, fields.value)
      const problems = marker === undefined ? [] : [{ about: 'service', text: marker }]
      return {
        problems: [...other.problems, ...problems, ...custom.problems, ...terms.problems],
        notes,
        reached: true,
      }
    },
    { tell: (text) => printError(io, text) },
  )
}

const brokenText = (broken: readonly BrokenFile[]): string =>
  `${plural(broken.length, 'file')} not in use: ${broken.map(({ file }) => basename(file)).join(', ')}`

/** One account after the other, with its name where there are several. */
async function checkAccounts(
  loaded: Extract<Configuration, { ok: true }>,
  options: CommonOptions,
  io: Io,
): Promise<CheckReport> {
  const { accounts, warnings, broken } = loaded
  const chosen = options.account === undefined ? accounts : [chosenAccount(loaded, options)]
  const reports: CheckReport[] = []
  const { sharing, close } = shareConnections()
  for (const settings of chosen) {
    const { account } = settings
    const report = await checkAll(sharing(settings), io)
    const isOnly = accounts.length === 1
    reports.push(
      isOnly
        ? report
        : {
            ...report,
            notes: report.notes.map((text) => `account ${account}: ${text}`),
            problems: report.problems.map((one) => ({ ...one, about: `account ${account}: ${one.about}` })),
          },
    )
  }
  close()
  const codes = [...reports.map(({ exitCode }) => exitCode), broken.length > 0 ? EXIT.refused : EXIT.done]
  return {
    problems: [
      ...broken.flatMap(({ problems }) => problems.map((text) => ({ about: 'configuration', text }))),
      ...reports.flatMap(({ problems }) => problems),
    ],
    notes: [
      broken.length === 0 ? 'configuration: valid' : `configuration: ${brokenText(broken)}`,
      ...warnings.map((text) => `warning: ${text}`),
      ...reports.flatMap(({ notes }) => notes),
    ],
    orphans: reports.flatMap(({ orphans: known }) => known),
    exitCode: [EXIT.noService, EXIT.refused].find((code) => codes.includes(code)) ?? EXIT.done,
  }
}

async function checkAll(settings: Settings, io: Io): Promise<CheckReport> {
  const pipelines = await checkPipelines(settings)
  const refused = otherService(settings)
  const unknown = orphans(settings)
  const service =
    refused === undefined
      ? await checkService(settings, io)
      : { problems: [{ about: 'service', text: refused }], notes: [], reached: true }
  const suppression = await checkSuppression(settings)
  const state = refused === undefined ? checkState(settings) : { problems: [], notes: [] }
  const problems = [...state.problems, ...suppression, ...pipelines.problems, ...service.problems]
  const notes = [
    ...state.notes,
    ...sharedFieldWarnings(settings),
    ...settings.pipelines
      .filter(requiresInVain)
      .map(
        ({ name }) =>
          `warning: pipeline ${name}: require_evidence has no effect: the mapping never gives mail_status 4 or 7`,
      ),
    ...pipelines.notes,
    ...unknown.map((name) => `warning: pipeline ${orphanText(name)}`),
    ...service.notes,
  ]
  const report = { problems, notes, orphans: unknown }
  if (!service.reached) return { ...report, exitCode: EXIT.noService }
  return { ...report, exitCode: problems.length > 0 ? EXIT.refused : EXIT.done }
}

export async function check(io: Io, options: CommonOptions): Promise<number> {
  const file = configFile(io, options)
  const loaded = await loadConfiguration(file, io.env)
  const report: CheckReport = loaded.ok
    ? await checkAccounts(loaded, options, io)
    : {
        problems: loaded.problems.map((text) => ({ about: 'configuration', text })),
        notes: [],
        orphans: [],
        exitCode: EXIT.refused,
      }
  if (options.json === true) {
    const { problems, notes, orphans: known } = report
    printJson(io, { ok: problems.length === 0, problems, notes, orphans: known })
    return report.exitCode
  }
  for (const note of report.notes) print(io, note)
  for (const { about, text } of report.problems)
    print(io, about === 'configuration' ? text : `${about}: ${text}`)
  print(
    io,
    report.problems.length === 0 ? 'All checks passed.' : `${plural(report.problems.length, 'problem')}.`,
  )
  return report.exitCode
}
