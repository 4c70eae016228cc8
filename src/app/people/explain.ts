// Explains one record: what the state and the sync log know of it, put together with what its rows give when they are read again
// from the archived files. Part of the composition. Reads only, and sends requests to the service only on request.
import type { ExplainReads } from '../../core/explain/explain-reads.ts'
import type { ConsentFacts } from '../../core/explain/consent.ts'
import {
  explanationOf,
  type Explanation,
  type RecordFacts,
  type Retraced,
  settingEntries,
  withActual,
} from '../../core/explain/explanation.ts'
import { noteOfEntry, settingOf, type ValueSetting } from '../../core/explain/setting.ts'
import type { SharedContact } from '../../core/explain/shared-fields.ts'
import { compileTracer, type TracedRecord, type Tracer, unitedTrace } from '../../core/explain/trace.ts'
import type { LoggedEntry } from '../../core/log/audit-chain.ts'
import { contactMailKey } from '../../core/mapping/contact.ts'
import { customFieldFindings } from '../../core/mapping/custom-fields.ts'
import { optionalColumns, wantedColumns } from '../../core/mapping/mapping.ts'
import type { RecordRow } from '../../core/mapping/record.ts'
import { evidenceColumns } from '../../core/mapping/values/evidence-columns.ts'
import { withMapping } from '../../core/mapping-store.ts'
import { loadRuleKit } from '../../core/mapping/values/rule-kit.ts'
import type { CallResult, ServiceReads } from '../../core/ports.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { RecordView } from '../../core/views.ts'
import { SyncError } from '../../core/words/errors.ts'
import { storedRows } from '../../sources/stored-rows.ts'
import { systemClock as clock } from '../../system.ts'
import { contactsAt } from './contact-view.ts'

interface Asked {
  readonly settings: Pick<Settings, 'service'>
  readonly pipeline: PipelineSettings
  readonly state: ExplainReads
}

const PAGE = 500
/** So many entries of one person are read at most. */
const LIFE = 10_000

/** What the sync log has of the record, newest first. Of entries whose values are gone, the pipeline is all that is left. */
async function entriesOf(
  { pipeline, state }: Asked,
  { key, link }: { key: string; link: RecordView | undefined },
): Promise<LoggedEntry[]> {
  const names = await state.namesOf(pipeline.name)
  const isOwn = (entry: LoggedEntry): boolean =>
    names.includes(entry.pipeline ?? '') && (entry.values === 'erased' || entry.key === key)
  const contact = link === undefined ? `key:${key}` : `id:${link.contactId}`
  const found: LoggedEntry[] = []
  for (let from: number | undefined, read = 0; read < LIFE; read += PAGE) {
    const range = { order: 'newest', limit: PAGE, ...(from === undefined ? {} : { from }) } as const
    const page = await state.logPage({ contact }, range)
    found.push(...page.filter(isOwn))
    if (page.length < PAGE) break
    from = page.at(-1)?.seq
  }
  return found
}

type TracerFor = (header: readonly string[], writtenAt: number) => Promise<Tracer>

/** Tracers under the pipeline's mapping, with what the state knows of custom fields and orders of dates. */
async function tracers({ settings, pipeline, state }: Asked): Promise<TracerFor> {
  const definitions = await state.seenDefinitions(pipeline.name)
  const customFields = customFieldFindings(pipeline, definitions, settings.service.custom_field_key)
  const orders = await state.dateOrders(pipeline.name)
  return async (header, writtenAt) => {
    const kit = await loadRuleKit(pipeline, { writtenAt, orders })
    return compileTracer(pipeline, { header, customFields, kit })
  }
}

/** The pipeline with the mapping that was in force then; undefined where that is not known. */
async function pipelineThen(hash: string, { pipeline, state }: Asked): Promise<PipelineSettings | undefined> {
  if (hash === pipeline.hash) return pipeline
  const text = await state.keptMapping(hash)
  return text === undefined ? undefined : withMapping(pipeline, text)
}

/** Whether the row is the record's: on one line of a file there may be several. */
function isOfKey(traced: TracedRecord, key: string): boolean {
  if (traced.key !== undefined) return traced.key === key
  const mail = traced.fields.get('mail')?.value
  return mail !== undefined && contactMailKey({ mail }) === key
}

const GONE_FILE = (file: string): string =>
  `its row cannot be read again: ${file} is no longer in the folders of the source, or its content has changed since it was read`

/** Records that are sent again from what was sent last, and older ones from the list of rejects. */
const NO_DIGEST = (file: string): string =>
  `its row cannot be read again: the record was not read from ${file} itself, but kept from an earlier run`

const OTHER_MAPPING = 'the mapping has changed since, and the earlier one is not kept'

interface Reread {
  readonly retraced: Retraced
  /** More would not come of a reading of the whole file. */
  readonly isWhole: boolean
}

const unread = (note: string): Reread => ({ retraced: { note }, isWhole: true })

/**
 * Runs that may have archived the file. A change that was held is sent by another run than the one that read the file, after
 * which it is named.
 */
async function runsOf(
  entry: ValueSetting,
  file: { readonly name: string; readonly sha256: string },
  { facts, pipeline, state }: Asked & { readonly facts: RecordFacts },
): Promise<readonly string[]> {
  const before = entry.at === null ? clock.now() : Date.parse(entry.at)
  const reader = await state.readerOf(pipeline.name, file, before)
  const ofFile = facts.entries.filter((one) => one.source?.sha256 === file.sha256)
  const named = [entry, ...ofFile].flatMap((one) => [one.run_id, one.planned_by ?? one.run_id])
  return [...new Set([...(reader === undefined ? [] : [reader]), ...named])]
}

/** What the rows of one entry give under the mapping of its time. */
async function retrace(
  entry: ValueSetting,
  { facts, whole, ...asked }: Asked & { readonly facts: RecordFacts; readonly whole: boolean },
): Promise<Reread> {
  const note = noteOfEntry(entry)
  const { source } = entry
  if (note !== undefined || source === null) return unread(note ?? '')
  const pipeline = await pipelineThen(entry.config_hash, asked)
  if (pipeline === undefined) return unread(OTHER_MAPPING)
  // Older entries have a blank one.
  const { sha256 = '' } = source
  if (sha256 === '') return unread(NO_DIGEST(source.file))
  const file = { name: source.file, sha256 }
  const runIds = await runsOf(entry, file, { facts, ...asked })
  const wanted = { ...file, runIds, lines: source.lines ?? [source.line] }
  const columns = { columns: wantedColumns(pipeline), optional: optionalColumns(pipeline), whole }
  const stored = await storedRows(pipeline.source, wanted, columns)
  if (stored === undefined) return unread(GONE_FILE(source.file))
  const isWhole = stored.whole
  try {
    const tracerFor = await tracers({ ...asked, pipeline })
    const tracer = await tracerFor(stored.header, stored.writtenAt)
    const traced = unitedTrace(stored.rows.map(tracer).filter((row) => isOfKey(row, facts.key)))
    if (traced !== undefined) return { retraced: { traced }, isWhole }
    return { retraced: { note: `line ${source.line} of ${source.file} now has another record` }, isWhole }
  } catch (error) {
    if (error instanceof SyncError) return { retraced: { note: error.message }, isWhole }
    throw error
  }
}

const NOT_READ: Retraced = { note: 'its row was not read again' }

/** Entries of one row, under one mapping: it is read once. */
const rowName = ({ seq, source, config_hash: hash }: ValueSetting): string =>
  source === null ? String(seq) : JSON.stringify([source, hash])

/** The rows of all entries that set a value, read again. A row that does not give what was sent is read from the whole file. */
async function explained(facts: RecordFacts, asked: Asked): Promise<Explanation> {
  const rows = new Map<string, Reread>()
  const explain = (): Explanation =>
    explanationOf(facts, (entry) => rows.get(rowName(entry))?.retraced ?? NOT_READ)
  const entries = settingEntries(facts)
  const read = async (entry: ValueSetting, whole: boolean): Promise<void> => {
    rows.set(rowName(entry), await retrace(entry, { ...asked, facts, whole }))
  }
  for (const entry of entries) if (!rows.has(rowName(entry))) await read(entry, false)
  const first = explain()
  const values = [...Object.values(first.fields), ...first.terms]
  const isOdd = ({ run_id: run, at }: ValueSetting): boolean =>
    values.some((value) => value.steps.length === 0 && value.run_id === run && value.at === at)
  for (const entry of entries)
    if (rows.get(rowName(entry))?.isWhole === false && isOdd(entry)) await read(entry, true)
  return explain()
}

/** A row that was rejected and belongs to no contact: what its rules make of it, from the state alone. */
async function explainedReject(key: string, asked: Asked): Promise<Explanation | undefined> {
  const [reject] = await asked.state.rejectsOf(asked.pipeline.name, key)
  if (reject === undefined) return undefined
  const row: RecordRow = { line: reject.line, values: reject.columns.map(({ value }) => value) }
  const tracer = await (
    await tracers(asked)
  )(
    reject.columns.map(({ name }) => name),
    clock.now(),
  ).catch((error: unknown) => {
    if (error instanceof SyncError) return undefined
    throw error
  })
  const { file, line, runId } = reject
  const origin = { file, line, run_id: runId, at: null, request: null, outcome: 'rejected' as const }
  const fields = [...(tracer?.(row).fields ?? [])].map(([name, { value, steps, problem }]) => [
    name,
    {
      value: value ?? null,
      steps,
      known: null,
      ...origin,
      ...(problem === undefined ? {} : { note: problem }),
    },
  ])
  return {
    pipeline: asked.pipeline.name,
    key,
    contact_id: null,
    record: { file, line },
    fields: Object.fromEntries(fields) as Explanation['fields'],
    terms: [],
    note: `the record was rejected: ${reject.reason}`,
  }
}

interface Meant {
  readonly key: string
  readonly link: RecordView | undefined
}

/** The records that are meant: by key, else by mail, also by one that only the sync log knows. */
async function recordsMeant(text: string, { pipeline, state }: Asked): Promise<readonly Meant[]> {
  const links = await state.linkedRecords(pipeline.name, text)
  if (links.length > 0) return links.map((link) => ({ key: link.key, link }))
  const ofMail = text.includes('@')
    ? await state.logPage({ contact: `mail:${text}` }, { order: 'newest', limit: PAGE })
    : []
  const names = await state.namesOf(pipeline.name)
  const keys = ofMail.flatMap((entry) => (names.includes(entry.pipeline ?? '') ? (entry.key ?? []) : []))
  const own: Meant[] = []
  for (const key of new Set([text, ...keys]))
    own.push({ key, link: (await state.linkedRecords(pipeline.name, key)).find((link) => link.key === key) })
  return own
}

/** What other pipelines know of the contact of the record; undefined where they know nothing. */
async function sharedContact(
  link: RecordView | undefined,
  { pipeline, state }: Asked,
): Promise<SharedContact | undefined> {
  if (link === undefined || link.gone) return undefined
  const { contactId, known, missing } = link
  const [sharers = []] = await state.sharers(pipeline.name, [{ contactId, mailKey: undefined }])
  const [first, ...others] = sharers
  if (first === undefined) return undefined
  const [sent] = await state.sentValues([contactId])
  const { givenUp = [] } = link
  const own = { pipeline: pipeline.name, fields: known, missing, givenUp }
  return { records: [own, first, ...others], owners: pipeline.owners, last: sent?.last ?? {} }
}

/** The address of the contact, or the last one that the sync log has of the record. */
function mailsOf(link: RecordView | undefined, entries: readonly ValueSetting[]): readonly string[] {
  const logged = entries.find(({ fields }) => typeof fields['mail']?.to === 'string')?.fields['mail']?.to
  const mails = [link?.known['mail'], logged].filter((mail) => typeof mail === 'string')
  return [...new Set(mails)].filter((mail) => mail !== '')
}

/** Undefined where there is nothing to say of a consent. */
async function consentFacts(
  link: RecordView | undefined,
  entries: readonly ValueSetting[],
  { pipeline, state }: Asked,
): Promise<ConsentFacts | undefined> {
  const mails = mailsOf(link, entries)
  const [withdrawnAt] = await state.withdrawnAt([{ contactId: link?.contactId, mails }])
  const former = (await state.formerStatuses(mails)).find((status) => status !== undefined)
  const columns = evidenceColumns(pipeline).map(({ column }) => column)
  if (columns.length === 0 && withdrawnAt === undefined && former === undefined) return undefined
  return {
    ...{ columns, withdrawnAt, former, now: clock.now(), zone: pipeline.timezone },
    isRequired: pipeline.map['mail_status']?.require_evidence === true,
    mayRaise: pipeline.allow_consent_raise,
  }
}

/** None where no person with this key or mail is known. */
export async function explainRecords(keyOrMail: string, asked: Asked): Promise<readonly Explanation[]> {
  const aliases = await asked.state.termAliases()
  const found: Explanation[] = []
  for (const { key, link } of await recordsMeant(keyOrMail, asked)) {
    const open = await asked.state.openOf(asked.pipeline.name, key)
    const logged = await entriesOf(asked, { key, link })
    const entries = [...open.map((one) => settingOf(one, asked.pipeline.hash)), ...logged]
    if (link === undefined && entries.length === 0) {
      const reject = await explainedReject(key, asked)
      if (reject !== undefined) found.push(reject)
      continue
    }
    const { name: pipeline } = asked.pipeline
    const edits = await asked.state.editsOf(pipeline, key)
    const corrections = (await asked.state.openCorrections(pipeline)).filter((one) => one.key === key)
    const shared = await sharedContact(link, asked)
    const consent = await consentFacts(link, entries, asked)
    const known = { pipeline, key, link, entries, aliases, edits, corrections, shared, consent }
    found.push(await explained(known, asked))
  }
  return found
}

type Live = { readonly kind: 'ok'; readonly value: Explanation } | Exclude<CallResult<never>, { kind: 'ok' }>

/** The explanation beside what the service has of the contact now. */
export async function withLive(
  explanation: Explanation,
  settings: Settings,
  reads: ServiceReads,
): Promise<Live> {
  const { contact_id: id } = explanation
  if (id === null) return { kind: 'ok', value: withActual(explanation, undefined) }
  const result = await contactsAt(String(id), settings, reads)
  if (result.kind !== 'ok') return result
  const [seen] = result.value
  const actual = seen && { fields: seen.fields, terms: seen.terms.map(({ name }) => name) }
  return { kind: 'ok', value: withActual(explanation, actual) }
}
