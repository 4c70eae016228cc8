// What `check`, `terms` and `fields` ask: the service, one attempt a call, and the files that wait now.
import { SyncError } from '../../../core/words/errors.ts'
import { heldBackText } from '../../../core/log/events/service-event.ts'
import { difference } from '../../../core/change/diff.ts'
import { NO_CUSTOM_FIELDS } from '../../../core/mapping/custom-fields.ts'
import { compileMapping, type Mapper, optionalColumns, wantedColumns } from '../../../core/mapping/mapping.ts'
import { nearlyFound } from '../../../core/mapping/optional.ts'
import { unitedMapper } from '../../../core/mapping/union.ts'
import { isConsent } from '../../../core/mapping/values/consent.ts'
import { evidenceColumns } from '../../../core/mapping/values/evidence-columns.ts'
import { loadRuleKit, type RuleKit } from '../../../core/mapping/values/rule-kit.ts'
import type {
  InputReader,
  ServiceReads,
  ServiceSession,
  Source,
  SourceInput,
  Term,
} from '../../../core/ports.ts'
import type { SourceItem } from '../../../core/mapping/record.ts'
import type { PipelineSettings, Settings } from '../../../core/settings.ts'
import { termsBeyond, unknownTermsText } from '../../../core/mapping/terms.ts'
import { plural } from '../../../core/words/format.ts'
import { createService } from '../../../service/service.ts'
import { ordersWithin } from '../../../sync/plan/date-orders.ts'
import { recordsAmong } from '../../../sync/plan/united.ts'
import { closedFolder, openPlanSource, strayFiles } from '../../../sources/plan-source.ts'
import type { Desk } from '../desk.ts'
import { sharedWindow } from './rate-window.ts'
import { systemClock as clock, systemRandom as random } from '../../../system.ts'
import { planFolder } from '../../temporary-folder.ts'

const aloneText = (code: string): string =>
  `rate limit counted by this process only: the file beside the state that shares it cannot be used (${code})`

/** Who waits for the answer, and counts the requests. */
type Asker = Pick<Desk, 'tell' | 'onService'>

/** Opens the service for a command, one attempt per call: a user is waiting for the answer. */
export const askService = <T>(
  settings: Settings,
  ask: (reads: ServiceReads) => Promise<T>,
  by: Asker,
): Promise<T> => withService(settings, ask, by)

/** The same for a command that changes something there, too. */
export async function withService<T>(
  settings: Settings,
  use: (session: ServiceSession) => Promise<T>,
  by: Asker,
): Promise<T> {
  const once = { ...settings.service, retry: { ...settings.service.retry, attempts: 1 } }
  const service = createService(once, {
    clock,
    random,
    onEvent(event) {
      if (event.type === 'paused') by.tell(heldBackText(event.delayMs))
      by.onService?.(event)
    },
    ...sharedWindow(settings, (code) => by.tell(aloneText(code))),
  })
  try {
    return await use(service.session({ signal: new AbortController().signal }))
  } finally {
    await service.close()
  }
}

/** What of a pipeline's terms the service would not have: only where none may be made. */
export function termProblems(pipeline: PipelineSettings, terms: readonly Term[]): readonly string[] {
  const { assign, create_missing: createMissing } = pipeline.terms
  if (createMissing) return []
  const constants = assign.flatMap((entry) => ('name' in entry ? [entry.name] : []))
  const unknown = termsBeyond(
    constants,
    terms.map(({ name }) => name),
  )
  return unknown.length === 0 ? [] : [unknownTermsText(unknown, terms)]
}

const knownText = (error: unknown): string => {
  if (error instanceof SyncError) return `${error.message}. ${error.hint}`
  throw error
}

/** So many records of a file are tried. */
const TRIED = 100
/** So many different reasons are named. */
const REASONS = 5

const SAME_KEY = 'key: an earlier record has the same key'
const NOTHING_KNOWN = { link: undefined, inDoubt: false }

/**
 * Why a record would be rejected, without its values; undefined: it would not.
 * @param accepted the keys of records before it, to which its own is added
 */
function rejection(
  item: SourceItem,
  { mapper, pipeline, accepted }: { mapper: Mapper; pipeline: PipelineSettings; accepted: Set<string> },
): string | undefined {
  if (item.kind !== 'record') return item.message
  const mapped = mapper.map(item)
  if (mapped.kind === 'skipped') return undefined
  if (mapped.kind === 'rejected') return mapped.plain ?? mapped.reason
  const { contact, terms } = mapped
  const change = difference({ contact, terms }, NOTHING_KNOWN, pipeline)
  if (change.kind === 'rejected') return change.reason
  if (pipeline.on_duplicate_key === 'reject' && accepted.has(mapped.key)) return SAME_KEY
  accepted.add(mapped.key)
  return undefined
}

async function firstRows(reader: InputReader): Promise<readonly SourceItem[]> {
  const items: SourceItem[] = []
  for await (const batch of reader.batches()) {
    items.push(...batch)
    if (items.length >= TRIED) break
  }
  return items.slice(0, TRIED)
}

/** Where none of the records that say 4 or 7 has the evidence that `require_evidence` asks for. */
function withoutEvidence(
  items: readonly SourceItem[],
  mapper: Mapper,
  pipeline: PipelineSettings,
): readonly string[] {
  if (pipeline.map['mail_status']?.require_evidence !== true) return []
  const raises = items.flatMap((item) => {
    const mapped = item.kind === 'record' ? mapper.map(item) : undefined
    return mapped?.kind === 'contact' && isConsent(mapped.contact['mail_status']) ? [mapped] : []
  })
  if (raises.length === 0 || raises.some(({ evidence }) => evidence !== undefined)) return []
  const columns = evidenceColumns(pipeline).map(({ column }) => JSON.stringify(column))
  return [
    `${plural(raises.length, 'record')} of the first ${items.length} say mail_status 4 or 7, and none has the evidence that require_evidence asks for, so none would be raised: every column of ${columns.join(', ')} must be filled, and the day must be readable by its date`,
  ]
}

/** What would become of the first records of a file. */
async function trial(
  reader: InputReader,
  kit: RuleKit,
  pipeline: PipelineSettings,
): Promise<Omit<FileCheck, 'problem'>> {
  const mapper = unitedMapper(compileMapping(pipeline, reader.header, NO_CUSTOM_FIELDS, kit), pipeline)
  const items = await recordsAmong(await firstRows(reader), mapper.keyOf, pipeline)
  const reasons = new Map<string, number>()
  const accepted = new Set<string>()
  for (const item of items) {
    const reason = rejection(item, { mapper, pipeline, accepted })
    if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  const rejected = [...reasons.values()].reduce((sum, times) => sum + times, 0)
  const notes = withoutEvidence(items, mapper, pipeline)
  if (rejected === 0) return { notes }
  const named = [...reasons].sort(([, left], [, right]) => right - left).slice(0, REASONS)
  const more = reasons.size > REASONS ? `; and ${reasons.size - REASONS} other reasons` : ''
  const why = named.map(([reason, times]) => `${reason} (${times})`).join('; ')
  const text = `${rejected} of the first ${items.length} records would be rejected: ${why}${more}`
  return rejected === items.length ? { allRejected: text } : { someRejected: text, notes }
}

interface FileCheck {
  readonly problem?: string
  readonly allRejected?: string
  readonly someRejected?: string
  /** What is in order, and perhaps not meant. */
  readonly notes?: readonly string[]
}

async function fileCheck(source: Source, input: SourceInput, pipeline: PipelineSettings): Promise<FileCheck> {
  try {
    const customFields = NO_CUSTOM_FIELDS
    const orders = await ordersWithin(input, {}, { source, pipeline, customFields })
    const kit = await loadRuleKit(pipeline, { writtenAt: input.writtenAt ?? clock.now(), orders })
    const reader = await source.open(input, {
      columns: wantedColumns(pipeline),
      optional: optionalColumns(pipeline),
    })
    try {
      const { notes = [], ...tried } = await trial(reader, kit, pipeline)
      return { ...tried, notes: [...notes, ...nearlyFound(pipeline, reader.header)] }
    } finally {
      await reader.close()
    }
  } catch (error) {
    return { problem: knownText(error) }
  }
}

/** So many files that nothing takes are named. */
const STRAYS = 3

/** What is wrong with the folder, and with no file that a run would take. */
async function folderWarnings(
  { source }: PipelineSettings,
  { pipelines }: Pick<Settings, 'pipelines'>,
): Promise<readonly string[]> {
  const closed = await closedFolder(source)
  const rights =
    closed === undefined
      ? []
      : [`this user may not write to ${closed}: a run could put no file away; give it the right to`]
  const strays = await strayFiles(
    source,
    pipelines.map((other) => other.source),
  )
  if (strays.length === 0) return rights
  const named = strays.slice(0, STRAYS).join(', ')
  const more = strays.length > STRAYS ? ` and ${strays.length - STRAYS} more` : ''
  return [
    ...rights,
    `${plural(strays.length, 'file')} in the folder not read, because source.files matches none of them: ${named}${more}`,
  ]
}

/** Holds the mapping against the files that wait now, their headers and first records; a sentence for each that does not fit. */
export async function checkColumns(
  pipeline: PipelineSettings,
  settings: Pick<Settings, 'pipelines'>,
): Promise<{ files: number; unsettled: number; problems: readonly string[]; warnings: readonly string[] }> {
  const { source, close } = await openPlanSource(pipeline.source, { clock, ownFolder: planFolder })
  try {
    const { ready, unsettled, refused } = await source.list({ wait: false })
    const problems = refused.map(({ name, error }) => `${name}: ${knownText(error)}`)
    const warnings = [...(await folderWarnings(pipeline, settings))]
    for (const input of ready) {
      const { problem, allRejected, someRejected, notes = [] } = await fileCheck(source, input, pipeline)
      const wrong = problem ?? allRejected
      if (wrong !== undefined) problems.push(`${input.name}: ${wrong}`)
      if (someRejected !== undefined) warnings.push(`${input.name}: ${someRejected}`)
      warnings.push(...notes.map((note) => `${input.name}: ${note}`))
    }
    return { files: ready.length, unsettled, problems, warnings }
  } catch (error) {
    return { files: 0, unsettled: 0, problems: [knownText(error)], warnings: [] }
  } finally {
    await close()
  }
}
