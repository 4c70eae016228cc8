// What a kind of source brings that is asked for its records: a fetch, record by record, from a cursor on.
import type { Cursor } from '../../core/cursor.ts'
import type { Clock } from '../../core/ports.ts'
import type { TokenVault } from '../../core/token-vault.ts'

export interface FetchTask {
  /** Undefined: everything. */
  readonly cursor: Cursor
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly tokens?: TokenVault | undefined
  /** Shown to the user who started the run. */
  tell(text: string): void
  /** For the operational log; free of secrets. */
  log?: ((text: string) => void) | undefined
}

/** Absolute paths. */
export interface FetchPlace {
  /** Of the spool; for files that only a fetch needs, too. It exists during a fetch. */
  readonly folder: string
  /** Of the configuration. */
  readonly home: string
}

export interface Fetched {
  /** A JSON object on one line; absent where only the cursor moves. */
  readonly json?: string
  /** Everything up to here, this record included, has been handed over. */
  readonly cursor?: Cursor
  /** Although it was read to its end, records that it lacks are not missing. */
  readonly isPart?: true
}

export interface Fetcher {
  /** Everything that decides which records a fetch brings: a cursor of another identity is not used. */
  readonly identity: string
  /** Stands in the names of the files. */
  readonly label?: string
  /** Another process writes its records into the spool: nothing is to be fetched. */
  readonly isFed?: boolean
  /** To its end: everything has come. Throws a SyncError where it ends before that. */
  fetch(task: FetchTask): AsyncIterable<Fetched>
}
