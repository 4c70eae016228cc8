// One batch of records on its way into the plan, as values: read, matched with what is settled, mapped, decided. Each
// step takes the rows of the one before and gives those of the next; only the last one writes, and only into the staging.
import { type Difference, difference, type Known } from '../../core/change/diff.ts'
import { recordFingerprint } from '../../core/change/fingerprint.ts'
import type { Expectation } from '../../core/change/expectation.ts'
import type { MappedRecord, Mapper } from '../../core/mapping/mapping.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import { termKey, termsBeyond, unknownTermsText } from '../../core/mapping/terms.ts'
import type { Counts } from '../../core/outcome/summary.ts'
import type { StagedOperation } from '../../core/change/operation.ts'
import { looksUp } from '../../core/change/resolution.ts'
import type { Identity, StagedBody, StagedInput, StagedRecord } from '../../core/state.ts'
import type { PlanContext } from '../context.ts'
import type { BlockReading } from './blocks.ts'
import { areDropped } from './dropped.ts'
import { areErased } from './erased.ts'
import { onPlaces } from './on-places.ts'
import { withOwnFields } from './own-fields.ts'
import { isCreate, type Otherwise, resolvedCreates } from './resolved.ts'

/** One input on its way into the plan: what its batches share, and what they add up. */
export interface Reading {
  readonly staged: StagedInput
  readonly mapper: Mapper
  /** Fingerprint of the header and the mapping. */
  readonly context: string
  readonly counts: Counts
  /** Undefined where its raw bytes decide nothing. */
  readonly blocks: BlockReading | undefined
  /** The rules for the form of the file (`expect`); undefined where there are none. */
  readonly expectation: Expectation | undefined
  /** How often `on_invalid` dropped or cut a field. */
  readonly mended: Map<string, number>
  /** How many values look damaged, by what is odd about them. */
  readonly odd: Map<string, number>
  /** Records whose key of fields was resolved otherwise before. */
  readonly otherwise: Otherwise
  /** Records that could be any of several contacts of their mail. */
  readonly several: { records: number }
  /** The lines of records that an operator dropped in just this form. */
  readonly dropped: Set<number>
  /** Records that a later one of their key replaced, and whose terms it does not name. */
  readonly passedOver: { withTerms: number }
}

/** A row as its source gave it. */
interface Read {
  readonly item: SourceItem
  /** Blank for a defective row. */
  readonly fingerprint: string
}

/** Settled in just this form: nothing else is asked about it. */
interface Settled extends Read {
  readonly kind: 'settled'
  readonly linkId: number
}

interface Fresh extends Read {
  readonly kind: 'fresh'
}

type Matched = Settled | Fresh

interface MappedRow extends Fresh {
  readonly mapped: MappedRecord
  /** What the state knows of its key. */
  readonly known: Known
}

type Mapped = Settled | MappedRow

/** dropped: it would be the very change that an operator dropped. */
type Verdict = StagedBody | 'skipped' | 'settled' | 'dropped'

/** What is to be done about a row, regardless of the others. */
interface Decided {
  readonly row: Mapped
  readonly verdict: Verdict
}

const NOTHING_KNOWN: Known = { link: undefined, inDoubt: false }

const readRow = (item: SourceItem, { context }: Reading): Read => ({
  item,
  fingerprint: item.kind === 'record' ? recordFingerprint(context, item) : '',
})

async function matchedRows(
  rows: readonly Read[],
  { staged }: Reading,
  { state }: PlanContext,
): Promise<Matched[]> {
  const links = await state.matchFingerprints(
    staged,
    rows.map((row) => row.fingerprint),
  )
  return rows.map((row, index) => {
    const linkId = links[index]
    return linkId === undefined ? { ...row, kind: 'fresh' } : { ...row, kind: 'settled', linkId }
  })
}

function mappedRecord(item: SourceItem, mapper: Mapper): MappedRecord {
  if (item.kind === 'record') return mapper.map(item)
  return { kind: 'rejected', code: item.code, reason: item.message, key: undefined }
}

const keyOf = (row: Mapped): string | undefined =>
  row.kind === 'settled' || row.mapped.kind === 'skipped' ? undefined : row.mapped.key

const rowsOf = (item: SourceItem) => (item.kind === 'record' ? item.rows : undefined)

const everyValue = (item: SourceItem): readonly string[] =>
  rowsOf(item)?.flatMap(({ values }) => values) ?? item.values

/** Who was erased by request does not come back: neither a contact nor a reject is made of the record. */
async function withoutErased(rows: readonly MappedRow[], context: PlanContext): Promise<MappedRow[]> {
  const asked = rows.map(({ mapped, item }) =>
    mapped.kind === 'skipped' ? undefined : { ...mapped, values: everyValue(item) },
  )
  const erased = await onPlaces(asked, (records) => areErased(records, context))
  return rows.map((row, index) =>
    erased[index] === true
      ? { ...row, mapped: { kind: 'skipped', key: undefined, erased: true }, known: NOTHING_KNOWN }
      : row,
  )
}

/** `create_missing: false`: a record that names a term which the service does not have is rejected. */
async function withKnownTerms(row: MappedRow, context: PlanContext): Promise<MappedRow> {
  if (row.mapped.kind !== 'contact' || row.mapped.terms === undefined) return row
  const terms = await context.terms.list()
  if (terms === undefined) return row
  const unknown = row.mapped.terms.filter((name) => !terms.has(termKey(name)))
  if (unknown.length === 0) return row
  const { key } = row.mapped
  const reason = unknownTermsText(unknown, [...terms.values()])
  return { ...row, mapped: { kind: 'rejected', code: 'TERM_UNKNOWN', reason, key } }
}

async function mappedRows(
  rows: readonly Fresh[],
  { mapper }: Reading,
  context: PlanContext,
): Promise<MappedRow[]> {
  const mapped = rows.map((row) => ({ ...row, mapped: mappedRecord(row.item, mapper), known: NOTHING_KNOWN }))
  const known = await onPlaces(mapped.map(keyOf), (keys) => context.state.known(context.pipeline.name, keys))
  const compared = mapped.map((row, index) => ({ ...row, known: known[index] ?? NOTHING_KNOWN }))
  const left = await withOwnFields(await withoutErased(compared, context), context)
  if (context.pipeline.terms.create_missing) return left
  const checked: MappedRow[] = []
  for (const row of left) checked.push(await withKnownTerms(row, context))
  return checked
}

function identityOf(row: Mapped): Identity | undefined {
  const { line } = row.item
  if (row.kind === 'settled') return { linkId: row.linkId, line }
  if (row.known.link !== undefined) return { linkId: row.known.link.id, line }
  const key = keyOf(row)
  return key === undefined ? undefined : { key, line }
}

export const keepOf = ({ pipeline }: PlanContext): 'first' | 'last' =>
  pipeline.on_duplicate_key === 'last' ? 'last' : 'first'

/** Only accepted records claim a key: a rejected one does not block another. */
const isAccepted = ({ verdict }: Decided): boolean =>
  verdict === 'settled' || verdict === 'dropped' || (verdict !== 'skipped' && verdict.kind !== 'rejected')

/** What `writes` alone decides, without a look at the service. */
function verdictByWrites(
  decided: Difference,
  { mapped: { key }, known: { link } }: { readonly mapped: { readonly key: string }; readonly known: Known },
  { writes }: PlanContext['pipeline'],
): Verdict | undefined {
  // Contacts that such a pipeline has created, or may have created, stay unchanged once all of them was sent.
  const isOfExisting = ['update', 'held', 'waiting'].includes(decided.kind) && link?.isUnfinished !== true
  if (writes === 'create' && isOfExisting) return 'skipped'
  // Only a new contact has to be complete.
  return writes === 'update' && decided.kind === 'rejected' ? { kind: 'passed', key } : undefined
}

function bodyOf(
  decided: Difference,
  { mapped, known }: { readonly mapped: MappedRecord & { kind: 'contact' }; readonly known: Known },
  { writes }: PlanContext['pipeline'],
): StagedBody {
  const { key, contact, terms, lacking } = mapped
  if (decided.kind === 'create' && writes !== 'update' && lacking.length > 0) {
    const reason = `${lacking.join(', ')}: no value, and the service requires one for a new contact`
    return { kind: 'rejected', key, code: 'FIELD_INVALID', reason }
  }
  const desired = { contact, terms }
  const linked = { linkId: known.link?.id ?? 0, contactId: known.link?.contactId ?? 0 }
  const operation = (form: StagedOperation): StagedBody => ({
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

function verdictOn(row: Mapped, context: PlanContext): Verdict {
  if (row.kind === 'settled') return 'settled'
  const { mapped, known } = row
  if (mapped.kind === 'skipped') return 'skipped'
  if (mapped.kind === 'rejected')
    return { kind: 'rejected', key: mapped.key, code: mapped.code, reason: mapped.reason }
  const desired = { contact: mapped.contact, terms: mapped.terms }
  const decided = difference(desired, known, context.pipeline)
  const byWrites = verdictByWrites(decided, { mapped, known }, context.pipeline)
  return byWrites ?? bodyOf(decided, { mapped, known }, context.pipeline)
}

/** Where `writes` asks for it: who of those without a link is at the service, and what that makes of them. */
async function withLookUps(
  decided: readonly Decided[],
  reading: Reading,
  context: PlanContext,
): Promise<readonly Decided[]> {
  if (!looksUp(context.pipeline)) return decided
  const creates = decided.map(({ row, verdict }) =>
    typeof verdict === 'object' && isCreate(verdict)
      ? { body: verdict, fingerprint: row.fingerprint }
      : undefined,
  )
  const resolved = await onPlaces(creates, (those) => resolvedCreates(those, context))
  return decided.map((one, index) => {
    const found = resolved[index]
    if (found === undefined) return one
    if (found.isOneOfSeveral) reading.several.records += 1
    if (found.otherwise !== undefined) {
      reading.otherwise.records += 1
      reading.otherwise.reason ??= `line ${one.row.item.line}: ${found.otherwise}`
    }
    return { row: one.row, verdict: found.body }
  })
}

/** What an operator dropped is not planned again as long as its record stays as it was. */
async function withoutDropped(
  decided: readonly Decided[],
  reading: Reading,
  context: PlanContext,
): Promise<readonly Decided[]> {
  const dropped = await areDropped(
    decided.map(({ verdict }) => (typeof verdict === 'object' ? verdict : undefined)),
    context,
  )
  return decided.map((one, index) => {
    if (dropped[index] !== true) return one
    reading.dropped.add(one.row.item.line)
    return { row: one.row, verdict: 'dropped' as const }
  })
}

function compareWithExpected(decided: readonly Decided[], { expectation }: Reading): void {
  if (expectation === undefined) return
  for (const { row, verdict } of decided) {
    if (row.kind === 'settled') continue
    const isNew = typeof verdict === 'object' && isCreate(verdict)
    expectation.compare(row.mapped, { known: row.known.link, isNew })
  }
}

/** The same, given an earlier record of the same key. */
function besideEarlier(
  { row, verdict }: Decided,
  earlier: number | undefined,
  context: PlanContext,
): Verdict {
  if (earlier === undefined || context.pipeline.on_duplicate_key === 'last') return verdict
  const reason = `key: the record on line ${earlier} has the same key`
  return { kind: 'rejected', key: keyOf(row), code: 'KEY_DUPLICATE', reason }
}

function count(verdict: Verdict, counts: Counts): void {
  counts.read += 1
  if (verdict === 'settled') counts.unchanged += 1
  else if (verdict === 'skipped' || verdict === 'dropped') counts.skipped += 1
  else if (verdict.kind === 'rejected') counts.rejected += 1
  else if (verdict.kind === 'unchanged') counts.unchanged += 1
  else if (verdict.kind === 'passed') counts.skipped += 1
  else if (verdict.operation.state === 'waiting') counts.in_doubt += 1
  else if (verdict.operation.state === 'held') counts.held += 1
  // Planned operations are counted when they have an outcome.
}

const countIn = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1)

/** What was corrected in a record, and what looks damaged in it. */
function countOddities({ mapped, item }: MappedRow, reading: Reading): void {
  if (mapped.kind === 'skipped' && mapped.erased === true) reading.counts.erased += 1
  if (mapped.kind !== 'contact') return
  for (const field of mapped.mended) countIn(reading.mended, field)
  if (item.kind === 'record') for (const kind of reading.mapper.odd(item)) countIn(reading.odd, kind)
}

function stagedRecord({ item, fingerprint }: Read, { staged }: Reading): StagedRecord {
  const { values, text, line, file = staged.input.name } = item
  const rows = rowsOf(item)
  return {
    source: { file, line, ...(rows === undefined ? {} : { lines: rows.map((row) => row.line) }) },
    values,
    text,
    ...(rows === undefined ? {} : { rows }),
    fingerprint,
  }
}

/** `on_duplicate_key: last`: the earlier records of the input count as skipped after all. */
async function supersede(
  decided: readonly Decided[],
  earlier: readonly (number | undefined)[],
  { reading, context }: { reading: Reading; context: PlanContext },
): Promise<void> {
  const replaced = decided.flatMap(({ row }, index) => {
    const line = earlier[index]
    return line === undefined ? [] : [{ line, key: keyOf(row), by: row }]
  })
  if (replaced.length === 0) return
  const unstaged = await context.state.unstage(reading.staged, replaced)
  unstaged.forEach(({ was, terms }, index) => {
    const by = replaced[index]?.by
    // Without a link it was not unchanged but passed over, and counts as skipped already.
    const wasDropped = reading.dropped.has(replaced[index]?.line ?? 0)
    const wasPassed =
      was === 'unchanged' && (wasDropped || (by?.kind === 'fresh' && by.known.link === undefined))
    if (wasPassed) return
    if (was !== 'created' && was !== 'updated') reading.counts[was] -= 1
    reading.counts.skipped += 1
    const given = by?.kind === 'fresh' && by.mapped.kind === 'contact' ? (by.mapped.terms ?? []) : []
    if (termsBeyond(terms?.add ?? [], given).length > 0) reading.passedOver.withTerms += 1
  })
}

/** Claims keys, counts and stages what was decided. */
async function stage(decided: readonly Decided[], reading: Reading, context: PlanContext): Promise<void> {
  const { state } = context
  const identities = decided.map((one) => (isAccepted(one) ? identityOf(one.row) : undefined))
  const earlier = await state.claim(reading.staged, identities, keepOf(context))
  reading.blocks?.compare(
    decided.map(({ row }, index) => ({
      line: row.item.line,
      identity: identities[index],
      earlier: earlier[index],
    })),
  )
  const entries = decided.flatMap((one, index) => {
    const verdict = besideEarlier(one, earlier[index], context)
    count(verdict, reading.counts)
    if (one.row.kind === 'fresh') countOddities(one.row, reading)
    if (typeof verdict === 'string') return []
    return [{ record: stagedRecord(one.row, reading), ...verdict }]
  })
  // A skipped or rejected record claims nothing, and still counts as present: its contact is not missing.
  const present = decided.flatMap((one) =>
    isAccepted(one) || one.row.kind === 'settled' ? [] : (one.row.mapped.key ?? []),
  )
  const dropped = decided.flatMap(({ row, verdict }) => (verdict === 'dropped' ? (keyOf(row) ?? []) : []))
  await state.stageBatch(reading.staged, { entries, present, dropped })
  if (context.pipeline.on_duplicate_key === 'last') await supersede(decided, earlier, { reading, context })
}

export async function planBatch(
  batch: readonly SourceItem[],
  reading: Reading,
  context: PlanContext,
): Promise<void> {
  const read = batch.map((item) => readRow(item, reading))
  for (const { item, fingerprint } of read) reading.blocks?.note(item, fingerprint)
  await reading.blocks?.flush(reading.counts)
  if (read.length === 0) return
  const matched = await matchedRows(read, reading, context)
  const fresh = matched.map((row) => (row.kind === 'fresh' ? row : undefined))
  const mapped = await onPlaces(fresh, (rows) => mappedRows(rows, reading, context))
  const rows = matched.flatMap((row, index) => (row.kind === 'settled' ? row : (mapped[index] ?? [])))
  const decided = rows.map((row) => ({ row, verdict: verdictOn(row, context) }))
  const looked = await withLookUps(decided, reading, context)
  compareWithExpected(looked, reading)
  await stage(await withoutDropped(looked, reading, context), reading, context)
}
