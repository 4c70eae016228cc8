// `held list`: changes that were stopped, each with its reason and where its record stands.
import { openStateForReading } from '../../app.ts'
import type { Operation } from '../../core/operation.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { chosenPipelines, commandSettings } from '../settings.ts'

const listed = ({ pipeline, runId, key, contactId, reason, source }: Operation) => ({
  pipeline,
  run_id: runId,
  key,
  contact_id: contactId ?? null,
  reason: reason ?? '',
  ...source,
})

export async function listHeld(io: Io, options: CommonOptions, names: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  const pipelines = chosenPipelines(settings, names).map(({ name }) => name)
  const state = openStateForReading(settings.state.path)
  const all = []
  try {
    for await (const operation of state?.held(pipelines) ?? []) {
      const held = listed(operation)
      if (options.json === true) all.push(held)
      else print(io, `${held.pipeline}: ${held.file}:${held.line}: ${held.key}: ${held.reason}`)
    }
  } finally {
    await state?.close()
  }
  if (options.json === true) printJson(io, { held: all })
  return 0
}
