// When a pipeline is due next, for commands that look.
import { createDueTimes } from '../../schedule/due-times.ts'
import { systemClock as clock } from '../../system.ts'

/** Undefined where it is never due any more. */
export function nextDue(pipeline: {
  readonly name: string
  readonly expression: string
  readonly timezone: string | undefined
}): Date | undefined {
  const at = createDueTimes(pipeline.expression, pipeline.timezone).next(clock.now())
  return at === undefined ? undefined : new Date(at)
}
