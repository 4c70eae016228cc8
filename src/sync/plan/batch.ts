// One batch of records on its way into the plan, as values: read, matched with what is settled, mapped, decided. Each
// step takes the rows of the one before and gives those of the next; only the last one writes, and only into the staging.
import type { SourceItem } from '../../core/mapping/record.ts'
import { looksUp } from '../../core/change/lookup/resolution.ts'
import type { PlanContext } from '../context.ts'
import { areDropped } from './records/dropped.ts'
import { mappedRows, matchedRows, readRow } from './records/map-rows.ts'
import { onPlaces } from './records/on-places.ts'
import type { DecidedRow, Reading } from './reading.ts'
import { isCreate, resolvedCreates } from './resolved.ts'
import { stage } from './stage.ts'
import { verdictOn } from './verdict.ts'

/** Where `writes` asks for it: who of those without a link is at the service, and what that makes of them. */
async function withLookUps(
  decided: readonly DecidedRow[],
  reading: Reading,
  context: PlanContext,
): Promise<readonly DecidedRow[]> {
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
  decided: readonly DecidedRow[],
  context: PlanContext,
): Promise<readonly DecidedRow[]> {
  const dropped = await areDropped(
    decided.map(({ verdict }) => (typeof verdict === 'object' ? verdict : undefined)),
    context,
  )
  return decided.map((one, index) =>
    dropped[index] === true ? { row: one.row, verdict: 'dropped' as const } : one,
  )
}

function compareWithExpected(decided: readonly DecidedRow[], { expectation }: Reading): void {
  if (expectation === undefined) return
  for (const { row, verdict } of decided) {
    if (row.kind === 'settled') continue
    const isNew = typeof verdict === 'object' && isCreate(verdict)
    expectation.compare(row.mapped, { known: row.known.link, isNew })
  }
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
  await stage(await withoutDropped(looked, context), reading, context)
}
