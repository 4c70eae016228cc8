// The last step of a batch: keys are claimed, rows are counted, and what was decided is written into the staging.
import { asksOf, waitsAlone } from './records/braked.ts'
import { correctionFindings } from './records/corrected.ts'
import { whyHeld } from '../../core/change/waiting/held-why.ts'
import { isOtherPerson } from '../../core/change/waiting/other-person.ts'
import { termsBeyond } from '../../core/mapping/terms.ts'
import type { Identity, StagedRecord } from '../../core/state.ts'
import type { PlanContext } from '../context.ts'
import {
  type DecidedRow,
  keyOfRow,
  type Mapped,
  type MappedRow,
  type ReadRow,
  type Reading,
  unitedRows,
  type Verdict,
} from './reading.ts'

function identityOf(row: Mapped): Identity | undefined {
  const { line } = row.item
  if (row.kind === 'settled') return { linkId: row.linkId, line }
  if (row.known.link !== undefined) return { linkId: row.known.link.id, line }
  const key = keyOfRow(row)
  return key === undefined ? undefined : { key, line }
}

export const keepOf = ({ pipeline }: PlanContext): 'first' | 'last' =>
  pipeline.on_duplicate_key === 'last' ? 'last' : 'first'

/** Only accepted records claim a key: a rejected one does not block another. */
const isAccepted = ({ verdict }: DecidedRow): boolean =>
  verdict === 'settled' || verdict === 'dropped' || (verdict !== 'skipped' && verdict.kind !== 'rejected')

/** Of a settled record, which no run maps otherwise, too: a reject without a key would hold every delete of its file. */
function mappedKey(row: Mapped, { mapper }: Reading): string | undefined {
  const { item } = row
  return row.kind === 'settled' && item.kind === 'record' ? mapper.map(item).key : keyOfRow(row)
}

/** The same, given an earlier record of the same key. */
function besideEarlier(
  { row, verdict }: DecidedRow,
  earlier: number | undefined,
  { reading, context }: { reading: Reading; context: PlanContext },
): Verdict {
  if (earlier === undefined || context.pipeline.on_duplicate_key === 'last') return verdict
  const reason = `key: the record on line ${earlier} has the same key`
  return { kind: 'rejected', key: mappedKey(row, reading), code: 'KEY_DUPLICATE', reason }
}

function count(verdict: Verdict, { counts, held }: Reading): void {
  counts.read += 1
  if (verdict === 'settled') counts.unchanged += 1
  else if (verdict === 'skipped' || verdict === 'dropped') counts.skipped += 1
  else if (verdict.kind === 'rejected') counts.rejected += 1
  else if (verdict.kind === 'unchanged') counts.unchanged += 1
  else if (verdict.kind === 'passed') counts.skipped += 1
  else if (verdict.operation.state === 'waiting') counts.in_doubt += 1
  else if (verdict.operation.state === 'held') {
    counts.held += 1
    held.note(whyHeld(verdict.operation.reason))
  }
  // Planned operations are counted when they have an outcome.
}

/** Until its brake has decided; what it grants in the same run is not held. */
function countAsWaiting({ counts, held }: Reading): void {
  counts.unchanged -= 1
  counts.held += 1
  held.note('brake')
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

/** With `on_duplicate_key: last` the last record of a key decides. */
function noteOtherPerson(row: Mapped, verdict: Verdict, { otherPersons }: Reading): void {
  if (row.kind === 'settled' || typeof verdict === 'string' || verdict.kind !== 'operation') return
  const { key, operation, desired } = verdict
  const known = row.known.link?.fields
  const isUpdate = operation.state === 'planned' && operation.kind === 'update'
  if (isUpdate && known !== undefined && isOtherPerson(known, desired.contact)) otherPersons.add(key)
  else otherPersons.delete(key)
}

function stagedRecord({ item, fingerprint }: ReadRow, { staged }: Reading): StagedRecord {
  const { values, text, line, file = staged.input.name } = item
  const rows = unitedRows(item)
  return {
    source: { file, line, ...(rows === undefined ? {} : { lines: rows.map((row) => row.line) }) },
    values,
    text,
    ...(rows === undefined ? {} : { rows }),
    fingerprint,
  }
}

/** A record of an input, in whichever form its key is known: one person has one form within a reading. */
const nameOf = (identity: Identity): number | string =>
  'linkId' in identity ? identity.linkId : identity.key

/** What counts a record without an operation as skipped or held: no other record of its key knows it. */
function noteUnstaged(
  { verdict }: DecidedRow,
  { identity, isHeld }: { readonly identity: Identity | undefined; readonly isHeld: boolean },
  { waiting, dropped }: Reading,
): void {
  if (identity === undefined) return
  const name = nameOf(identity)
  if (verdict === 'dropped') dropped.add(name)
  else dropped.delete(name)
  if (isHeld) waiting.add(name)
  else waiting.delete(name)
}

interface Claimed {
  readonly one: DecidedRow
  readonly identity: Identity | undefined
  /** The line of an earlier record of the same key. */
  readonly earlier: number | undefined
}

/** `on_duplicate_key: last`: the earlier records of the input count as skipped after all. */
async function supersede(
  claimed: readonly Claimed[],
  { reading, context }: { reading: Reading; context: PlanContext },
): Promise<void> {
  const replaced = claimed.flatMap(({ one: { row }, identity, earlier }) => {
    const key = mappedKey(row, reading)
    if (earlier === undefined || identity === undefined || key === undefined) return []
    return [{ place: { line: earlier, key }, name: nameOf(identity), by: row }]
  })
  if (replaced.length === 0) return
  const places = replaced.map(({ place }) => place)
  const unstaged = await context.state.unstage(reading.staged, places)
  for (const [index, { place, name, by }] of replaced.entries()) {
    const { was, terms, reason } = unstaged[index] ?? { was: 'unchanged' }
    // Without a link it was not unchanged but passed over, and counts as skipped already.
    const wasPassed =
      was === 'unchanged' &&
      (reading.dropped.has(name) || (by.kind === 'fresh' && by.known.link === undefined))
    if (wasPassed) continue
    const wasHeld = was === 'unchanged' && reading.waiting.has(name)
    if (was !== 'created' && was !== 'updated') reading.counts[wasHeld ? 'held' : was] -= 1
    if (wasHeld) context.tally.forgetAlone(place.key)
    if (wasHeld || was === 'held') reading.held.note(wasHeld ? 'brake' : whyHeld(reason ?? ''), -1)
    reading.counts.skipped += 1
    const given = by.kind === 'fresh' && by.mapped.kind === 'contact' ? (by.mapped.terms ?? []) : []
    if (termsBeyond(terms?.add ?? [], given).length > 0) reading.passedOver.withTerms += 1
  }
}

/** Counts and stages what was decided, beside what is staged already. */
async function stageClaimed(
  claimed: readonly Claimed[],
  reading: Reading,
  context: PlanContext,
): Promise<void> {
  const { state } = context
  const isLast = keepOf(context) === 'last'
  if (isLast) await supersede(claimed, { reading, context })
  const entries = claimed.flatMap(({ one, identity, earlier }) => {
    const verdict = besideEarlier(one, earlier, { reading, context })
    noteOtherPerson(one.row, verdict, reading)
    count(verdict, reading)
    const key = waitsAlone(one.row, verdict) ? keyOfRow(one.row) : undefined
    const isHeld = key !== undefined && context.tally.noteAlone(key)
    if (isLast) noteUnstaged(one, { identity, isHeld }, reading)
    if (isHeld) countAsWaiting(reading)
    if (one.row.kind === 'fresh') countOddities(one.row, reading)
    if (typeof verdict === 'string') return []
    return [{ record: stagedRecord(one.row, reading), ...verdict }]
  })
  // A skipped or rejected record claims nothing, and still counts as present: its contact is not missing.
  const present = claimed.flatMap(({ one }) =>
    isAccepted(one) || one.row.kind === 'settled' ? [] : (one.row.mapped.key ?? []),
  )
  const dropped = claimed.flatMap(({ one: { row, verdict } }) =>
    verdict === 'dropped' ? (keyOfRow(row) ?? []) : [],
  )
  const counting = claimed.filter(({ earlier }) => earlier === undefined || isLast).map(({ one }) => one)
  const corrections = correctionFindings(
    counting.map(({ row }) => row),
    reading,
    context,
  )
  const asks = asksOf(counting, reading)
  for (const { key, terms, isAlone } of asks) {
    if (terms.length === 0) context.tally.endAlone(key)
    else if (!isAlone) context.tally.noteAsking(key)
  }
  const reread = claimed.flatMap(({ one: { row } }) => reading.rereadBy?.(row.item) ?? [])
  await state.stageBatch(reading.staged, { entries, present, dropped, corrections, asks, reread })
}

/** Parts in which no key comes twice: what is staged for a key when a part begins is of an earlier record. */
function onceEach(claimed: readonly Claimed[]): Claimed[][] {
  let part: Claimed[] = []
  const parts = [part]
  let names = new Set<number | string>()
  for (const one of claimed) {
    const name = one.identity === undefined ? undefined : nameOf(one.identity)
    if (name !== undefined && names.has(name)) {
      parts.push((part = []))
      names = new Set()
    }
    if (name !== undefined) names.add(name)
    part.push(one)
  }
  return parts
}

/** Claims keys, counts and stages what was decided. */
export async function stage(
  decided: readonly DecidedRow[],
  reading: Reading,
  context: PlanContext,
): Promise<void> {
  const identities = decided.map((one) => (isAccepted(one) ? identityOf(one.row) : undefined))
  const earlier = await context.state.claim(reading.staged, identities, keepOf(context))
  const claimed = decided.map((one, index) => ({ one, identity: identities[index], earlier: earlier[index] }))
  reading.blocks?.compare(claimed.map(({ one, ...found }) => ({ line: one.row.item.line, ...found })))
  const isRepeated = keepOf(context) === 'last' && earlier.some((line) => line !== undefined)
  for (const part of isRepeated ? onceEach(claimed) : [claimed]) await stageClaimed(part, reading, context)
}
