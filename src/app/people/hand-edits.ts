// Lets values be overwritten that were edited at the service. It writes to the state, so it needs its lock, and is entered into
// the sync log.
import type { OpenEdit } from '../../core/change/hand-edits.ts'
import { releasedEdits } from '../../core/log/audit.ts'
import type { Settings } from '../../core/settings.ts'
import { SyncError } from '../../core/words/errors.ts'
import { suggestion } from '../../core/words/nearest.ts'
import { runId } from '../../core/words/run-id.ts'
import { systemClock as clock, systemRandom as random } from '../../system.ts'
import { asOwner } from '../run/as-owner.ts'

export interface ReleasedEdits {
  readonly pipeline: string
  readonly key: string
  readonly fields: readonly string[]
}

interface Which {
  readonly pipeline: string
  readonly key: string
  readonly field: string | undefined
}

const isMeant =
  ({ key, field }: Which) =>
  (edit: OpenEdit): boolean =>
    edit.key === key && (field === undefined || edit.field === field)

/** The next run overwrites what the service shows now. Throws USAGE where there is no such edit. */
export function releaseEdits(settings: Settings, which: Which, pid: number): Promise<ReleasedEdits> {
  const { pipeline, key, field } = which
  const names = settings.pipelines.map(({ name }) => name)
  const settingsOf = settings.pipelines.find(({ name }) => name === pipeline)
  if (settingsOf === undefined)
    throw new SyncError('USAGE', `the configuration has no pipeline ${pipeline}`, {
      hint: suggestion(pipeline, names),
    })
  return asOwner(settings, pid, async (state) => {
    const edits = (await state.openEdits([pipeline])).filter(isMeant(which))
    const [first] = edits
    if (first === undefined) {
      const what = field === undefined ? `record ${key}` : `${field} of record ${key}`
      throw new SyncError('USAGE', `no edit of ${what} is open in ${pipeline}`, {
        hint: `See contact-sync edits list ${pipeline}.`,
      })
    }
    const at = clock.now()
    const about = { at, runId: runId(at, random), pipeline, configHash: settingsOf.hash }
    const fields = Object.fromEntries(
      edits.map((edit) => [edit.field, { from: edit.service, to: edit.source ?? '' }]),
    )
    await state.note(releasedEdits({ key, contactId: first.contactId, fields }, about))
    await state.releaseEdits({ pipeline, key, ...(field === undefined ? {} : { field }) })
    return { pipeline, key, fields: edits.map((edit) => edit.field) }
  })
}
