// The columns that `map.mail_status.evidence` names.
import type { PipelineSettings } from '../../settings.ts'

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
