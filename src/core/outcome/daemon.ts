// What the daemon tells those who watch it (health, metrics, alerts, the log): events as they happen, and its condition
// when it is asked. Names and numbers alone: nothing of a record or a contact is in it. Times are milliseconds since the epoch.
import type { PipelinePause } from '../decision.ts'
import type { fleetView, PipelineTrouble } from '../fleet.ts'
import type { ErrorCode } from '../words/errors.ts'
import type { Settings } from '../settings.ts'
import type { Counts, RunStatus } from './summary.ts'

/**
 * Why a run began. schedule: it was due. missed: it was due while nothing could run (the process was down, the machine
 * asleep, the service away). watch: a file has landed.
 */
export type RunCause = 'schedule' | 'missed' | 'watch'

/** A run that has ended, as `run --json` shows it. */
export interface EndedRun extends Counts {
  readonly pipeline: string
  readonly run_id: string
  readonly status: RunStatus
  readonly requests: number
  readonly retries: number
  readonly duration_ms: number
  /** How often it met something at the service that others had changed. */
  readonly drift: number
  /** Deletes that are tried again: no record was read for them. */
  readonly deletes_failed?: number
  readonly files: readonly { readonly file: string; readonly status: string; readonly code?: ErrorCode }[]
  readonly error?: string
  /** Why it failed; absent when it did not. */
  readonly code?: ErrorCode
  readonly warnings: readonly string[]
}

/** No run begins: the service cannot be reached or used, or it refuses the key. */
export interface Pause {
  readonly since: number
  readonly code: Extract<
    ErrorCode,
    'SERVICE_UNREACHABLE' | 'SERVICE_CONTRACT' | 'SERVICE_KEY_REFUSED' | 'DAILY_LIMIT'
  >
  /** One sentence with the facts, fit for logs. */
  readonly reason: string
  /** When the service is asked next; undefined: not before its key or the configuration changes. */
  readonly nextProbeAt: number | undefined
}

export type DaemonEvent =
  | { readonly type: 'run_started'; readonly pipeline: string; readonly cause: RunCause; readonly at: number }
  | { readonly type: 'run_ended'; readonly at: number; readonly run: EndedRun }
  /** A run ended by a fault of the state or of this program; it has no result. `code`: undefined for a fault of the program. */
  | {
      readonly type: 'run_broken'
      readonly pipeline: string
      readonly at: number
      readonly code: ErrorCode | undefined
    }
  /** A run of another worker, whichever pipeline it was of. */
  | { readonly type: 'ended_elsewhere' }
  /** It was due while its last run was still active; no second run starts. `times`: how often since the last such event. */
  | {
      readonly type: 'overlapped'
      readonly pipeline: string
      readonly at: number
      readonly times: number
    }
  /** So many due times passed while nothing could run; one run makes up for them. */
  | { readonly type: 'missed'; readonly pipeline: string; readonly at: number; readonly times: number }
  /** By more than from one due time to the next, or by more than an hour: what was due between is due again. */
  | { readonly type: 'clock_set_back'; readonly pipeline: string; readonly at: number }
  | { readonly type: 'paused'; readonly pause: Pause }
  /** `ms`: how long it was paused. */
  | { readonly type: 'resumed'; readonly at: number; readonly ms: number }
  | { readonly type: 'reloaded'; readonly at: number; readonly settings: Settings }
  /** The new configuration is not valid; the old one stays. */
  | { readonly type: 'reload_refused'; readonly at: number; readonly problems: readonly string[] }

/** Must not throw, and must not take long: the daemon continues when it returns. */
export type DaemonListener = (event: DaemonEvent) => void

/** One pipeline of the daemon; those without schedule and watch are in the list, too. */
export interface PipelineCondition {
  readonly name: string
  /** When it is due next; undefined: it has no schedule. */
  readonly dueAt: number | undefined
  /** Since when its run is active; undefined: none is. */
  readonly runningSince: number | undefined
  /** Since when it should have begun and could not (service away, all places taken); undefined: nothing waits. */
  readonly waitingSince: number | undefined
  /** When its last run ended by a fault, and the fault's code; undefined where it ended well. */
  readonly brokenAt: number | undefined
  readonly brokenBy: ErrorCode | undefined
  /** Since the process began. */
  readonly overlaps: number
  readonly missed: number
}

export interface DaemonCondition {
  /** False from the first signal to end. */
  readonly running: boolean
  readonly stateOpen: boolean
  readonly startedAt: number
  readonly pause: Pause | undefined
  /** Why the last reload was refused; undefined where the configuration in use is the latest that was asked for. */
  readonly refusedReload: readonly string[] | undefined
  /** Those that this process runs. */
  readonly pipelines: readonly PipelineCondition[]
  /** By pipeline, whichever worker runs it: what sends nothing until an operator resumes it. */
  readonly paused: ReadonlyMap<string, PipelinePause>
  /** Who works with the state, and pipelines that none may run; undefined where there is one owner. */
  readonly fleet?: FleetCondition | undefined
}

export type FleetCondition = ReturnType<typeof fleetView> & {
  /** By pipeline: what the worker that has it says of it. */
  readonly troubles?: ReadonlyMap<string, PipelineTrouble>
}

const own = ({ pipelines }: DaemonCondition, pipeline: string): PipelineCondition | undefined =>
  pipelines.find(({ name }) => name === pipeline)

/** Whether it is the pipeline of another worker, or of none. */
export const isElsewhere = (condition: DaemonCondition, pipeline: string): boolean =>
  condition.fleet !== undefined && own(condition, pipeline) === undefined

/** Whether a run of the pipeline is active, whichever worker makes it. */
export const isRunActive = (condition: DaemonCondition, pipeline: string): boolean =>
  isElsewhere(condition, pipeline)
    ? condition.fleet?.workers.some(({ active }) => active.includes(pipeline)) === true
    : own(condition, pipeline)?.runningSince !== undefined

/** Up to which moment everything that a pipeline's schedule names has had its run. */
export interface DueDone {
  readonly pipeline: string
  /** Expression and time zone: what another one names has not been due. */
  readonly schedule: string
  /** Milliseconds since the epoch. */
  readonly doneUpTo: number
}

export interface DueStore {
  dueDone(): Promise<readonly DueDone[]>
  rememberDue(done: DueDone): Promise<void>
  /**
   * What operators have decided and the next run is to send (released changes and edits, granted terms of a brake, corrections,
   * doubts resolved as not done), as a text that is another one whenever that is something else; blank where there is nothing.
   */
  leftByDecisions(pipeline: string): Promise<string>
}

/** What the state says of a pause: for those who look from another process. */
export type NotedPause = Pick<Pause, 'since' | 'code' | 'reason'>

export interface PauseStore {
  /** Of the owner that the state has now; one that an earlier owner left behind is over. */
  notedPause(): Promise<NotedPause | undefined>
  /** undefined: it is over. */
  notePause(pause: NotedPause | undefined): Promise<void>
}
