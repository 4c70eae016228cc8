// Finds persons who are probably in the source twice: new records of an input compared with each other, and with records linked
// under another key. Part of the plan, and only a finding: no change of the plan depends on it.
import {
  createBlocks,
  createFindings,
  type Findings,
  type NewRecord,
} from '../../core/linkage/look-alikes.ts'
import type { LikelySame } from '../../core/outcome/likely-same.ts'
import type { StagedInput } from '../../core/state.ts'
import type { PlanContext } from '../context.ts'

/**
 * Pairs whose records are in memory at once; and after so many records timers, signals and connections have their turn: of a
 * million it takes some ten seconds.
 */
const PAGE = 500

type Pair = readonly [first: number, second: number]

/** `ids`: of the journal, by the number of a record in its pair. */
async function compareAmongThemselves(
  pairs: readonly Pair[],
  { ids, findings }: { readonly ids: readonly number[]; readonly findings: Findings },
  { state, clock }: PlanContext,
): Promise<void> {
  for (let from = 0; from < pairs.length; from += PAGE) {
    if (from > 0) await clock.sleep(0)
    const page = pairs.slice(from, from + PAGE).map((pair) => pair.map((number) => ids[number] ?? 0))
    const records = await state.newRecordsById([...new Set(page.flat())])
    const byId = new Map(records.map((record) => [record.id, record]))
    for (const [one = 0, other = 0] of page) {
      const [first, second] = [byId.get(one), byId.get(other)]
      if (first !== undefined && second !== undefined) findings.compare(first, second)
    }
  }
}

async function compareWithLinked(
  records: readonly NewRecord[],
  findings: Findings,
  { pipeline, state }: PlanContext,
): Promise<void> {
  const linked = await state.linkedLike(pipeline.name, records)
  records.forEach((record, index) => {
    for (const other of linked[index] ?? []) findings.compare(other, record)
  })
}

/** Undefined where no records are likely the same. Costs nothing where the plan creates no contact. */
export async function findLikelySame(
  staged: StagedInput,
  context: PlanContext,
): Promise<LikelySame | undefined> {
  const blocks = createBlocks()
  const findings = createFindings()
  const ids: number[] = []
  let isComplete = true
  let inTurn = 0
  for await (const page of context.state.newRecords(staged)) {
    for (const { id, contact } of page)
      if (blocks.add(contact)) ids.push(id)
      else isComplete = false
    await compareWithLinked(page, findings, context)
    inTurn += page.length
    if (inTurn < PAGE) continue
    await context.clock.sleep(0)
    inTurn = 0
  }
  const { pairs, complete } = blocks.pairs()
  await compareAmongThemselves(pairs, { ids, findings }, context)
  return findings.found(isComplete && complete)
}
