// What one run is handed: its pipeline, its ports, and what it counts on the way.
import type { Circuit } from '../core/circuit.ts'
import type { Clock, ServiceSession, Source } from '../core/ports.ts'
import type { PipelineSettings, ServiceSettings } from '../core/settings.ts'
import type { StateStore } from '../core/state.ts'
import type { Tally } from './tally.ts'

/** For operational logs: one static message each, fixed fields, no personal data. */
export type LogEvent = (message: string, fields?: Readonly<Record<string, string | number | boolean>>) => void

export interface RunLog {
  readonly info: LogEvent
  readonly warn: LogEvent
}

export interface ProgressReport {
  readonly phase: 'recover' | 'read' | 'apply' | 'settle'
  readonly read: number
  readonly bytesRead: number
  readonly bytesTotal: number
  /** Operations of the plan that have an outcome, and all of them. */
  readonly applied: number
  readonly planned: number
  readonly requests: number
}

/** What reading and planning need: nothing that writes to the service. */
export interface PlanContext {
  readonly runId: string
  readonly pipeline: PipelineSettings
  readonly state: StateStore
  readonly source: Source
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly log: RunLog
  readonly tally: Tally
  report(report: Partial<ProgressReport>): void
}

/** What applying needs besides. */
export interface RunContext extends PlanContext {
  readonly service: ServiceSettings
  readonly session: ServiceSession
  readonly circuit: Circuit
}

/** Whether nothing more may be sent in this run. */
export const isStopped = (context: RunContext): boolean =>
  context.signal.aborted || context.circuit.stop !== undefined
