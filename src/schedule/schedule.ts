// When pipelines run: node-cron as the trigger, in each pipeline's own time zone, and never one pipeline twice at once.
import { schedule, type ScheduledTask, validateDetailed } from 'node-cron'
import { dueWithin, type Gap, gapFinder, LOOK_EVERY } from './summer-time.ts'

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

/** Whether a pipeline was due in the gap that ends now, and is not due soon anyway. */
function wasLeftOut(expression: string, task: ScheduledTask, gap: Gap, now: Date): boolean {
  if (task.match(now)) return false
  const next = task.getNextRun()?.getTime() ?? Number.POSITIVE_INFINITY
  if (next - now.getTime() <= gap.to - gap.from) return false
  const asUtc = schedule(expression, () => undefined, { timezone: 'UTC', logger: silent, unref: true })
  const wasDue = dueWithin(gap, (date) => asUtc.match(date))
  void asUtc.destroy()
  return wasDue
}

export function startSchedule(
  pipelines: readonly ScheduledPipeline[],
  events: ScheduleEvents,
): RunningSchedule {
  const running = new Set<string>()
  const runOnce = async (name: string): Promise<void> => {
    if (running.has(name)) return events.overlap(name)
    running.add(name)
    try {
      await events.due(name)
    } finally {
      running.delete(name)
    }
  }
  const tasks = pipelines.map((pipeline) => {
    const zone = pipeline.timezone === undefined ? {} : { timezone: pipeline.timezone }
    const options = {
      ...zone,
      name: pipeline.name,
      noOverlap: true,
      logger: silent,
      suppressMissedWarning: true,
    }
    const task = schedule(pipeline.expression, () => runOnce(pipeline.name), options)
    task.on('execution:overlap', () => events.overlap(pipeline.name))
    task.on('execution:failed', (context) =>
      events.failed(pipeline.name, context.execution?.error ?? context.error),
    )
    return { ...pipeline, task, findGap: gapFinder(pipeline.timezone) }
  })
  const makeUp = (now: Date): void => {
    for (const { name, expression, task, findGap } of tasks) {
      const gap = findGap(now.getTime())
      if (gap === undefined || !wasLeftOut(expression, task, gap, now)) continue
      runOnce(name).catch((error: unknown) => {
        events.failed(name, error)
      })
    }
  }
  const looks = schedule(LOOK_EVERY, ({ date }) => makeUp(date), { timezone: 'UTC', logger: silent })
  return {
    next: () => tasks.map(({ name, task }) => ({ name, at: task.getNextRun() ?? undefined })),
    async stop() {
      await Promise.all([looks, ...tasks.map(({ task }) => task)].map(async (task) => task.destroy()))
    },
  }
}
