// Reads the evidence of a consent out of the columns that `map.mail_status.evidence` names.
import type { ConsentEvidence } from './consent.ts'
import { columnsOfEvidence, type MapsStatus } from './evidence-columns.ts'
import type { RuleKit } from './rule-kit.ts'

/** Undefined where the pipeline names no columns. The evidence is undefined where one of them says nothing, or no day. */
export function evidenceReader(
  pipeline: MapsStatus,
  cell: (values: readonly string[], column: string) => string,
  kit: RuleKit,
): ((values: readonly string[]) => ConsentEvidence | undefined) | undefined {
  const columns = columnsOfEvidence(pipeline)
  if (columns === undefined) return undefined
  const date = kit.date?.({
    formats: columns.at.date,
    column: columns.at.column,
    twoDigitYearsUntil: undefined,
    timezone: undefined,
  })
  return (values) => {
    const at = date?.(cell(values, columns.at.column))
    const source = columns.source === undefined ? undefined : cell(values, columns.source)
    const text = columns.text === undefined ? undefined : cell(values, columns.text)
    if (typeof at !== 'string' || [at, source, text].includes('')) return undefined
    return { at, ...(source === undefined ? {} : { source }), ...(text === undefined ? {} : { text }) }
  }
}
