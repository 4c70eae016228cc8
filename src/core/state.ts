// What the inside asks of the state: runs, inputs and their staging, the journal of operations, links, rejects.
// Methods that change several things do so in one transaction, durable when the promise is fulfilled.
import type { MappingStore } from './mapping-store.ts'
import type { Milestones } from './log/milestones.ts'
import type { Backlog } from './outcome/backlog.ts'
import type { Accepted, AcceptedStore } from './change/accepted.ts'
import type { AlertStore } from './alerts/alert-store.ts'
import type { AuditEntry } from './log/audit.ts'
import type { DueStore, PauseStore } from './outcome/daemon.ts'
import type { TombstoneStore } from './erasing.ts'
import type { Desired, Known } from './change/diff.ts'
import type { ErrorCode } from './words/errors.ts'
import type { BlockStore } from './change/settled-blocks.ts'
import type { DefinitionStore } from './definition-store.ts'
import type { GuardName, Hold, PlanNumbers } from './change/guard.ts'
import type { LinkedOperation, Operation, Settled, Settlement, StagedOperation } from './change/operation.ts'
import type { OtherRecords } from './other-records.ts'
import type { RejectRow, RequestTrace, SourceInput } from './ports.ts'
import type { PermissionStore } from './change/permission.ts'
import type { DateOrderStore } from './mapping/values/date-order.ts'
import type { Provenance, RecordRow } from './mapping/record.ts'
import type { HouseholdStore } from './change/resolution.ts'
import type { RetentionStore } from './retention.ts'
import type { Counts, RunStatus } from './outcome/summary.ts'
import type { Contact } from './mapping/contact.ts'
import type { SyncLog } from './log/sync-log.ts'
import type { TermNameStore, TermPlan } from './mapping/terms.ts'

export interface RunRecord {
  readonly id: string
  readonly pipeline: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number | undefined
  /** Undefined while it runs, and for a run that was killed. */
  readonly status: RunStatus | undefined
  readonly counts: Counts | undefined
  readonly error: string | undefined
  /** Why it was given up; undefined where it was not, where a signal ended it, and for runs of older versions. */
  readonly code: ErrorCode | undefined
  /** How often it met something at the service that others had changed. */
  readonly drift: number
  /** Files, or a folder, that could not be taken. */
  readonly refused: number
}

/** How a run ended, as it is kept. */
export interface RunEnd {
  readonly endedAt: number
  readonly status: RunStatus
  readonly counts: Counts
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

/** A record as it stands in its input; kept with whatever is staged for it, so that a reject can be given back. */
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
}

/** When a record that is missing in a full input has gone, and what is done about it then. */
export interface MissingRules {
  readonly onMissing: 'remove_terms' | 'delete'
  readonly termPolicy: 'add' | 'managed' | 'replace'
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
  /** Changes held then, and how many of them are still as they were. */
  readonly number: number
  readonly left: number
  readonly threshold: string
  readonly reason: string
  readonly configHash: string
  readonly heldAt: number
  readonly releasedAt: number | undefined
}

/** Guards and what they held. */
export interface HoldStore {
  /** What the guards judge; `read` is counted by the reader. What was released in the same form is not in it. */
  planNumbers(staged: StagedInput): Promise<Omit<PlanNumbers, 'read' | 'newTerms'>>
  /** Names of terms that the plan would give to somebody, each once; at most so many. */
  termsToGive(staged: StagedInput, limit: number): Promise<readonly string[]>
  /** Holds what is planned of the input (or its deletes alone); how many records and how many deletes that are. */
  holdPlan(
    staged: StagedInput,
    hold: Hold,
    context: { at: number; configHash: string },
  ): Promise<{ records: number; deletes: number }>
  heldPlans(pipelines: readonly string[]): Promise<readonly HeldPlan[]>
  release(runId: string, at: number): Promise<void>
  /** How many released changes wait for the next run. */
  released(pipeline: string): Promise<number>
  releasedRecords(pipeline: string, limit: number): Promise<readonly Operation[]>
  /**
   * Plans the released deletes for this run, but for those whose record is back; how many. `missing`: also those of records
   * that have gone, and not only those that undo a creation.
   */
  takeReleasedDeletes(pipeline: string, runId: string, which: { missing: boolean }): Promise<number>
}

/** What a record was that a later one of its key replaced. */
export interface Unstaged {
  readonly was: 'created' | 'updated' | 'in_doubt' | 'held' | 'unchanged'
  /** Terms that it would have given; undefined where it changed none. */
  readonly terms: TermPlan | undefined
}

/** Reading and planning one input. Nothing of it counts before `commitPlan`. */
export interface StagingStore {
  beginInput(input: {
    runId: string
    pipeline: string
    input: SourceInput
    header: readonly string[]
  }): Promise<StagedInput>
  /** The link of each record that is settled in just this form, in the order given; none for an empty text. */
  matchFingerprints(
    staged: StagedInput,
    fingerprints: readonly string[],
  ): Promise<readonly (number | undefined)[]>
  known(pipeline: string, keys: readonly string[]): Promise<readonly Known[]>
  /** The fingerprints of the form in which records of these keys were passed over last; undefined where they were not. */
  passed(pipeline: string, keys: readonly string[]): Promise<readonly (string | undefined)[]>
  /**
   * Notes who is in the input, in its order (undefined: nobody knows); gives the line of an earlier record of the same
   * identity. `last` then notes the later line instead.
   */
  claim(
    staged: StagedInput,
    identities: readonly (Identity | undefined)[],
    keep: 'first' | 'last',
  ): Promise<readonly (number | undefined)[]>
  stage(staged: StagedInput, entries: readonly StagedEntry[]): Promise<void>
  /** Takes back what was staged for these records; says what each was, and which terms it would have given. */
  unstage(
    staged: StagedInput,
    records: readonly { readonly line: number; readonly key: string | undefined }[],
  ): Promise<readonly Unstaged[]>
  /**
   * Rejected records of a key of which another record of the input was accepted. Under `last` those before it are
   * passed over: dropped, and counted by the result. All others cannot be retried: they would go over what was accepted.
   */
  yieldRejects(staged: StagedInput, keep: 'first' | 'last'): Promise<number>
  /** Holds creates whose mail another key of the pipeline has, or another create of the plan, with the reason; how many. */
  holdSharedMails(staged: StagedInput): Promise<number>
  /** Notes keys of records that are skipped or rejected: they are still there, and claim nothing. */
  seeSkipped(staged: StagedInput, keys: readonly string[]): Promise<void>
  /** Plans the deletes (or the withdrawal of terms) of links that a full input lacks; how many. */
  stageMissing(staged: StagedInput, rules: MissingRules): Promise<number>
  /**
   * From here on the plan stands, whatever happens to the process. Rejects become visible. `full`: what the input
   * lacks is counted as missing, and what is still open about it from earlier inputs is dropped.
   */
  commitPlan(
    staged: StagedInput,
    sha256: string,
    full?: Pick<MissingRules, 'apartMs' | 'at'> & { readonly isLast: boolean },
  ): Promise<void>
  discardInput(staged: StagedInput): Promise<void>
}

/** A term that is being given or taken; `ours`: it will have been this program that gave it. */
export interface TermMark {
  readonly name: string
  readonly ours: boolean
}

export interface Replanned {
  readonly operation: Operation
  readonly next: StagedOperation | { readonly state: 'settled' }
}

/** Planned operations by their steps: one may be counted under several. */
export interface PlanTotals {
  readonly operations: number
  readonly createsWithMail: number
  readonly createsWithoutMail: number
  readonly updates: number
  readonly termAdditions: number
  readonly termRemovals: number
  readonly consents: number
  /** Of mail_status: those of 1 or 2, which `consents` does not count. */
  readonly withdrawals: number
  readonly deletes: number
}

/** The journal. */
export interface OperationStore extends OtherRecords {
  planTotals(runId: string): Promise<PlanTotals>
  /** Names of terms that the plan of a run gives, each once; at most so many. */
  termsPlanned(runId: string, limit: number): Promise<readonly string[]>
  /** Planned operations of a run in the order of sending, after the one given. A step that is done may plan the next. */
  planned(runId: string, after: Operation | undefined, limit: number): Promise<readonly Operation[]>
  /**
   * Durable before the promise is fulfilled: only then may the request leave. What it is about to change at a linked
   * contact (the fields of an update, the `terms` given or taken) is unsure until its outcome is settled.
   */
  markSending(operations: readonly Operation[], terms?: readonly TermMark[]): Promise<void>
  /**
   * Outcome, known state, rejects and audit entry, in one transaction. Gives the settlements as they were taken:
   * one that is done becomes held when another key of the pipeline already has that contact.
   */
  settle(
    settled: readonly Settled[],
    context: { at: number; runId: string; configHash: string },
  ): Promise<readonly Settlement[]>
  /** What is held, oldest first; of these pipelines. */
  held(pipelines: readonly string[]): AsyncIterable<Operation>
  /** Adds an entry to the sync log about a change that is not one contact's. */
  note(entry: AuditEntry): Promise<void>
  /** Enters into the sync log that an update reached another contact of its mail; further ones of its link go by id. */
  noteAstray(
    astray: {
      readonly operation: LinkedOperation
      readonly sent: Contact
      readonly request: RequestTrace
      readonly reached: number
    },
    context: { at: number; runId: string; configHash: string },
  ): Promise<void>
  doubts(pipeline: string): Promise<readonly Operation[]>
  /** For a list beside a run: also what is on its way. */
  openDoubts(pipeline: string): Promise<readonly Operation[]>
  /**
   * After a crash: creates that were on their way are in doubt from now on; updates, which only set values, and what was
   * not sent and has no input to come back with, are tried again by themselves. How many are in doubt now.
   */
  reopen(pipeline: string, at: number): Promise<number>
  unfinishedInputs(pipeline: string): Promise<readonly StagedInput[]>
  /** Takes back what was not sent of an input that will be read again. */
  dropUnsent(staged: StagedInput): Promise<void>
  /** What was not sent of an input that is no longer there is tried again by itself. */
  keepUnsent(staged: StagedInput): Promise<void>
  /** `accepted`: the next input of the pipeline is compared with this one. */
  finishInput(staged: StagedInput, state: 'processed' | 'failed', accepted?: Accepted): Promise<void>
  /** Of what is open about a key only the newest counts: what was given up or waited before it is dropped. */
  dropOvertaken(pipeline: string): Promise<void>
  /** Failed and waiting operations, oldest first, after the id given. */
  retriable(pipeline: string, afterId: number, limit: number): Promise<readonly Operation[]>
  /** Operations of this run that still wait behind a doubt. */
  waiting(runId: string): Promise<readonly Operation[]>
  /** Gives retriable operations their new form in this run, or ends them where nothing is left to do. */
  replan(runId: string, replanned: readonly Replanned[]): Promise<void>
  countRemaining(runId: string): Promise<number>
}

export interface RunStore {
  beginRun(run: { id: string; pipeline: string; startedAt: number; configHash: string }): Promise<void>
  endRun(runId: string, end: RunEnd): Promise<void>
  lastRun(pipeline: string): Promise<RunRecord | undefined>
  run(id: string): Promise<RunRecord | undefined>
  /** The highest contact id that was known when the run began; 0 where nobody knows, as for runs of older versions. */
  highestContactBefore(runId: string): Promise<number>
  milestones(pipeline: string): Promise<Milestones>
  /** As the state has it; `currentBacklog` says what it means. */
  backlog(pipeline: string): Promise<Backlog>
}

export interface RejectStore {
  /** Oldest first; of one pipeline or all. */
  rejects(pipelines: readonly string[] | undefined): AsyncIterable<RejectEntry>
  hasRejects(staged: StagedInput): Promise<boolean>
  rejectsOfInput(staged: StagedInput): AsyncIterable<RejectRow>
}

/** Which state this is: a random name, made with it. */
export interface InstanceStore {
  instance(): Promise<string>
}

export interface FoundContact {
  readonly pipeline: string
  readonly key: string
  readonly contactId: number
  /** What the service shows of it: the next run sends what differs. */
  readonly known: Contact
  /** The create of the record, where one was open. */
  readonly operationId: number | undefined
  readonly entry: AuditEntry
}

/** Linking anew what a lost or an older state no longer knows. */
export interface RebuildStore {
  /** Creates without a contact that are open in any way, oldest first. */
  openCreates(pipeline: string): Promise<readonly Operation[]>
  /** False, and nothing done, where another key of the pipeline has the contact. */
  linkFound(found: FoundContact): Promise<boolean>
  /** In doubt from now on, for a person to settle: never looked up or sent by itself. */
  leaveToPerson(
    which: { readonly operation: number } | { readonly input: number; readonly line: number },
    reason: string,
    entry: AuditEntry,
  ): Promise<void>
}

export interface StateStore
  extends
    StagingStore,
    BlockStore,
    OperationStore,
    HoldStore,
    AcceptedStore,
    RunStore,
    DueStore,
    PauseStore,
    RejectStore,
    RetentionStore,
    DefinitionStore,
    RebuildStore,
    AlertStore,
    SyncLog,
    TombstoneStore,
    PermissionStore,
    DateOrderStore,
    InstanceStore,
    MappingStore,
    TermNameStore,
    HouseholdStore {
  close(): Promise<void>
}
