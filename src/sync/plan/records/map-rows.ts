// Rows of a batch as contacts: matched with what is settled, the others mapped, compared with what the state knows of
// their keys, and left out where a request, another pipeline or a missing term says so.
import type { Known } from '../../../core/change/diff.ts'
import { recordFingerprint } from '../../../core/change/fingerprint.ts'
import type { MappedRecord, Mapper } from '../../../core/mapping/mapping.ts'
import type { SourceItem } from '../../../core/mapping/record.ts'
import { termKey, unknownTermsText } from '../../../core/mapping/terms.ts'
import type { PlanContext } from '../../context.ts'
import { withBrake } from './braked.ts'
import { withCorrections } from './corrected.ts'
import { areErased } from './erased.ts'
import { withEvidence } from './evidence.ts'
import { onPlaces } from './on-places.ts'
import { withOwnFields } from './own-fields.ts'
import { besideRejects } from './reread-rejects.ts'
import { withoutSuppressed } from './suppressed.ts'
import {
  type FreshRow,
  keyOfRow,
  type MatchedRow,
  type MappedRow,
  type ReadRow,
  type Reading,
  unitedRows,
} from '../reading.ts'

const NOTHING_KNOWN: Known = { link: undefined, inDoubt: false }

export const readRow = (item: SourceItem, { context }: Reading): ReadRow => ({
  item,
  fingerprint: item.kind === 'record' ? recordFingerprint(context, item) : '',
})

export async function matchedRows(
  rows: readonly ReadRow[],
  { staged }: Reading,
  { state }: PlanContext,
): Promise<MatchedRow[]> {
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

const everyValue = (item: SourceItem): readonly string[] =>
  unitedRows(item)?.flatMap(({ values }) => values) ?? item.values

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

export async function mappedRows(
  rows: readonly FreshRow[],
  reading: Reading,
  context: PlanContext,
): Promise<readonly MappedRow[]> {
  const made = rows.map((row) => ({
    ...withCorrections(row, mappedRecord(row.item, reading.mapper), reading),
    known: NOTHING_KNOWN,
  }))
  const mapped = await besideRejects(made, reading, context)
  const known = await onPlaces(mapped.map(keyOfRow), (keys) =>
    context.state.known(context.pipeline.name, keys),
  )
  const compared = mapped.map((row, index) => ({ ...row, known: known[index] ?? NOTHING_KNOWN }))
  const own = await withOwnFields(await withoutErased(compared, context), reading, context)
  const proven = await withEvidence(own, reading, context)
  const left = await withoutSuppressed(proven, context)
  if (context.pipeline.terms.create_missing) return withBrake(left, reading, context)
  const checked: MappedRow[] = []
  for (const row of left) checked.push(await withKnownTerms(row, context))
  return withBrake(checked, reading, context)
}
