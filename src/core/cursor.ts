// How far a pipeline has come at a source that is asked for its records: what is to be fetched next begins there.

/** Any JSON value; only the kind of source that gave it knows what it means. */
export type Cursor = unknown

/** A cursor with what it belongs to: another query or address begins from the start. */
export interface KeptCursor {
  /** A digest of everything that decides which records a fetch brings, and in which order. */
  readonly of: string
  readonly value: Cursor
}

/** It is moved by `endInput`, in the transaction that ends the input; by `moveCursor` only where a fetch brought no input. */
export interface CursorStore {
  cursor(pipeline: string): Promise<KeptCursor | undefined>
  moveCursor(pipeline: string, cursor: KeptCursor): Promise<void>
}

/** What a source is given for a fetch. */
export interface FetchOrder {
  /** Undefined where everything is to be fetched. */
  readonly cursor: KeptCursor | undefined
  /** Whether what is missing in it will count as gone. */
  readonly isFull: boolean
  /** When the last input of the pipeline was accepted; null: none was. Not there where that is not known. */
  readonly accepted?: number | null
  /** Shown to the user who started the run; may contain data of the source, so it is never logged. */
  tell(text: string): void
  /** What the source's own program says, for the operational log. */
  log?: (text: string) => void
}
