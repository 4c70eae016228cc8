// When a pipeline is due next, for those who look: commands, and the console of a worker that does not run it.
import type { PipelineSettings } from '../../core/settings.ts'
import { createDueTimes } from '../../schedule/due-times.ts'
import { systemClock as clock } from '../../system.ts'

/** Milliseconds since the epoch; undefined where it has no schedule, or is never due any more. */
export const nextDue = ({
  schedule,
  timezone,
}: Pick<PipelineSettings, 'schedule' | 'timezone'>): number | undefined =>
  schedule === undefined ? undefined : createDueTimes(schedule, timezone).next(clock.now())
