// Values that persons set right, while an input is read: which still hold for their record, and what has ended.
import { judgeCorrection } from '../../../core/change/others/correction.ts'
import { planEntry } from '../../../core/log/other-entries.ts'
import type { MappedRecord } from '../../../core/mapping/mapping.ts'
import type { PlanContext } from '../../context.ts'
import type { FoundCorrection, FreshRow, Mapped, Reading } from '../reading.ts'

/** With the values that a person set right, as far as these still hold. */
export function withCorrections(
  { item, ...row }: FreshRow,
  mapped: MappedRecord,
  { mapper, corrections }: Reading,
) {
  const own = mapped.key === undefined ? undefined : corrections.get(mapped.key)
  if (own === undefined || item.kind !== 'record') return { ...row, item, mapped }
  const findings = own.flatMap((correction) => {
    const seen = mapper.seen(item, correction.field)
    return seen === undefined ? [] : [{ correction, judged: judgeCorrection(correction, seen) }]
  })
  const holding = findings.filter(({ judged }) => judged.kind === 'holds')
  const right = new Map(holding.map(({ correction: { field, value } }) => [field, value]))
  return { ...row, item, mapped: right.size === 0 ? mapped : mapper.map(item, right), findings }
}

/** Of a row that is left out nothing is sent: it can only end a correction. */
const findingsOf = (row: Mapped): readonly FoundCorrection[] =>
  row.kind === 'settled'
    ? []
    : (row.findings ?? []).filter(({ judged }) => row.mapped.kind !== 'skipped' || judged.kind === 'ended')

/** What the rows that count say about corrections. */
export function correctionFindings(rows: readonly Mapped[], { corrected }: Reading, { clock }: PlanContext) {
  const found = rows.flatMap(findingsOf)
  for (const { correction, judged } of found)
    if (judged.kind === 'ended') corrected.ended.push({ correction, why: judged.why })
    else corrected.fields += 1
  if (found.length === 0) return undefined
  return { at: clock.now(), findings: found.map(({ correction: { id }, judged }) => ({ id, judged })) }
}

/** What the records of an input say about corrections, in both logs. */
export async function noteCorrections(
  { corrected: { fields, ended } }: Pick<Reading, 'corrected'>,
  { clock, log, pipeline: { name: pipeline, hash: configHash }, runId, state }: PlanContext,
): Promise<void> {
  const about = { at: clock.now(), runId, pipeline, configHash }
  for (const { correction, why } of ended) {
    const reason = `correction ${correction.id} of ${correction.field}: ${why}`
    await state.note({ ...planEntry({ action: 'end_correction', reason }, about), key: correction.key })
  }
  if (fields > 0) log.info('values set by corrections', { fields })
  if (ended.length > 0) log.info('corrections ended', { corrections: ended.length })
}
