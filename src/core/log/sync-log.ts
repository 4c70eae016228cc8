// The queries of the sync log. Commands, the console and undo read it through this port; its tables are read nowhere else.
import type { LoggedEntry } from './audit-chain.ts'
import type { AuditEntry, AuditOutcome } from './audit.ts'

/** What an entry must be to be shown; all that are given must fit. */
export interface LogFilter {
  readonly run?: string
  readonly pipeline?: string
  /** A key, a mail address that the person has or had, or a contact's id; `key:`, `mail:` or `id:` before it says which. */
  readonly contact?: string
  /** One of `people`; takes precedence over `contact`. */
  readonly person?: number
  readonly field?: string
  readonly term?: string
  readonly outcome?: AuditOutcome
  readonly action?: AuditEntry['action']
  /** Milliseconds since the epoch; from then on, and before then. */
  readonly since?: number
  readonly until?: number
}

/** `from`: continues after this entry, in the given order. */
export interface LogRange {
  readonly order: 'oldest' | 'newest'
  readonly from?: number
  readonly limit: number
}

/** How far the log has come. */
export interface LogHead {
  readonly entries: number
  /** Of the newest entry. */
  readonly hash: string
}

/** A person in the log, over all pipelines. */
export interface LoggedPerson {
  /** A number that holds within this state. */
  readonly person: number
  readonly tokens: readonly string[]
  readonly keys: readonly { readonly pipeline: string; readonly key: string }[]
  readonly contactIds: readonly number[]
  readonly mails: readonly string[]
}

/** Where a check of the chain stands: it may be carried out in pieces. */
export interface CheckedTo {
  /** Entries checked so far, and the hash of the last of them. */
  readonly seq: number
  readonly hash: string
}

/** The first entry that is not as it was written. */
export interface BadEntry {
  readonly seq: number
  readonly why: string
}

/** An index beside the chain that does not fit the entries: what goes by it finds too little, or too much. */
export interface IndexFault {
  readonly table: string
  readonly why: string
}

/** A table beside the chain that is not as it was written. */
export interface KeptFault {
  readonly table: 'tombstone' | 'configuration'
  readonly why: string
}

export interface CheckStep {
  readonly to: CheckedTo
  readonly bad?: BadEntry
  /** The end of the log is reached. */
  readonly done: boolean
}

/** Entries of a run by what they are about and how they ended. */
export interface RunTotal {
  readonly action: AuditEntry['action']
  readonly outcome: AuditOutcome
  readonly entries: number
}

/** The sync log, read only; works beside its writer. */
export interface SyncLog {
  logHead(): Promise<LogHead>
  logEntry(seq: number): Promise<LoggedEntry | undefined>
  logPage(filter: LogFilter, range: LogRange): Promise<readonly LoggedEntry[]>
  /**
   * Streams what the run did, person by person, each oldest first; entries about no person come first. With `contact` (see
   * LogFilter) that person alone.
   */
  entriesOfRun(runId: string, contact?: string): AsyncIterable<LoggedEntry>
  runTotals(runId: string): Promise<readonly RunTotal[]>
  /** All persons whom the text may name (see LogFilter.contact); also those whose link was deleted. */
  people(contact: string, pipeline?: string): Promise<readonly LoggedPerson[]>
  /** Checks at most `limit` entries behind those that were checked. */
  checkLog(from: CheckedTo, limit: number): Promise<CheckStep>
  /** Whether everything can be found that a filter asks for. Takes its time: it reads all entries. */
  checkIndexes(): Promise<IndexFault | undefined>
  /** Whether what is kept beside the entries is what they, and its hashes, say. */
  checkKept(): Promise<KeptFault | undefined>
}
