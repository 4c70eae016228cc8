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
  /** Told to whoever started the run. */
  tell(text: string): void
}

export interface Fetched {
  /** A JSON object on one line; absent where only the cursor moves. */
  readonly json?: string
  /** Everything up to here, this record included, has been handed over. */
  readonly cursor?: Cursor
}

export interface Fetcher {
  /** Everything that decides which records a fetch brings: a cursor of another identity is not used. */
  readonly identity: string
  /** To its end: everything has come. Throws a SyncError where it ends before that. */
  fetch(task: FetchTask): AsyncIterable<Fetched>
}
