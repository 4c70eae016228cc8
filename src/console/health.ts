// Liveness and readiness, as pure functions from what the daemon knows to an answer.
import type { DaemonCondition } from '../core/outcome/daemon.ts'

export interface Readiness {
  readonly ready: boolean
  readonly reasons: readonly string[]
  /** Pipelines that an operator has paused: no reason against being ready. */
  readonly paused: readonly string[]
}

/** Ready: the state is open, the schedule runs, the service can be used, and no pipeline is overdue; else the reasons why not. */
export function readiness(daemon: DaemonCondition): Readiness {
  const overdue = daemon.pipelines.filter(
    ({ brokenAt, runningSince }) => brokenAt !== undefined && runningSince === undefined,
  )
  const { pause } = daemon
  const since = pause === undefined ? '' : new Date(pause.since).toISOString()
  const reasons = [
    ...(daemon.running ? [] : ['shutting down']),
    ...(daemon.stateOpen ? [] : ['the state is not open']),
    ...(pause === undefined ? [] : [`runs paused since ${since} (${pause.code})`]),
    ...overdue.map(
      ({ name, brokenBy }) => `pipeline ${name} is overdue${brokenBy === undefined ? '' : ` (${brokenBy})`}`,
    ),
  ]
  return { ready: reasons.length === 0, reasons, paused: [...daemon.paused.keys()] }
}
