// Pipelines that send nothing until they are resumed. Part of the composition; what is active is ended in good order.
import { planEntry } from '../../core/log/other-entries.ts'
import { type PipelinePause, pipelinePauseText } from '../../core/decision.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Settings } from '../../core/settings.ts'
import { openStateForReading } from '../../store/state-store.ts'
import type { Desk } from '../run/desk.ts'
import type { Owner } from './owner.ts'

interface Which {
  /** All that are configured, where none is named. */
  readonly pipelines: readonly string[]
}

type Pausing = Desk & { readonly owner: Owner }

function chosen(
  { pipelines }: Which,
  settings: Settings,
  paused: readonly PipelinePause[],
): readonly string[] {
  const known = settings.pipelines.map(({ name }) => name)
  const all = [...known, ...paused.map(({ pipeline }) => pipeline)]
  const unknown = pipelines.filter((name) => !all.includes(name))
  if (unknown.length > 0)
    throw new SyncError('USAGE', `there is no pipeline ${unknown.join(', ')}`, {
      hint: `Pipelines: ${known.join(', ')}`,
    })
  return pipelines.length === 0 ? [...new Set(all)] : pipelines
}

/** The pauses that hold now. One that was paused before keeps its time, its name and its reason. */
export async function pausePipelines(desk: Pausing, which: Which): Promise<readonly PipelinePause[]> {
  const { settings, state, owner, decided } = desk
  const before = await state.pausedPipelines()
  const names = chosen(which, settings, before)
  const fresh = names.filter((name) => !before.some(({ pipeline }) => pipeline === name))
  const since = desk.about(null).at
  const pauses = fresh.map((pipeline) => ({ pipeline, since, by: decided.by, reason: decided.note }))
  const entries = fresh.map((name) =>
    planEntry(
      { action: 'pause', reason: 'the pipeline sends nothing until it is resumed' },
      desk.about(name),
    ),
  )
  await desk.conclude([{ do: 'pause', pauses }], entries)
  await owner.onPauses?.()
  await owner.halt?.(fresh, 'the pipeline was paused')
  return (await state.pausedPipelines()).filter(({ pipeline }) => names.includes(pipeline))
}

/** Which pipelines were paused and run again from now on. */
export async function resumePipelines(desk: Pausing, which: Which): Promise<readonly string[]> {
  const { settings, state, owner } = desk
  const before = await state.pausedPipelines()
  const names = chosen(which, settings, before)
  const paused = before.filter(({ pipeline }) => names.includes(pipeline)).map(({ pipeline }) => pipeline)
  const entries = paused.map((name) =>
    planEntry({ action: 'resume', reason: 'the pipeline runs again' }, desk.about(name)),
  )
  await desk.conclude([{ do: 'resume', pipelines: paused }], entries)
  await owner.onPauses?.()
  return paused
}

/** Which of these pipelines are paused, in words: what a plan shows is not sent before they are resumed. */
export async function pauseNotes(
  { state: place }: Settings,
  names: readonly string[],
): Promise<readonly string[]> {
  const state = openStateForReading(place)
  try {
    const paused = (await state?.pausedPipelines()) ?? []
    return paused
      .filter(({ pipeline }) => names.includes(pipeline))
      .map((one) => `note: ${one.pipeline}: ${pipelinePauseText(one)}`)
  } finally {
    await state?.close()
  }
}
