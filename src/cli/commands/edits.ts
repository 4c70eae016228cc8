// `edits list` and `edits release`: values that were edited at the service and that no pipeline overwrites.
import type { ReleasedEdits } from '../../app/people/hand-edits.ts'
import type { OpenEdit } from '../../core/change/others/hand-edits.ts'
import { plural } from '../../core/words/format.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { shownValue } from '../format.ts'
import type { DecidingOptions } from '../decided-by.ts'
import { decided } from '../deciding.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { chosenPipelines, commandSettings, warnOfOlderState } from '../settings.ts'

const listed = ({
  pipeline,
  key,
  contactId,
  field,
  sent,
  service,
  source,
  since,
  isReleased = false,
}: OpenEdit) => ({
  pipeline,
  key,
  contact_id: contactId,
  field,
  sent,
  service,
  source,
  since: new Date(since).toISOString(),
  // Absent where it was not.
  ...(isReleased ? { released: true } : {}),
})

function editText(edit: OpenEdit): string {
  const { key, contactId, field, rule, sent, service, source, since, isReleased = false } = edit
  const wants = source === null ? 'the record has gone' : `the source wants ${shownValue(source)}`
  const waits = isReleased ? ', released' : rule === 'ask' ? ', waits for a release' : ''
  const last = sent === null ? 'nothing was sent' : `last sent ${shownValue(sent)}`
  const day = new Date(since).toISOString().slice(0, 10)
  return `  ${key} (contact ${contactId}) ${field}: ${shownValue(service)} at the service since ${day}, ${last}, ${wants}${waits}`
}

export async function listEdits(io: Io, options: CommonOptions, names: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  warnOfOlderState(io, settings)
  const pipelines = chosenPipelines(settings, names).map(({ name }) => name)
  const state = openStateForReading(settings.state)
  try {
    const edits = (await state?.openEdits(pipelines)) ?? []
    if (options.json === true) {
      printJson(io, { edits: edits.map(listed) })
      return 0
    }
    for (const name of pipelines) {
      const own = edits.filter(({ pipeline }) => pipeline === name)
      if (own.length > 0) print(io, `${name}: ${plural(own.length, 'field')} edited at the service`)
      for (const edit of own) print(io, editText(edit))
    }
    if (edits.length > 0)
      printError(io, 'To let the source overwrite them: contact-sync edits release PIPELINE KEY [--field F]')
    return 0
  } finally {
    await state?.close()
  }
}

const goesText = ({ pipeline, goes_with: when }: ReleasedEdits): string => {
  if (when === 'record') return `they are sent once ${pipeline} brings the record again`
  return when === 'run'
    ? `the next run of ${pipeline} sends what the source wants`
    : `the contact is deleted with the next full export of ${pipeline} that lacks the record`
}

interface ReleaseOptions extends DecidingOptions {
  readonly field?: string
}

export async function releaseEdited(
  io: Io,
  options: ReleaseOptions,
  [pipeline = '', key = '']: string[],
): Promise<number> {
  const settings = await commandSettings(io, options)
  const args = { pipeline, key, field: options.field }
  const released = await decided({ io, options, settings }, { kind: 'edits release', args })
  if (options.json === true) printJson(io, released)
  else print(io, `${released.fields.join(', ')} of record ${key} released; ${goesText(released)}`)
  return 0
}
