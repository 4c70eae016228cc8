// What the state is about, and all that the program asks of it: a run (run-state.ts), lists and reports, and what is remembered
// besides. Methods that change several things do so in one transaction, durable when the promise is fulfilled.
import type { Milestones } from './log/milestones.ts'
import type { Backlog } from './outcome/backlog.ts'
import type { AuditEntry } from './log/audit.ts'
import type { Desired } from './change/diff.ts'
import type { ErrorCode } from './words/errors.ts'
import type { GuardName, PlanNumbers } from './change/waiting/guard.ts'
import type { Operation, StagedOperation } from './change/operation.ts'
import type { NotSent } from './change/plan/left-out.ts'
import type { RejectRow, SourceInput } from './ports.ts'
import type { Provenance, RecordRow } from './mapping/record.ts'
import type { Counts, RunStatus } from './outcome/summary.ts'
import type { Contact } from './mapping/contact.ts'
import type { TermPlan } from './mapping/terms.ts'

export interface RunRecord {
  readonly id: string
  readonly pipeline: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number | undefined
  /** Undefined while it runs, and for a run that was killed. */
  readonly status: RunStatus | undefined
  readonly counts: Counts | undefined
  /** Undefined while it runs, and for runs of older versions and rebuilds. */
  readonly notSent?: NotSent | undefined
  readonly error: string | undefined
  /** Why it failed; undefined where it did not, where a signal ended it, and for runs of older versions. */
  readonly code: ErrorCode | undefined
  /** How often it met something at the service that others had changed. */
  readonly drift: number
  /** Files, or a folder, that could not be taken. */
  readonly refused: number
}

/** How a run ended, as it is kept. */
/** What is kept of a run beside its counts, for the plots of the console. */
export interface RunFigures {
  readonly requests: number
  /** The longest time from the writing of a file to the outcome of its last change; undefined: no file was processed. */
  readonly fileMs: number | undefined
}

export interface RunEnd {
  readonly figures?: RunFigures
  readonly endedAt: number
  readonly status: RunStatus
  readonly counts: Counts
  readonly notSent?: NotSent
  readonly error: string | undefined
  readonly code: ErrorCode | undefined
  readonly drift: number
  /** Files that had arrived, whether or not they could be taken. */
  readonly files: number
  readonly refused: number
  /** One of the files that were refused. */
  readonly refusedFile?: { readonly file: string; readonly code?: ErrorCode } | undefined
}

/** The input that is being staged, or that waits to be finished. */
export interface StagedInput {
  readonly id: number
  readonly runId: string
  readonly pipeline: string
  readonly input: SourceInput
  readonly header: readonly string[]
}

/** A record as it is in its input; kept with whatever is staged for it, so that a reject can be exported as received. */
export interface StagedRecord {
  readonly source: Provenance
  readonly values: readonly string[]
  readonly text: string | undefined
  /** Where it was made of several: all of them. */
  readonly rows?: readonly RecordRow[]
  readonly fingerprint: string
}

/** What is staged of a record. */
export type StagedBody =
  | {
      readonly kind: 'operation'
      readonly key: string
      readonly desired: Desired
      readonly operation: StagedOperation
    }
  | {
      readonly kind: 'rejected'
      readonly key: string | undefined
      readonly code: ErrorCode
      readonly reason: string
    }
  /** `writes` leaves it alone in this form. */
  | { readonly kind: 'passed'; readonly key: string }
  /** Mapped, compared and found to be what was pushed: only the fingerprint is new. */
  | { readonly kind: 'unchanged'; readonly linkId: number }

/** What one batch of records adds to the plan. */
export type StagedEntry = { readonly record: StagedRecord } & StagedBody

/** Who a record is: by its link where there is one, else by its key. */
export type Identity =
  { readonly linkId: number; readonly line: number } | { readonly key: string; readonly line: number }

export interface RejectEntry extends RejectRow {
  readonly id: number
  readonly pipeline: string
  readonly code: ErrorCode
  readonly key: string | undefined
  readonly header: readonly string[]
  /** What it was read from; `sha256` is blank where that is not known. */
  readonly input: { readonly id: number; readonly name: string; readonly sha256: string }
}

/** When a record that is missing in a full input has gone, and what is done about it then. */
export interface MissingRules {
  readonly onMissing: 'remove_terms' | 'delete'
  /** Whether what has gone loses all terms that its record asserted, those that were at the contact before among them. */
  readonly takesAllTerms: boolean
  readonly missingIn: number
  readonly apartMs: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A plan, or its deletes, that a guard held back. */
export interface HeldPlan {
  readonly runId: string
  readonly pipeline: string
  readonly guard: GuardName
  /** Changes held then, without those that a person has decided about one by one, and how many of them are still as they were. */
  readonly number: number
  readonly left: number
  /** Changes released one by one that were not sent yet. */
  readonly ready: number
  readonly threshold: string
  readonly reason: string
  readonly configHash: string
  readonly heldAt: number
  /** How many approvers must release its changes: the most that one of them needs. */
  readonly needed: number
  /** Changes that approvers must release, and have not yet: a rule may name only some of a plan. */
  readonly toApprove: number
  /** Whose approval counts for at least one of its changes as they are now; some of them wait for others. Empty where not asked. */
  readonly approvedBy: readonly string[]
  readonly releasedAt: number | undefined
}

/** What an approval has to fit to count now. */
export interface ApprovalTerms {
  /** Users who may approve. */
  readonly approvers: readonly string[]
  /** By pipeline: the hash of its settings. */
  readonly settings: Readonly<Record<string, string>>
}

/** One form of a change that an approver released (core/change/waiting/approval.ts). */
export interface Approval {
  readonly key: string
  readonly print: string
  readonly by: string
}

/** What a record was that a later one of its key replaced. */
export interface Unstaged {
  readonly was: 'created' | 'updated' | 'in_doubt' | 'held' | 'unchanged'
  /** Terms that it would have given; undefined where it changed none. */
  readonly terms: TermPlan | undefined
  /** Why it was held. */
  readonly reason?: string
}

/** A term that is being given or taken; `ours`: it will have been this program that gave it. */
export interface TermMark {
  readonly name: string
  readonly ours: boolean
}

export interface Replanned {
  readonly operation: Operation
  /** What its record may write by now; absent where that is as it was planned. */
  readonly desired?: Contact
  readonly next: StagedOperation | { readonly state: 'settled' }
}

/** Planned operations by their steps: one may be counted under several. */
export interface PlanTotals {
  /** Names of terms that are given. */
  readonly terms: readonly string[]
  readonly operations: number
  readonly createsWithMail: number
  readonly createsWithoutMail: number
  readonly updates: number
  readonly termAdditions: number
  readonly termRemovals: number
  readonly termChanges: number
  readonly termsOfCreates: number
  readonly consents: number
  /** Of mail_status: those of 1 or 2, which `consents` does not count. */
  readonly withdrawals: number
  readonly deletes: number
}

/** Which state this is: a random name, made with it. */
export interface InstanceStore {
  instance(): Promise<string>
}

export interface FormerNameStore {
  /** What the pipeline was called before it was renamed. */
  formerNames(pipeline: string): Promise<readonly string[]>
}

export interface FoundContact {
  readonly pipeline: string
  readonly key: string
  readonly contactId: number
  /** What the service shows of it: the next run sends what differs. */
  readonly known: Contact
  /** The creates of the record that are open: they are compared again. */
  readonly operationIds: readonly number[]
  readonly entry: AuditEntry
}

/** By what a row of a file of corrected rejects names the reject that it was; a blank reason stands for any. */
export interface RejectPlace {
  readonly file: string
  readonly line: number
  readonly reason: string
  /** What it says now, by column: it tells the rejects of one place apart. */
  readonly values: Readonly<Record<string, string>>
}

/** A reject that a row of a file of corrected rejects may have been. */
export interface FormerReject {
  readonly code: ErrorCode
  readonly key: string
}

/** What can be told only after the last record of an input. */
export interface StagingRules {
  /**
   * Set: rejected records of a key of which another record of the input was accepted give way. Under `last` those before it
   * are passed over: dropped, and counted by the result. All others cannot be retried: they would go over what was accepted.
   */
  readonly yieldRejects?: 'first' | 'last' | undefined
  /** Holds creates whose mail another key of the pipeline has, or another create of the plan, with the reason. */
  readonly holdSharedMails?: boolean
  /** Those of an address of which one is to be made with a mail_status of 1 or 2 are all made with the lowest of them. */
  readonly lowerWithinAddress?: boolean
  /** Plans the deletes (or the withdrawal of terms) of links that a full input lacks. */
  readonly missing?: MissingRules | undefined
}

/** What guards judge of an input; `read` is counted by the reader. What was released in the same form is in `released` alone. */
export interface InputNumbers extends Omit<PlanNumbers, 'read' | 'newTerms'> {
  readonly released: {
    readonly changes: number
    readonly deletes: number
    readonly terms: readonly string[]
  }
  readonly terms: readonly string[]
}

/** Restoring links that a lost or an older state lacks. */
export interface RebuildStore {
  /** Creates without a contact that are open in any way, oldest first. */
  openCreates(pipeline: string): Promise<readonly Operation[]>
  /** False, and nothing done, where another key of the pipeline has the contact. */
  linkFound(found: FoundContact): Promise<boolean>
  /** In doubt from now on, for an operator to settle: never looked up or sent automatically. */
  leaveToPerson(
    which: { readonly operation: number } | { readonly input: number; readonly line: number },
    reason: string,
    entry: AuditEntry,
  ): Promise<void>
}

/** What lists and reports read beside a run. */
export interface StateLists {
  lastRun(pipeline: string): Promise<RunRecord | undefined>
  /** `requests`: all that it sent, retries included; undefined while it runs, and for runs of older versions. */
  run(id: string): Promise<(RunRecord & { readonly requests: number | undefined }) | undefined>
  /** The highest contact id that was known when the run started; 0 where it is unknown, as for runs of older versions. */
  highestContactBefore(runId: string): Promise<number>
  milestones(pipeline: string): Promise<Milestones>
  /** Keys of the pipeline that have a contact, in their order, after the one given. */
  linkedKeys(
    pipeline: string,
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<readonly string[]>
  /** As the state has it; `currentBacklog` says what it means. */
  backlog(pipeline: string): Promise<Backlog>
  /** `counting`: where the approvals given so far are asked for. */
  heldPlans(pipelines: readonly string[], counting?: ApprovalTerms): Promise<readonly HeldPlan[]>
  /** How many released changes wait for the next run. */
  released(pipeline: string): Promise<number>
  /** What is held, oldest first; of these pipelines. */
  held(pipelines: readonly string[]): AsyncIterable<Operation>
  /** What approvers have released of these records so far. */
  approvals(pipeline: string, keys: readonly string[]): Promise<readonly Approval[]>
  /** What approvers have released of this run. */
  approvalsIn(runId: string): Promise<readonly Approval[]>
  /** What is in doubt, and, beside a run, what is on its way. */
  openDoubts(pipeline: string): Promise<readonly Operation[]>
  /** Oldest first; of these pipelines or all, and of one input alone where its number is given. */
  rejects(pipelines: readonly string[] | undefined, input?: number): AsyncIterable<RejectEntry>
}

/** What an operator decides about what is held. */
export interface ReleaseStore {
  release(runId: string, at: number): Promise<void>
}
