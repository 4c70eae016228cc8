// What the inside asks of the outside. Everything is asynchronous and works on batches, so that an
// implementation may live on another machine one day. Each port has a contract suite in test/contracts.
import type { SourceItem } from './record.ts'

export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number
  /** Never goes backwards; milliseconds from an arbitrary start. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal is (or becomes) aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** One unit that a source hands over whole: a file of a drop folder. */
export interface SourceInput {
  /** For people: the file's name without its folder, control characters escaped. */
  readonly name: string
  /** Changes whenever the content may have: device, inode, size and time of change of a file. */
  readonly version: string
  readonly bytes: number
}

/** An input that is being read. */
export interface InputReader {
  /** Column names as the input gives them, trimmed; blank for a column without a name. */
  readonly header: readonly string[]
  /** Bytes consumed so far, for progress. */
  bytesRead(): number
  /**
   * The records in order, some hundreds at a time. Throws a SyncError of class `input` for what makes the
   * whole input unusable (an unclosed quote, say), and of class `later` when it changed while it was read.
   */
  batches(): AsyncIterable<readonly SourceItem[]>
  /** SHA-256 of the input's bytes, hexadecimal; known once `batches` has ended. */
  sha256(): string
  close(): Promise<void>
}

/** A rejected record as its `.rejects.csv` shows it. */
export interface RejectRow {
  readonly values: readonly string[]
  readonly text?: string
  readonly reason: string
  readonly file: string
  readonly line: number
}

/** One pipeline's source. Opening and listing change nothing; only `archive` and `writeRejects` write. */
export interface Source {
  /**
   * The inputs that are ready, in the order in which they are to be taken, and how many are still growing.
   * `wait`: waits until those that were found have settled. Throws INPUT_FOLDER_MISSING or INPUT_UNREADABLE.
   */
  list(options: { wait: boolean; signal?: AbortSignal }): Promise<{
    readonly ready: readonly SourceInput[]
    readonly unsettled: number
  }>
  /**
   * Opens one input and reads its header. `columns` are the columns that the mapping names (a source
   * without a header, json, takes its header from them). Throws a SyncError of class `input` or `later`.
   */
  open(input: SourceInput, options: { columns: readonly string[] }): Promise<InputReader>
  /** Whether this very version still waits. */
  isWaiting(input: SourceInput): Promise<boolean>
  /**
   * Moves the input to `processed` or `failed`, under its name with the run's id, unless another version
   * has taken its place (then nothing is moved and false is returned). With a reason, a text beside it says why.
   */
  archive(
    input: SourceInput,
    to: { folder: 'processed' | 'failed'; runId: string; reason?: string },
  ): Promise<boolean>
  /** Writes the `.rejects.csv` that belongs to the archived input, whole or not at all. */
  writeRejects(
    input: SourceInput,
    to: { folder: 'processed' | 'failed'; runId: string },
    header: readonly string[],
    rows: AsyncIterable<RejectRow>,
  ): Promise<void>
}
