// Records of which a field that was edited at the service waits for an operator (`hand_edits: ask`): they are held, and have no
// operation.
import { asksAboutEdits, type HandEditStore, isToBeReleased } from '../core/change/others/hand-edits.ts'
import type { PipelineSettings } from '../core/settings.ts'

/** How many of the pipeline. */
export async function recordsThatAsk(
  pipeline: PipelineSettings,
  state: Pick<HandEditStore, 'openEdits'>,
): Promise<number> {
  if (!asksAboutEdits(pipeline)) return 0
  const edits = await state.openEdits([pipeline.name])
  return new Set(edits.filter(isToBeReleased).map(({ key }) => key)).size
}
