// The daemon: pipelines on their schedules, health over HTTP, an orderly end.
// Part of the composition: it joins the schedule, the runner and the console, and decides nothing about contacts.
import { healthRoutes } from '../console/health-routes.ts'
import { pageRoutes } from '../console/page-routes.ts'
import { startConsole } from '../console/server.ts'
import { createTokenGate } from '../console/token.ts'
import type { DaemonState } from '../console/health.ts'
import { errorFacts } from '../core/error-facts.ts'
import { SyncError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { PipelineSettings, Settings } from '../core/settings.ts'
import type { Log } from '../log/log.ts'
import { type ScheduledPipeline, startSchedule } from '../schedule/schedule.ts'
import { consoleData } from './console-data.ts'

/** Runs one pipeline once; rejects only for faults of this program or of the state. */
export interface PipelineRunner {
  run(
    pipeline: PipelineSettings,
    options: { wait: boolean; signal: AbortSignal; report(): void },
  ): Promise<unknown>
}

export interface Daemon {
  readonly port: number
  /** Resolves when everything has ended in good order; rejects with the error that made it end by itself. */
  ended(): Promise<void>
}

interface PipelineState {
  runs: Promise<unknown> | undefined
  missedAt: number | undefined
  /** The code of what ended its last run. */
  why: string | undefined
}

/** Errors of the state after which only a new process may go on; it checks the state when it opens it. */
const isFinal = (error: unknown): boolean =>
  error instanceof SyncError && (error.code === 'STATE_IO' || error.code === 'STATE_UNUSABLE')

const isScheduled = (pipeline: PipelineSettings): boolean => pipeline.schedule !== undefined

function scheduled({ name, schedule: expression, timezone }: PipelineSettings): ScheduledPipeline[] {
  return expression === undefined ? [] : [{ name, expression, timezone }]
}

function createRuns(
  settings: Settings,
  runner: PipelineRunner,
  parts: { clock: Clock; log: Log; signal: AbortSignal; giveUp(error: unknown): void },
) {
  const { clock, log, signal, giveUp } = parts
  const states = new Map<string, PipelineState>()
  for (const { name } of settings.pipelines)
    states.set(name, { runs: undefined, missedAt: undefined, why: undefined })
  const byName = new Map(settings.pipelines.map((pipeline) => [pipeline.name, pipeline]))

  const run = async (name: string): Promise<void> => {
    const pipeline = byName.get(name)
    const state = states.get(name)
    if (pipeline === undefined || state === undefined || signal.aborted) return
    const running = runner.run(pipeline, { wait: false, signal, report: () => undefined })
    state.runs = running
    state.missedAt = undefined
    state.why = undefined
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
      if (state !== undefined) {
        state.missedAt = clock.now()
        state.why = error instanceof SyncError ? error.code : undefined
      }
      log.error('a run ended with an error', {
        pipeline: name,
        ...errorFacts(error),
      })
      if (isFinal(error)) giveUp(error)
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
  const { clock, log } = parts
  const broken = new AbortController()
  const signal = AbortSignal.any([parts.signal, broken.signal])
  const giveUp = (error: unknown): void => broken.abort(error)
  const runs = createRuns(settings, runner, { clock, log, signal, giveUp })
  const schedule = startSchedule(settings.pipelines.flatMap(scheduled), {
    due: runs.run,
    overlap: runs.overlap,
    failed: runs.failed,
  })
  const state = (): DaemonState => {
    const due = new Map(schedule.next().map(({ name, at }) => [name, at?.getTime()]))
    return {
      running: !signal.aborted,
      stateOpen: !broken.signal.aborted,
      pipelines: settings.pipelines.filter(isScheduled).map(({ name }) => ({
        name,
        dueAt: due.get(name),
        running: runs.states.get(name)?.runs !== undefined,
        missedAt: runs.states.get(name)?.missedAt,
        why: runs.states.get(name)?.why,
      })),
    }
  }
  const gate = createTokenGate(() => settings.server.token, clock)
  const onFault = (error: unknown): void => log.error('an answer over HTTP failed', errorFacts(error))
  const looking = consoleData({ clock, settings: () => settings, daemon: state })
  const server = await startConsole(settings.server, {
    mounts: [healthRoutes(state), pageRoutes({ data: looking.data, gate, clock, onFault })],
    gate,
    names: () => [settings.server.host, ...settings.server.hosts],
    onFault,
  }).catch(async (error: unknown) => {
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
    await looking.close()
    log.info('daemon ended')
    if (broken.signal.aborted) throw broken.signal.reason
  }
  return { port: server.port, ended }
}
