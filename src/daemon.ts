// The daemon: pipelines on their schedules, health over HTTP, an orderly end.
// Part of the composition: it joins the schedule, the runner and the console, and decides nothing about contacts.
import { startConsole } from './console/server.ts'
import type { DaemonState } from './console/health.ts'
import type { Clock } from './core/ports.ts'
import type { PipelineSettings, Settings } from './core/settings.ts'
import type { Log } from './log/log.ts'
import { type ScheduledPipeline, startSchedule } from './schedule/schedule.ts'

/** Runs one pipeline once; rejects only for faults of this program or of the state. */
export interface PipelineRunner {
  run(
    pipeline: PipelineSettings,
    options: { wait: boolean; signal: AbortSignal; report(): void },
  ): Promise<unknown>
}

export interface Daemon {
  readonly port: number
  /** Resolves when everything has ended in good order. */
  ended(): Promise<void>
}

interface PipelineState {
  runs: Promise<unknown> | undefined
  missedAt: number | undefined
}

const isScheduled = (pipeline: PipelineSettings): boolean => pipeline.schedule !== undefined

function scheduled({ name, schedule: expression, timezone }: PipelineSettings): ScheduledPipeline[] {
  return expression === undefined ? [] : [{ name, expression, timezone }]
}

function createRuns(
  settings: Settings,
  runner: PipelineRunner,
  parts: { clock: Clock; log: Log; signal: AbortSignal },
) {
  const { clock, log, signal } = parts
  const states = new Map<string, PipelineState>()
  for (const { name } of settings.pipelines) states.set(name, { runs: undefined, missedAt: undefined })
  const byName = new Map(settings.pipelines.map((pipeline) => [pipeline.name, pipeline]))

  const run = async (name: string): Promise<void> => {
    const pipeline = byName.get(name)
    const state = states.get(name)
    if (pipeline === undefined || state === undefined || signal.aborted) return
    const running = runner.run(pipeline, { wait: false, signal, report: () => undefined })
    state.runs = running
    state.missedAt = undefined
    try {
      await running
    } finally {
      state.runs = undefined
    }
  }
  return {
    run,
    states,
    overlap(name: string) {
      log.warn('a run was still going on when the next was due', { pipeline: name })
    },
    failed(name: string, error: unknown) {
      const state = states.get(name)
      if (state !== undefined) state.missedAt = clock.now()
      log.error('a run ended with an error', {
        pipeline: name,
        error: error instanceof Error ? error.message : String(error),
      })
    },
    idle: async () => {
      await Promise.allSettled([...states.values()].flatMap(({ runs }) => runs ?? []))
    },
  }
}

/** Starts it all; ends by the signal: nothing new begins, what runs is brought to its end, then everything is closed. */
export async function startDaemon(
  settings: Settings,
  runner: PipelineRunner,
  parts: { clock: Clock; log: Log; signal: AbortSignal },
): Promise<Daemon> {
  const { log, signal } = parts
  const runs = createRuns(settings, runner, parts)
  const schedule = startSchedule(settings.pipelines.flatMap(scheduled), {
    due: runs.run,
    overlap: runs.overlap,
    failed: runs.failed,
  })
  const state = (): DaemonState => {
    const due = new Map(schedule.next().map(({ name, at }) => [name, at?.getTime()]))
    return {
      running: !signal.aborted,
      stateOpen: true,
      pipelines: settings.pipelines.filter(isScheduled).map(({ name }) => ({
        name,
        dueAt: due.get(name),
        running: runs.states.get(name)?.runs !== undefined,
        missedAt: runs.states.get(name)?.missedAt,
      })),
    }
  }
  const server = await startConsole(settings.server, state).catch(async (error: unknown) => {
    await schedule.stop()
    throw error
  })
  log.info('daemon started', { pipelines: settings.pipelines.length, port: server.port })
  const ended = async (): Promise<void> => {
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    log.info('daemon ends')
    await schedule.stop()
    await runs.idle()
    await server.close()
    log.info('daemon ended')
  }
  return { port: server.port, ended }
}
