// What can be looked at in the state: the port behind the console. Everything here is plain data that can be handed
// from one thread to another, read by keyset, a page at a time; nothing here changes anything.
import type { DriftRoundStore } from './change/others/drift-rounds.ts'
import type { AlertStore } from './alerts/alert-store.ts'
import type { Correction } from './change/others/correction.ts'
import type { OpenEdit } from './change/others/hand-edits.ts'
import type { ConfigurationView, KeptConfiguration } from './log/configuration-store.ts'
import type { Backlog } from './outcome/backlog.ts'
import type { Contact } from './mapping/contact.ts'
import type { Operation } from './change/operation.ts'
import type { BrakeNumbers, BrakeStanding } from './change/waiting/brake.ts'
import type { ApprovalTerms, HeldPlan, RejectEntry, RunRecord } from './state.ts'
import type { Counts, RunStatus } from './outcome/summary.ts'
import type { AssertedTerm } from './mapping/terms.ts'

/** `next` goes into the next call; undefined on the last page. */
export interface Page<T> {
  readonly rows: readonly T[]
  readonly next: string | undefined
}

/** `from`: the `next` of the page before; undefined for the first one. */
export interface PageRequest {
  readonly from: string | undefined
  readonly limit: number
}

export interface PipelineView {
  readonly pipeline: string
  readonly lastRun: RunRecord | undefined
  readonly backlog: Backlog
  /** Of what is held: released, and sent by the next run. */
  readonly released: number
  /** Fields edited at the service that wait for a release. */
  readonly editsToRelease: number
}

/** What all runs that began on a day did, in UTC. */
export interface DayView {
  /** `2026-11-21` */
  readonly day: string
  readonly runs: number
  readonly counts: Counts
  /** Of runs that have ended. */
  readonly requests: number
  /** The longest time from the writing of a file to its last outcome; undefined: none was processed. */
  readonly fileMs: number | undefined
}

/** A run in a list. */
export interface ListedRun extends RunRecord {
  /** The run that it reverts; undefined: it is no undo. */
  readonly undoes: string | undefined
}

export interface RunFilter {
  readonly pipeline?: string | undefined
  /** unfinished: it runs, or was killed. */
  readonly status?: RunStatus | 'unfinished' | undefined
}

export interface InputView {
  readonly name: string
  readonly bytes: number
  readonly sha256: string | undefined
  readonly state: 'reading' | 'planned' | 'processed' | 'failed'
  /** How many of its records are rejected now: those corrected since are not among them. */
  readonly rejects: number
}

export interface RunView extends ListedRun {
  readonly configHash: string
  /** Of its changes, by where they are in the journal now: what is done has left it. */
  readonly open: Readonly<Partial<Record<Operation['state'], number>>>
}

export interface RejectView {
  readonly id: number
  readonly pipeline: string
  readonly runId: string
  readonly key: string | undefined
  readonly code: string
  readonly reason: string
  readonly file: string
  readonly line: number
  /** The row as it came. A row may have more or fewer values than its header has names. */
  readonly columns: readonly { readonly name: string; readonly value: string }[]
}

export interface CorrectionFilter {
  readonly pipelines: readonly string[]
  /** Undefined: both. */
  readonly state: 'holds' | 'ended' | undefined
}

/** Open changes of a kind, or rejects of a code. */
export interface GroupView {
  readonly pipeline: string
  readonly kind: string
  readonly count: number
  /** Of its pipeline there are more than were counted. */
  readonly isMore: boolean
}

/** Those of pipelines, or of a run, whichever pipeline it was of. */
export interface RejectFilter {
  readonly pipelines?: readonly string[]
  readonly runId?: string | undefined
  readonly code?: string | undefined
}

export interface OpenFilter {
  readonly states: readonly Operation['state'][]
  readonly pipelines: readonly string[]
  readonly runId?: string | undefined
  /** null: held for a reason of the record, by no guard. */
  readonly guard?: string | null | undefined
  readonly kind?: Operation['kind'] | undefined
}

/** A term of a brake, and how its decision stands. */
export interface BrakeView {
  readonly name: string
  readonly phase: BrakeNumbers['phase']
  /** Contacts that were let through within the time that the brake counts. */
  readonly given: number
  /** How many were drawn, how many of them have it, and since when all of them do (milliseconds since the epoch). */
  readonly first: { readonly drawn: number; readonly given: number; readonly since: number | undefined }
  /** The run in which the others began to wait; undefined where none does. */
  readonly runId: string | undefined
  /** Why the rest is held; undefined while it is not. */
  readonly figures: string | undefined
  readonly waiting: BrakeStanding['waiting']
}

/** A record of a pipeline that is linked to a contact. */
export interface RecordView {
  readonly pipeline: string
  readonly key: string
  readonly contactId: number
  /** What was last pushed. */
  readonly known: Contact
  /** Sent, with an unknown outcome. */
  readonly unsure: readonly string[]
  /** Blank in the record since, and left to the next pipeline that owns them; absent where there are none. */
  readonly givenUp?: readonly string[]
  /** Undefined where nothing was settled yet. */
  readonly terms: readonly AssertedTerm[] | undefined
  /** The service no longer has the contact. */
  readonly gone: boolean
  /** In how many full exports in a row it was missing. */
  readonly missing: number
}

export interface PersonView {
  readonly records: readonly RecordView[]
  /** How many more records are linked to the contact. */
  readonly moreRecords: number
  /** Values of theirs that were edited at the service and stay. */
  readonly edits: readonly OpenEdit[]
  readonly moreEdits: number
  readonly open: readonly Operation[]
  readonly rejects: readonly RejectView[]
}

/** What a search found: linked records, and records that have no contact (yet). */
export interface FoundView {
  readonly records: readonly Pick<RecordView, 'pipeline' | 'key' | 'contactId' | 'known'>[]
  readonly open: readonly Operation[]
  readonly rejects: readonly RejectView[]
  /** There is more than is shown. */
  readonly more: boolean
}

export interface TermView {
  readonly name: string
  /** How many records assert it, and for how many of them it was this program that gave it. */
  readonly records: number
  readonly ours: number
  readonly pipelines: readonly string[]
}

/** Terms are counted over all links, in the background where there are many; a count is at most a minute old. */
export interface TermsView {
  readonly terms: readonly TermView[]
  /** Milliseconds since the epoch; undefined: the first count has not come to its end. */
  readonly countedAt: number | undefined
  readonly records: number
}

/** Everything that the console reads from the state. Every call is answered within milliseconds, however large it is. */
export interface StateViews extends Pick<AlertStore, 'alertsOf'>, Pick<DriftRoundStore, 'driftRounds'> {
  pipelines(names: readonly string[]): Promise<readonly PipelineView[]>
  /** Days from `since` (milliseconds since the epoch) on which something ran, oldest first. */
  days(since: number): Promise<readonly DayView[]>
  /** Newest first. */
  runs(filter: RunFilter, page: PageRequest): Promise<Page<ListedRun>>
  run(id: string): Promise<RunView | undefined>
  /** Files of a run, in the order in which they were read. */
  inputs(runId: string, page: PageRequest): Promise<Page<InputView>>
  /** Newest first. */
  rejects(filter: RejectFilter, page: PageRequest): Promise<Page<RejectView>>
  /** With everything that a mapping needs of it. */
  rejectById(id: number): Promise<RejectEntry | undefined>
  rejectGroups(pipelines: readonly string[]): Promise<readonly GroupView[]>
  heldPlans(pipelines: readonly string[], counting?: ApprovalTerms): Promise<readonly HeldPlan[]>
  /** Oldest first. */
  open(filter: OpenFilter, page: PageRequest): Promise<Page<Operation>>
  openGroups(
    states: readonly Operation['state'][],
    pipelines: readonly string[],
  ): Promise<readonly GroupView[]>
  /** Those with these names, and any other that contacts wait for. `since`: from when what was let through counts. */
  brakes(terms: readonly { readonly name: string; readonly since: number }[]): Promise<readonly BrakeView[]>
  person(contactId: number): Promise<PersonView>
  /** Values that were edited at the service and stay, those that were found first in front. */
  edits(pipelines: readonly string[], page: PageRequest): Promise<Page<OpenEdit>>
  /** Newest first. */
  corrections(filter: CorrectionFilter, page: PageRequest): Promise<Page<Correction>>
  correction(id: number): Promise<Correction | undefined>
  /** By contact id, key or mail; what is exactly so first, then what begins so. */
  search(text: string, limit: number): Promise<FoundView>
  terms(): Promise<TermsView>
  /** Those that were in force, newest first. */
  configurations(page: PageRequest): Promise<Page<Pick<KeptConfiguration, 'hash' | 'at'>>>
  /** By its hash, or that of one of its pipelines. */
  configuration(hash: string): Promise<ConfigurationView | undefined>
  isConfigurationKept(hash: string): Promise<boolean>
}
