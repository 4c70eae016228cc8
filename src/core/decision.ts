// What a person decides about the program and its state: as data, so that the owner of the state can take it for another
// process, and so that one that was interrupted is taken whole or not at all.
import type { DroppedCorrection, NewCorrection } from './change/others/correction.ts'
import type { Subject } from './erasing.ts'
import type { AuditEntry } from './log/audit.ts'
import type { DateOrders } from './mapping/values/dates/date-order.ts'
import type { StagedInput } from './state.ts'
import { momentText } from './words/format.ts'
import type { DecidedBy } from './words/decided-by.ts'

/** As it travels and as it is written down. `args` are JSON, in the form of its kind. */
export interface Decision {
  readonly kind: string
  readonly args: unknown
  readonly decided: DecidedBy
}

/** One that is written down and was not concluded. */
export interface OpenDecision extends Decision {
  readonly id: number
  readonly askedAt: number
}

/** A held change that is not planned again as long as its record, or its absence, stays as it is. */
export interface Dropped {
  readonly operation: number
  readonly pipeline: string
  readonly key: string
  readonly cause: 'record' | 'missing'
  /** Of the change (core/change/waiting/dropped.ts); undefined where nothing asks for it again. */
  readonly print: string | undefined
}

/** A held change that an approver releases. */
export interface ApprovedChange {
  readonly operation: number
  readonly pipeline: string
  readonly key: string
  /** Of its form (core/change/waiting/approval.ts). */
  readonly print: string
  /** Under which settings of the pipeline it goes now; undefined while others have to release it as well. */
  readonly releasedUnder: string | undefined
}

/** Why a pipeline sends nothing; `since` in milliseconds since the epoch. */
export interface PipelinePause {
  readonly pipeline: string
  readonly since: number
  readonly by: string
  readonly reason: string | undefined
}

/** `paused since 2026-11-23 08:15 UTC by anna: wrong export` */
export const pausedText = ({ since, by, reason }: PipelinePause): string =>
  `paused since ${momentText(since)} by ${by}${reason === undefined ? '' : `: ${reason}`}`

/** The same, with what it means and how it ends. */
export const pipelinePauseText = (pause: PipelinePause): string =>
  `${pausedText(pause)}; it sends nothing. To let it run again: contact-sync resume ${pause.pipeline}`

/**
 * What guards held in a run; `keys`: of these records alone, and of the pipeline where one is named. What needs approvals is left
 * out.
 */
export interface Release {
  readonly run: string
  readonly keys?: readonly string[] | undefined
  readonly pipeline?: string | undefined
}

/** What a decision changes in the state. */
export type Effect =
  | ({ readonly do: 'release' } & Release)
  | {
      readonly do: 'approve'
      readonly run: string
      readonly by: string
      readonly approved: readonly ApprovedChange[]
    }
  | { readonly do: 'drop'; readonly dropped: readonly Dropped[] }
  | { readonly do: 'correct'; readonly corrections: readonly NewCorrection[] }
  | {
      readonly do: 'drop_corrections'
      readonly corrections: readonly DroppedCorrection[]
      readonly why: string
    }
  | { readonly do: 'pause'; readonly pauses: readonly PipelinePause[] }
  | { readonly do: 'resume'; readonly pipelines: readonly string[] }
  | {
      readonly do: 'release_edits'
      readonly pipeline: string
      readonly key: string
      readonly field?: string | undefined
    }
  /** A plan of which everything is held counts from now on. */
  | { readonly do: 'hold'; readonly staged: StagedInput }
  /** Persons who were erased may come again. */
  | { readonly do: 'readmit'; readonly named: Pick<Subject, 'keys' | 'mails'> }
  /** The state belongs to the service at this address. */
  | { readonly do: 'bind'; readonly address: string }
  | { readonly do: 'keep_date_orders'; readonly pipeline: string; readonly orders: DateOrders }

export interface Conclusion {
  readonly at: number
  readonly effects?: readonly Effect[]
  readonly entries?: readonly AuditEntry[]
}

export interface DecisionStore {
  /** Writes it down before anything is done; gives its number. */
  beginDecision(decision: Decision, at: number): Promise<number>
  /** Effects, entries in the sync log and the end of the decision, in one transaction. */
  concludeDecision(id: number, conclusion: Conclusion): Promise<void>
  /** What an owner that was killed left behind, oldest first. */
  openDecisions(): Promise<readonly OpenDecision[]>
  /** By name of the pipeline. */
  pausedPipelines(): Promise<readonly PipelinePause[]>
}
