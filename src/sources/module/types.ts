// For authors of a source module: what its default export is given, and what it yields.

/** A text, or what can be written as one; lists and objects within are named by paths, such as `emails[0].value`. */
export type SourceValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | readonly SourceValue[]
  | { readonly [name: string]: SourceValue }

export interface SourceRecordObject {
  readonly [column: string]: SourceValue
}

/** A record, and how far the source has come with it: any value that JSON can hold. */
export interface RecordWithCursor {
  readonly record: SourceRecordObject
  readonly cursor: unknown
}

export interface ModuleContext {
  /** The last cursor of which every record has its outcome; undefined the first time, and where everything is wanted. */
  readonly cursor: unknown
  /** Aborted when the run ends, or when the module is stopped. */
  readonly signal: AbortSignal
  /** Shown to the user who started the run, the first 20 lines; never logged. */
  readonly log: { info(text: string): void; warn(text: string): void }
}

/** The default export of a module. It has brought everything when it returns; it has not when it throws. */
export type ModuleSource = (
  options: Readonly<Record<string, unknown>>,
  context: ModuleContext,
) => AsyncIterable<SourceRecordObject | RecordWithCursor>
