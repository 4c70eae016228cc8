// Terms that a brake gives: a record asks for them, and is planned without them. What becomes of that is decided after all files
// (sync/brakes.ts).
import type { BrakedTerm, RecordAsks } from '../../../core/change/waiting/brake.ts'
import { termKey } from '../../../core/mapping/terms.ts'
import type { PlanContext } from '../../context.ts'
import { brakedTerms } from '../present-terms.ts'
import { keyOfRow, type Mapped, type MappedRow, type Reading, type Verdict } from '../reading.ts'

/** What a reading knows of the brake of its pipeline. */
export async function startBrake({
  pipeline,
  state,
}: PlanContext): Promise<Pick<Reading, 'asked' | 'braked'>> {
  const braked = new Set((await brakedTerms(pipeline, state)).map(termKey))
  return { braked, asked: braked.size === 0 ? new Set() : await state.askedKeys(pipeline.name) }
}

/** Without the terms that its contact does not have yet. */
function brakedRow(
  row: MappedRow,
  braked: ReadonlySet<string>,
  { asked, writes }: Pick<Reading, 'asked'> & Pick<PlanContext['pipeline'], 'writes'>,
): MappedRow {
  const { mapped, known } = row
  // A contact that such a pipeline has created stays as it is.
  const isLeft = writes === 'create' && known.link !== undefined && known.link.isUnfinished !== true
  if (mapped.kind !== 'contact' || isLeft) return row
  const given = new Set(known.link?.terms?.map(({ name }) => termKey(name)))
  const asks: BrakedTerm[] = (mapped.terms ?? []).flatMap((name) => {
    const key = termKey(name)
    return braked.has(key) && !given.has(key) ? [{ key, name }] : []
  })
  if (asks.length === 0) return asked.has(mapped.key) ? { ...row, asks } : row
  const left = new Set(asks.map(({ name }) => name))
  return { ...row, asks, mapped: { ...mapped, terms: mapped.terms?.filter((name) => !left.has(name)) } }
}

export function withBrake(
  rows: readonly MappedRow[],
  { asked, braked }: Reading,
  { pipeline: { writes } }: PlanContext,
): readonly MappedRow[] {
  if (braked.size === 0) return rows
  return rows.map((row) => brakedRow(row, braked, { asked, writes }))
}

/** Whether nothing but such a term is to be changed. */
export const waitsAlone = (row: Mapped, verdict: Verdict): boolean =>
  row.kind === 'fresh' &&
  (row.asks?.length ?? 0) > 0 &&
  typeof verdict === 'object' &&
  verdict.kind === 'unchanged'

/** What the rows that count ask for. */
export const asksOf = (
  rows: readonly { readonly row: Mapped; readonly verdict: Verdict }[],
  { staged }: Reading,
): readonly RecordAsks[] =>
  rows.flatMap(({ row, verdict }) => {
    const key = keyOfRow(row)
    if (row.kind === 'settled' || row.asks === undefined || key === undefined) return []
    const { line, file = staged.input.name } = row.item
    const source = { file, line }
    // What is not sent asks for nothing.
    const isSent =
      typeof verdict === 'object' && (verdict.kind === 'operation' || verdict.kind === 'unchanged')
    return [{ key, terms: isSent ? row.asks : [], isAlone: waitsAlone(row, verdict), source }]
  })
