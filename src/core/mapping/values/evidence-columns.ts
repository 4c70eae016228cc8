// The columns that `map.mail_status.evidence` names.
import type { PipelineSettings } from '../../settings.ts'
import { isConsent } from './consent.ts'

export type MapsStatus = Pick<PipelineSettings, 'map'>

export const columnsOfEvidence = ({ map }: MapsStatus) => map['mail_status']?.evidence

/** The columns, with the place in the configuration that names each. */
export function evidenceColumns(
  pipeline: MapsStatus,
): readonly { readonly column: string; readonly wantedBy: string }[] {
  const columns = columnsOfEvidence(pipeline)
  if (columns === undefined) return []
  const { at, source, text } = columns
  return Object.entries({ at: at.column, source, text }).flatMap(([name, column]) =>
    column === undefined ? [] : [{ column, wantedBy: `map.mail_status.evidence.${name}` }],
  )
}

/** What the column of the day is read by, as mappings name it. */
export const evidenceDates = (pipeline: MapsStatus): readonly { readonly date: readonly string[] }[] =>
  columnsOfEvidence(pipeline) === undefined ? [] : [{ date: columnsOfEvidence(pipeline)?.at.date ?? [] }]

/** Whether evidence is required of a status that the mapping never gives: its constants, or its table, have no 4 or 7. */
export function requiresInVain({ map }: MapsStatus): boolean {
  const rule = map['mail_status']
  if (rule?.require_evidence !== true) return false
  const { value, lookup, otherwise, default: whereBlank } = rule
  if (value === undefined && lookup === undefined) return false
  const given = [value, ...Object.values(lookup ?? {}), otherwise, whereBlank]
  return !given.some((one) => isConsent(Number(one ?? 0)))
}
