// Lets values be overwritten that were edited at the service: a decision, entered into the sync log.
import { isTermField, type OpenEdit } from '../../core/change/others/hand-edits.ts'
import { releasedEdits } from '../../core/log/other-entries.ts'
import { SyncError } from '../../core/words/errors.ts'
import { suggestion } from '../../core/words/nearest.ts'
import type { Desk } from '../run/desk.ts'

export interface ReleasedEdits {
  readonly pipeline: string
  readonly key: string
  readonly fields: readonly string[]
  /** The values with the next run; terms once the record comes again; a delete once a full export lacks it again. */
  readonly goes_with: 'run' | 'record' | 'full_export'
}

interface Which {
  readonly pipeline: string
  readonly key: string
  readonly field?: string | undefined
}

const isMeant =
  ({ key, field }: Which) =>
  (edit: OpenEdit): boolean =>
    edit.key === key && (field === undefined || edit.field === field)

function goesWith(edits: readonly OpenEdit[]): ReleasedEdits['goes_with'] {
  if (edits.every(({ source }) => source === null)) return 'full_export'
  return edits.every(({ field }) => isTermField(field)) ? 'record' : 'run'
}

/** The next run overwrites what the service shows now. Throws USAGE where there is no such edit. */
export async function releaseEdits(desk: Desk, which: Which): Promise<ReleasedEdits> {
  const { pipeline, key, field } = which
  const names = desk.settings.pipelines.map(({ name }) => name)
  if (!names.includes(pipeline))
    throw new SyncError('USAGE', `the configuration has no pipeline ${pipeline}`, {
      hint: suggestion(pipeline, names),
    })
  const edits = (await desk.state.openEdits([pipeline])).filter(isMeant(which))
  const [first] = edits
  if (first === undefined) {
    const what = field === undefined ? `record ${key}` : `${field} of record ${key}`
    throw new SyncError('USAGE', `no edit of ${what} is open in ${pipeline}`, {
      hint: `See contact-sync edits list ${pipeline}.`,
    })
  }
  const fields = Object.fromEntries(
    edits.map((edit) => [edit.field, { from: edit.service, to: edit.source ?? '' }]),
  )
  const entry = releasedEdits({ key, contactId: first.contactId, fields }, desk.about(pipeline))
  await desk.conclude([{ do: 'release_edits', pipeline, key, field }], [entry])
  return { pipeline, key, fields: edits.map((edit) => edit.field), goes_with: goesWith(edits) }
}
