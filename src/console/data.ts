// What the console's pages are made of, and who gives it: `app` fulfils this interface. The pages ask for nothing else.
import type { ReceiverStanding } from '../core/alerts/alert-store.ts'
import type { BrakeRule } from '../core/change/waiting/brake.ts'
import type { Decision, PipelinePause } from '../core/decision.ts'
import type { NotedRead } from '../core/log/reads.ts'
import type { DaemonCondition } from '../core/outcome/daemon.ts'
import type { RunProgress } from '../core/outcome/run-progress.ts'
import type { RateLimitSettings, ShownSetting } from '../core/settings.ts'
import type { Explanation } from '../core/explain/explanation.ts'
import type { LogViews } from '../core/log/log-views.ts'
import type { ApprovalTerms, RejectEntry } from '../core/state.ts'
import type { StateViews } from '../core/views.ts'

export interface LivePipeline {
  readonly name: string
  readonly schedule: string | undefined
  readonly timezone: string | undefined
  /** Milliseconds since the epoch; undefined: not scheduled. */
  readonly dueAt: number | undefined
  /** A file that lands begins a run. */
  readonly watches: boolean
  readonly running: boolean
  /** Since when, by whom and why it sends nothing; undefined: it is not paused. */
  readonly paused?: PipelinePause | undefined
}

/** The daemon at this moment. */
export interface LiveView {
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly startedAt: number
  readonly ready: boolean
  readonly reasons: readonly string[]
  /** Why the last reload was refused; undefined where the configuration in use is the latest. */
  readonly refusedReload: readonly string[] | undefined
  readonly pipelines: readonly LivePipeline[]
  readonly rate: RateLimitSettings
  /** Who works with the state; undefined where there is one owner. */
  readonly fleet?: DaemonCondition['fleet']
  /** Of the runs that are active. */
  readonly progress: readonly RunProgress[]
}

/** A field of a rejected row that can be corrected. */
export interface CorrectableField {
  readonly field: string
  /** The value in force; where the mapping makes none, what the row says. */
  readonly text: string
  /** Why there is no such value, or why what was typed is not accepted. */
  readonly problem: string | undefined
  /** What was typed in place of `text`; undefined where it is the same. */
  readonly typed: string | undefined
}

export interface CorrectableReject {
  readonly reject: RejectEntry
  /** Of the pipeline's mapping, in its order. */
  readonly fields: readonly CorrectableField[]
  /** Why the record would still not be sent with what was typed; null: it would be. */
  readonly still: string | null
  /** Why it cannot be corrected here; undefined where it can. */
  readonly obstacle: string | undefined
}

export interface ConsoleData {
  readonly views: StateViews
  readonly log: LogViews
  live(): LiveView
  /** Which approvals count now. */
  counting(): ApprovalTerms
  /** Requests of the last 24 hours; undefined where no limit of a day is set. */
  requestsOfDay(): number | undefined
  /** How the values of the contact's record came to be; undefined where it has none of a pipeline that is configured. */
  explain(contactId: number, pipeline: string): Promise<Explanation | undefined>
  /** A rejected row under the mapping in force, with values typed for its fields; undefined where there is none. */
  correctable(id: number, typed: Readonly<Record<string, string>>): Promise<CorrectableReject | undefined>
  /** The terms that have a brake by the configuration, each once. */
  brakes(): readonly { readonly term: string; readonly rule: BrakeRule }[]
  /** Pipelines whose contacts the daemon compares, with the share that may differ. */
  drift(): readonly { readonly pipeline: string; readonly share: number }[]
  configuration(): readonly ShownSetting[]
  /** Has it taken by the owner of the state; a run that is asked for is not waited for. Never rejects. */
  decide(decision: Decision): Promise<{ readonly isDone: boolean; readonly text: string }>
  /** By receiver, in the order of the configuration. */
  alerts(): Promise<readonly ReceiverStanding[]>
  /** Sends a test message to every receiver, once. Never rejects. */
  testAlerts(): Promise<{ readonly isDone: boolean; readonly text: string }>
  /** Someone looked at data of persons. */
  noteRead(read: NotedRead): void
}
