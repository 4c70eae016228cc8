// What a run asks of the state, in the order in which it asks: reading an input, its plan, sending, what is left open. Every
// question takes a batch, and may be answered from another machine. What changes several things does so in one transaction,
// durable when the promise is fulfilled. test/contracts/state.ts holds every implementation to it.
import type { Accepted } from './change/accepted.ts'
import type { DecidedBy } from './words/decided-by.ts'
import type { Known } from './change/diff.ts'
import type { CorrectionFinding } from './change/others/correction.ts'
import type { RecordAsks } from './change/waiting/brake.ts'
import type { RequiredApproval } from './change/waiting/approval.ts'
import type { GuardName, Hold } from './change/waiting/guard.ts'
import type { LinkedOperation, Operation, Settled, Settlement } from './change/operation.ts'
import type { AuditEntry } from './log/audit.ts'
import type { Contact } from './mapping/contact.ts'
import type { RejectRow, RequestTrace, SourceInput } from './ports.ts'
import type {
  Identity,
  InputNumbers,
  PlanTotals,
  FormerReject,
  RejectPlace,
  Replanned,
  RunEnd,
  StagedEntry,
  StagedInput,
  StagingRules,
  TermMark,
  Unstaged,
} from './state.ts'
import type { PipelineApprovals } from './settings.ts'

/** What is entered into the sync log beside a change: when, by which run, under which configuration. */
export interface EntryContext {
  readonly at: number
  readonly runId: string
  readonly configHash: string
  /** Of what a person decided. */
  readonly decided?: DecidedBy | undefined
}

/** Changes that a run resumes. in_doubt: to be looked up. failed: given up before. released: by an operator. */
export type LeftOpen = 'in_doubt' | 'failed' | 'waiting' | 'released'

export interface InputEnd {
  /** unread: it will be read again, so its unsent changes are dropped. vanished: its unsent changes are retried automatically. */
  readonly as: 'processed' | 'failed' | 'unread' | 'vanished'
  /** Of one that is processed: the next input of the pipeline is compared with it. */
  readonly accepted?: Accepted | undefined
  /** It could not be moved: a later run only moves it. */
  readonly unmoved?: Omit<Unmoved, 'staged' | 'folder'> | undefined
}

/** An input that is done with, and still lies where it was dropped. */
export interface Unmoved {
  readonly staged: StagedInput
  readonly folder: 'processed' | 'failed'
  /** Of what was read. */
  readonly sha256: string
  /** Whether its rejects have been written. */
  readonly hasRejects: boolean
}

/** What a request is about to do, beside its steps. */
export interface AboutTo {
  /** Terms that it gives or takes away. */
  readonly terms?: readonly TermMark[] | undefined
  /** Values that it brings to a contact, whose answer may be lost. */
  readonly attempt?: { readonly contactId: number; readonly fields: Contact } | undefined
}

/** What is about to leave together. */
export interface Marking extends AboutTo {
  readonly operations: readonly Operation[]
}

/** Steps that have ended. */
export interface EndedBatch {
  readonly settled: readonly Settled[]
  readonly context: EntryContext
}

export interface RunState {
  beginRun(run: { id: string; pipeline: string; startedAt: number; configHash: string }): Promise<void>
  endRun(runId: string, end: RunEnd): Promise<void>

  /**
   * Notes that an input is about to be opened and read, durably; how often that was noted before and not ended: the process
   * ended each time. `version`: of the input, within its pipeline.
   */
  beginReading(pipeline: string, version: string): Promise<number>
  /** It was read, or refused with a reason. */
  endReading(pipeline: string, version: string): Promise<void>
  /** Begins to stage what is read of an input. Nothing of it counts before `commitPlan`. */
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
  /**
   * Records which keys are in the input, in its order (undefined: unknown); gives the line of an earlier record of the same
   * identity. `last` then notes the later line instead.
   */
  claim(
    staged: StagedInput,
    identities: readonly (Identity | undefined)[],
    keep: 'first' | 'last',
  ): Promise<readonly (number | undefined)[]>
  /**
   * `present`: keys of records that are skipped or rejected: they are still there, and claim nothing. `dropped`: of those that
   * an operator dropped in just this form.
   */
  stageBatch(
    staged: StagedInput,
    batch: {
      readonly entries: readonly StagedEntry[]
      readonly present?: readonly string[]
      readonly dropped?: readonly string[]
      /** Terms of brakes that the records ask for, or not any more. */
      readonly asks?: readonly RecordAsks[]
      /** Rejects of earlier inputs that the records replace, whatever becomes of them: over with `commitPlan`. */
      readonly reread?: readonly RejectPlace[]
      /** What the records say about corrections, at that time (milliseconds since the epoch). */
      readonly corrections?:
        { readonly at: number; readonly findings: readonly CorrectionFinding[] } | undefined
    },
  ): Promise<void>
  /**
   * The rejects of earlier inputs on the place of each row, as far as they have a key: those with the row's key, or, where none
   * has it, all of them.
   */
  rejectsAt(
    staged: StagedInput,
    rows: readonly { readonly place: RejectPlace; readonly key: string }[],
  ): Promise<readonly (readonly FormerReject[])[]>
  /**
   * Takes back what was staged for these records; says what each was, and which terms it would have given. The line alone
   * names none: a file may have all of its records on one line.
   */
  unstage(
    staged: StagedInput,
    records: readonly { readonly line: number; readonly key: string }[],
  ): Promise<readonly Unstaged[]>
  /** What can be told only after the last record; how many rejects give way, and how many creates are held. */
  completeStaging(
    staged: StagedInput,
    rules: StagingRules,
  ): Promise<{ readonly yielded: number; readonly sharedMails: number }>

  /** What the guards judge; names of terms that the plan would give, each once, at most so many. */
  inputNumbers(staged: StagedInput, terms?: number): Promise<InputNumbers>
  /** Holds what is planned of the input (or its deletes alone); how many records and how many deletes that are. */
  holdPlan(
    staged: StagedInput,
    hold: Hold,
    context: { at: number; configHash: string },
  ): Promise<{ records: number; deletes: number }>
  /**
   * Holds what has to be approved of the input, and notes how many approvals each of its held changes needs. How many records
   * and how many deletes are held by it; those that a guard holds anyway do not count.
   */
  holdForApproval(
    staged: StagedInput,
    required: readonly RequiredApproval[],
    context: { at: number; configHash: string },
  ): Promise<{ records: number; deletes: number }>
  /**
   * What approvers released under other settings waits again, as does what too few of those released who are approvers now. How many
   * changes that are.
   */
  withdrawReleases(
    pipeline: string,
    now: Pick<PipelineApprovals, 'settings' | 'approvers'> | undefined,
  ): Promise<number>
  /**
   * From here on the plan stands, whatever happens to the process. Rejects become visible. `full`: what the input
   * lacks is counted as missing, and what is still open about it from earlier inputs is dropped.
   */
  commitPlan(
    staged: StagedInput,
    sha256: string,
    full?: { readonly apartMs: number; readonly at: number; readonly isLast: boolean },
  ): Promise<void>
  discardInput(staged: StagedInput): Promise<void>

  /** What a run has planned; names of terms that it gives, each once, at most so many. */
  planTotals(runId: string, terms?: number): Promise<PlanTotals>
  /** Planned operations of a run in the order of sending, after the one given. A step that is done may plan the next. */
  takeToSend(runId: string, after: Operation | undefined, limit: number): Promise<readonly Operation[]>
  /**
   * Durable before the promise is fulfilled: only then may the request leave. What it is about to change at a linked
   * contact (the fields of an update, the terms given or taken) is unsure until its outcome is settled.
   */
  markSending(operations: readonly Operation[], about?: AboutTo): Promise<void>
  /**
   * Outcome, known state, rejects and audit entry, in one transaction. Gives the settlements as they were taken:
   * one that is done becomes held when another key of the pipeline already has that contact.
   */
  settleBatch(settled: readonly Settled[], context: EntryContext): Promise<readonly Settlement[]>
  /** Each of `marks` as by `markSending` and what has ended as by `settleBatch`, in one transaction. */
  markAndSettle(marks: readonly Marking[], ended: EndedBatch | undefined): Promise<readonly Settlement[]>
  /** Enters into the sync log that an update reached another contact of its mail; further ones of its link go by id. */
  noteAstray(
    astray: {
      readonly operation: LinkedOperation
      readonly sent: Contact
      readonly request: RequestTrace
      readonly reached: number
    },
    context: EntryContext,
  ): Promise<void>
  /** Adds an entry to the sync log about a change that is not one contact's. */
  note(entry: AuditEntry): Promise<void>

  rejectsOfInput(staged: StagedInput): AsyncIterable<RejectRow>
  /** One that is processed moves the cursor that it brought, in the same transaction. */
  endInput(staged: StagedInput, end: InputEnd): Promise<void>
  unfinishedInputs(pipeline: string): Promise<readonly StagedInput[]>
  /** Inputs that are only to be moved, oldest first. */
  unmovedInputs(pipeline: string): Promise<readonly Unmoved[]>
  /** It was moved, or another one has taken its place. */
  endUnmoved(staged: StagedInput): Promise<void>
  /**
   * After a crash: creates that were on their way are in doubt from now on; updates, which only set values, and what was
   * not sent and has no input to be read from again, are retried automatically. How many are in doubt now.
   */
  reopen(pipeline: string, at: number): Promise<number>
  /**
   * What is left open, oldest first; `waiting` of one run alone. Of what is open about a key only the newest counts: what was
   * given up, waited or was held before it is dropped first, but for doubts. Pages: after the id given, at most so many.
   */
  leftOpen(
    which: LeftOpen,
    pipeline: string,
    of?: { readonly runId?: string; readonly after?: number; readonly limit?: number },
  ): Promise<readonly Operation[]>
  /** Gives operations that were left open their new form in this run, or ends them where nothing is left to do. */
  replan(runId: string, replanned: readonly Replanned[]): Promise<void>
  /**
   * Plans the released deletes for this run, and those that an earlier one gave up, but for those whose record is back. Returns
   * how many of them this run had held itself, by guard. `missing`: also those of records that have gone, and not only those that undo a creation. `deletes`: what was given up may
   * delete a contact, and not only take terms from it.
   */
  takeReleasedDeletes(
    pipeline: string,
    runId: string,
    which: { missing: boolean; deletes: boolean },
  ): Promise<readonly { readonly guard: GuardName; readonly deletes: number }[]>
  /** Records of a run that have no outcome yet. */
  countRemaining(runId: string): Promise<number>
  /** Which of these records have none. */
  remainingOf(runId: string, keys: readonly string[]): Promise<readonly string[]>
}
