// From an input to a plan: read, map, compare, stage, batch by batch; then the plan is committed as a whole.
// Nothing is sent here. What makes the input unusable throws, and leaves nothing staged.
import type { Accepted } from '../../core/change/accepted.ts'
import type { CustomFieldRules } from '../../core/mapping/custom-fields.ts'
import { type Difference, difference, type Known } from '../../core/change/diff.ts'
import { SyncError } from '../../core/words/errors.ts'
import { fingerprint, fingerprintContext } from '../../core/change/fingerprint.ts'
import { type MappedRecord, type Mapper, wantedColumns } from '../../core/mapping/mapping.ts'
import type { InputReader, SourceInput } from '../../core/ports.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import type { Identity, StagedEntry, StagedInput, StagedOperation, StagedRecord } from '../../core/state.ts'
import { type Counts, noCounts } from '../../core/outcome/summary.ts'
import { termKey, termsBeyond, unknownTermsText } from '../../core/mapping/terms.ts'
import type { PlanContext } from '../context.ts'
import { commitPlan } from './commit-plan.ts'
import { areErased } from './erased.ts'
import { mapperFor } from './present-terms.ts'
import { warnAboutText, warnAboutValues } from './read-warnings.ts'

interface Reading {
  readonly staged: StagedInput
  readonly mapper: Mapper
  /** Fingerprint of the header and the mapping. */
  readonly context: string
  readonly counts: Counts
  /** How often `on_invalid` dropped or cut a field. */
  readonly mended: Map<string, number>
  /** How many values look damaged, by what is odd about them. */
  readonly odd: Map<string, number>
  /** Records that a later one of their key replaced, and whose terms it does not name. */
  readonly passedOver: { withTerms: number }
}

/** One row of a batch, as far as it is known. */
interface Row {
  readonly item: SourceItem
  readonly fingerprint: string
  readonly settledLink: number | undefined
  mapped?: MappedRecord
  known?: Known
}

export interface PlannedInput {
  readonly staged: StagedInput
  /** Of what was read. */
  readonly sha256: string
  readonly counts: Counts
  /** Why a guard holds the plan, or its deletes. */
  readonly heldBy: string | undefined
  /** A full export without any record. */
  readonly isEmptyFull: boolean
  /** What the next input is compared with; undefined where that is not this one. */
  readonly accepted: Accepted | undefined
}

async function settledRows(
  batch: readonly SourceItem[],
  reading: Reading,
  context: PlanContext,
): Promise<Row[]> {
  // A defective row has no fingerprint; the empty text is nobody's.
  const prints = batch.map((item) =>
    item.kind === 'record' ? fingerprint(reading.context, item.values) : '',
  )
  const links = await context.state.matchFingerprints(reading.staged, prints)
  return batch.map((item, index) => ({
    item,
    fingerprint: prints[index] ?? '',
    settledLink: links[index],
  }))
}

function mappedRow(item: SourceItem, mapper: Mapper): MappedRecord {
  if (item.kind === 'record') return mapper.map(item)
  return { kind: 'rejected', code: item.code, reason: item.message, key: undefined }
}

async function mapRows(rows: Row[], reading: Reading, context: PlanContext): Promise<void> {
  const fresh = rows.filter((row) => row.settledLink === undefined)
  for (const row of fresh) row.mapped = mappedRow(row.item, reading.mapper)
  const keyed = fresh.flatMap((row) => {
    const key = row.mapped?.kind === 'skipped' ? undefined : row.mapped?.key
    return key === undefined ? [] : [{ row, key }]
  })
  const known = await context.state.known(
    context.pipeline.name,
    keyed.map(({ key }) => key),
  )
  keyed.forEach(({ row }, index) => {
    const found = known[index]
    if (found !== undefined) row.known = found
  })
}

/** Who was erased by request does not come back: neither a contact nor a reject is made of the record. */
async function skipErased(rows: readonly Row[], context: PlanContext): Promise<void> {
  const mapped = rows.flatMap((row) =>
    row.mapped === undefined || row.mapped.kind === 'skipped' ? [] : [{ row, mapped: row.mapped }],
  )
  const erased = await areErased(
    mapped.map(({ row, mapped: record }) => ({ ...record, values: row.item.values })),
    context,
  )
  mapped.forEach(({ row }, index) => {
    if (erased[index] !== true) return
    row.mapped = { kind: 'skipped', key: undefined, erased: true }
    delete row.known
  })
}

const keyOf = ({ mapped }: Row): string | undefined =>
  mapped === undefined || mapped.kind === 'skipped' ? undefined : mapped.key

function identityOf(row: Row): Identity | undefined {
  const { line } = row.item
  if (row.settledLink !== undefined) return { linkId: row.settledLink, line }
  if (row.known?.link !== undefined) return { linkId: row.known.link.id, line }
  const key = keyOf(row)
  return key === undefined ? undefined : { key, line }
}

const keepOf = ({ pipeline }: PlanContext): 'first' | 'last' =>
  pipeline.on_duplicate_key === 'last' ? 'last' : 'first'

type Verdict = EntryBody | 'skipped' | undefined

/** Only accepted records claim a key: a rejected one stands in the way of no other. */
const isAccepted = (verdict: Verdict): boolean =>
  verdict === undefined || (verdict !== 'skipped' && verdict.kind !== 'rejected')

/** The line of an earlier accepted record of the same identity, for each accepted row that has one. */
function earlierLines(
  { rows, verdicts }: { rows: readonly Row[]; verdicts: readonly Verdict[] },
  reading: Reading,
  context: PlanContext,
): Promise<readonly (number | undefined)[]> {
  const identities = rows.map((row, index) => (isAccepted(verdicts[index]) ? identityOf(row) : undefined))
  return context.state.claim(reading.staged, identities, keepOf(context))
}

function stagedRecord(row: Row, reading: Reading): StagedRecord {
  const { item } = row
  return {
    source: { file: item.file ?? reading.staged.input.name, line: item.line },
    values: item.values,
    text: item.text,
    fingerprint: row.fingerprint,
  }
}

type Undecided = StagedEntry extends infer Entry
  ? Entry extends { record: StagedRecord }
    ? Omit<Entry, 'record'>
    : never
  : never
type EntryBody = Undecided

function entryFor(decided: Difference, mapped: MappedRecord & { kind: 'contact' }, known: Known): EntryBody {
  const { key, contact, terms, lacking } = mapped
  if (decided.kind === 'create' && lacking.length > 0) {
    const reason = `${lacking.join(', ')}: no value, and the service requires one of a new contact`
    return { kind: 'rejected', key, code: 'FIELD_INVALID', reason }
  }
  const desired = { contact, terms }
  const linked = { linkId: known.link?.id ?? 0, contactId: known.link?.contactId ?? 0 }
  const operation = (form: StagedOperation): EntryBody => ({
    kind: 'operation',
    key,
    desired,
    operation: form,
  })
  switch (decided.kind) {
    case 'unchanged':
      return { kind: 'unchanged', linkId: linked.linkId }
    case 'rejected':
      return { kind: 'rejected', key, code: decided.code, reason: decided.reason }
    case 'waiting':
      return operation({ state: 'waiting' })
    case 'held':
      return operation({ state: 'held', fields: contact, ...linked, reason: decided.reason })
    case 'create':
      return operation({ ...decided, state: 'planned' })
    case 'update':
      return operation({ ...decided, ...linked, state: 'planned' })
  }
}

/** What is to be staged for a row by itself; undefined where nothing is. */
function verdictOn({ mapped, known }: Row, context: PlanContext): Verdict {
  if (mapped === undefined) return undefined
  if (mapped.kind === 'skipped') return 'skipped'
  if (mapped.kind === 'rejected')
    return { kind: 'rejected', key: mapped.key, code: mapped.code, reason: mapped.reason }
  const desired = { contact: mapped.contact, terms: mapped.terms }
  const found = known ?? { link: undefined, inDoubt: false }
  return entryFor(difference(desired, found, context.pipeline), mapped, found)
}

/** The same, given an earlier record of the same key. */
function decide(
  { row, verdict }: { row: Row; verdict: Verdict },
  earlier: number | undefined,
  context: PlanContext,
): Verdict {
  if (earlier !== undefined && context.pipeline.on_duplicate_key === 'reject') {
    const key = keyOf(row)
    const reason = `key: the record on line ${earlier} has the same key`
    return { kind: 'rejected', key, code: 'KEY_DUPLICATE', reason }
  }
  return verdict
}

/** `create_missing: false`: a record that names a term which the service does not have is rejected. */
async function rejectUnknownTerms(rows: readonly Row[], context: PlanContext): Promise<void> {
  if (context.pipeline.terms.create_missing) return
  for (const row of rows) {
    if (row.mapped?.kind !== 'contact' || row.mapped.terms === undefined) continue
    const terms = await context.terms.list()
    const unknown = row.mapped.terms.filter((name) => !terms.has(termKey(name)))
    if (unknown.length === 0) continue
    const { key } = row.mapped
    row.mapped = {
      kind: 'rejected',
      code: 'TERM_UNKNOWN',
      reason: unknownTermsText(unknown, [...terms.values()]),
      key,
    }
  }
}

function count(decided: EntryBody | 'skipped' | undefined, counts: Counts): void {
  counts.read += 1
  if (decided === undefined) counts.unchanged += 1
  else if (decided === 'skipped') counts.skipped += 1
  else if (decided.kind === 'rejected') counts.rejected += 1
  else if (decided.kind === 'unchanged') counts.unchanged += 1
  else if (decided.operation.state === 'waiting') counts.in_doubt += 1
  else if (decided.operation.state === 'held') counts.held += 1
  // Planned operations are counted when they have an outcome.
}

/** `on_duplicate_key: last`: the earlier records of the input count as skipped after all. */
async function supersede(
  rows: readonly Row[],
  earlier: readonly (number | undefined)[],
  { reading, context }: { reading: Reading; context: PlanContext },
): Promise<void> {
  const replaced = rows.flatMap((row, index) => {
    const line = earlier[index]
    return line === undefined ? [] : [{ line, key: keyOf(row), by: row }]
  })
  if (replaced.length === 0) return
  const unstaged = await context.state.unstage(reading.staged, replaced)
  unstaged.forEach(({ was, terms }, index) => {
    if (was !== 'created' && was !== 'updated') reading.counts[was] -= 1
    reading.counts.skipped += 1
    const by = replaced[index]?.by.mapped
    const given = by?.kind === 'contact' ? (by.terms ?? []) : []
    if (termsBeyond(terms?.add ?? [], given).length > 0) reading.passedOver.withTerms += 1
  })
}

const countIn = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1)

/** What was mended of a record, and what looks damaged in it. */
function countOddities(
  { mended }: MappedRecord & { kind: 'contact' },
  item: SourceItem,
  reading: Reading,
): void {
  for (const field of mended) countIn(reading.mended, field)
  if (item.kind === 'record') for (const kind of reading.mapper.odd(item)) countIn(reading.odd, kind)
}

async function planBatch(
  batch: readonly SourceItem[],
  reading: Reading,
  context: PlanContext,
): Promise<void> {
  const rows = await settledRows(batch, reading, context)
  await mapRows(rows, reading, context)
  await skipErased(rows, context)
  await rejectUnknownTerms(rows, context)
  const verdicts = rows.map((row) => verdictOn(row, context))
  const earlier = await earlierLines({ rows, verdicts }, reading, context)
  const entries: StagedEntry[] = []
  for (const [index, row] of rows.entries()) {
    const decided = decide({ row, verdict: verdicts[index] }, earlier[index], context)
    count(decided, reading.counts)
    if (row.mapped?.kind === 'skipped' && row.mapped.erased === true) reading.counts.erased += 1
    if (row.mapped?.kind === 'contact') countOddities(row.mapped, row.item, reading)
    if (decided !== undefined && decided !== 'skipped')
      entries.push({ record: stagedRecord(row, reading), ...decided })
  }
  await context.state.stage(reading.staged, entries)
  // What is skipped or rejected claims nothing, and is there all the same: nobody takes it for gone.
  const present = rows.flatMap((row, index) => (isAccepted(verdicts[index]) ? [] : (row.mapped?.key ?? [])))
  if (present.length > 0) await context.state.seeSkipped(reading.staged, present)
  if (context.pipeline.on_duplicate_key === 'last') await supersede(rows, earlier, { reading, context })
}

/** After the last record: rejected ones give way to those of their key that were accepted. */
async function yieldRejects(reading: Reading, context: PlanContext): Promise<void> {
  const { counts, staged } = reading
  if (counts.rejected === 0) return
  const passedOver = await context.state.yieldRejects(staged, keepOf(context))
  counts.rejected -= passedOver
  counts.skipped += passedOver
}

async function readAll(reader: InputReader, reading: Reading, context: PlanContext): Promise<void> {
  for await (const batch of reader.batches()) {
    if (context.signal.aborted)
      throw new SyncError('INPUT_CHANGED', 'the run was ended while the file was read')
    await planBatch(batch, reading, context)
    context.report({
      phase: 'read',
      read: context.tally.counts.read + reading.counts.read,
      bytesRead: reader.bytesRead(),
    })
  }
}

/**
 * Reads one input to its end and commits the plan for it. `isLast`: no later input of the source waits, so what a full
 * one lacks has gone. `onRead` is told the sum of what was read.
 * Throws a SyncError of class `input` (it cannot be taken) or `later` (it changed meanwhile); then nothing is staged.
 */
export async function planInput(
  { input, isLast, onRead }: { input: SourceInput; isLast: boolean; onRead?: (sha256: string) => void },
  customFields: CustomFieldRules,
  context: PlanContext,
): Promise<PlannedInput> {
  const { pipeline, state, runId } = context
  const last = await state.lastAccepted(pipeline.name)
  const reader = await context.source.open(input, {
    columns: wantedColumns(pipeline),
    lastEndedWithLineBreak: last?.endsWithLineBreak === true,
  })
  try {
    warnAboutText(reader, input, context)
    const mapper = await mapperFor(reader.header, customFields, context)
    const staged = await state.beginInput({ runId, pipeline: pipeline.name, input, header: reader.header })
    const print = fingerprintContext(reader.header, pipeline.hash + customFields.print)
    const reading: Reading = {
      staged,
      mapper,
      context: print,
      counts: noCounts(),
      mended: new Map(),
      odd: new Map(),
      passedOver: { withTerms: 0 },
    }
    const isSupplement = () => reader.isSupplement?.() ?? false
    const commit = async () => {
      await readAll(reader, reading, context)
      onRead?.(reader.sha256())
      await yieldRejects(reading, context)
      const read = { staged, counts: reading.counts, isSupplement: isSupplement() }
      return commitPlan(read, { sha256: reader.sha256(), isLast }, context)
    }
    const { heldBy, isAccepted } = await commit().catch(async (error: unknown) => {
      await state.discardInput(staged)
      throw error
    })
    warnAboutValues(reading, context)
    if (isSupplement())
      context.log.info('a file of mended rejects is a supplement: nothing is concluded from what it lacks', {
        file: input.name,
      })
    const { mode } = pipeline
    const { counts } = reading
    const endsWithLineBreak = reader.endsWithLineBreak?.()
    return {
      staged,
      sha256: reader.sha256(),
      counts,
      heldBy,
      isEmptyFull: mode === 'full' && counts.read === 0 && !isSupplement(),
      accepted: isAccepted
        ? { mode, records: counts.read, endsWithLineBreak, at: context.clock.now() }
        : undefined,
    }
  } finally {
    await reader.close()
  }
}
