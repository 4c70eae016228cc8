// When pipelines run: node-cron as the trigger, in each pipeline's own time zone, and never one pipeline twice at once.
import { schedule, validateDetailed } from 'node-cron'

export interface ScheduledPipeline {
  readonly name: string
  /** Cron, 5 or 6 fields. */
  readonly expression: string
  readonly timezone: string | undefined
}

export interface ScheduleEvents {
  due(name: string): Promise<void>
  /** It was due while its last run still went on; it is not run twice. */
  overlap(name: string): void
  failed(name: string, error: unknown): void
}

export interface RunningSchedule {
  /** When each pipeline is due next. */
  next(): readonly { readonly name: string; readonly at: Date | undefined }[]
  stop(): Promise<void>
}

/** node-cron writes to standard error by itself otherwise; what matters of it comes as an event. */
const silent = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
}

/** What is wrong with a cron expression, or undefined. */
export function scheduleProblem(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression)
  if (valid) return undefined
  return errors.map(({ field, message }) => `${field}: ${message}`).join('; ') || 'is no cron expression'
}

/** When a pipeline is due next, seen from now. */
export function nextDue(pipeline: ScheduledPipeline): Date | undefined {
  const zone = pipeline.timezone === undefined ? {} : { timezone: pipeline.timezone }
  // Only a task that is started knows its next time.
  const task = schedule(pipeline.expression, () => undefined, { ...zone, logger: silent, unref: true })
  const next = task.getNextRun() ?? undefined
  void task.destroy()
  return next
}

export function startSchedule(
  pipelines: readonly ScheduledPipeline[],
  events: ScheduleEvents,
): RunningSchedule {
  const tasks = pipelines.map((pipeline) => {
    const zone = pipeline.timezone === undefined ? {} : { timezone: pipeline.timezone }
    const options = {
      ...zone,
      name: pipeline.name,
      noOverlap: true,
      logger: silent,
      suppressMissedWarning: true,
    }
    const task = schedule(pipeline.expression, () => events.due(pipeline.name), options)
    task.on('execution:overlap', () => events.overlap(pipeline.name))
    task.on('execution:failed', (context) =>
      events.failed(pipeline.name, context.execution?.error ?? context.error),
    )
    return { name: pipeline.name, task }
  })
  return {
    next: () => tasks.map(({ name, task }) => ({ name, at: task.getNextRun() ?? undefined })),
    async stop() {
      await Promise.all(tasks.map(async ({ task }) => task.destroy()))
    },
  }
}
