// Levels of the operational log, kinds of its fields, and the fields that every line may carry.
// The table of events is made of them.

/**
 * Levels are audiences. error: an operator must act. warn: an operator should look when there is time.
 * info: what an operator expects to see. debug: for anyone who investigates a fault.
 */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

/**
 * count, ms: numbers. name: a name of the configuration or of this program. code: of an error.
 * id: of a run, or a status. contact: the id of one. file: the name of an input. call: method and route template with the status.
 * foreign: a line of another program's log.
 * told: may hold what a person or the service wrote, so it is shown to the user who started the run, and never logged.
 */
export type FieldKind =
  'count' | 'ms' | 'name' | 'code' | 'id' | 'contact' | 'file' | 'call' | 'foreign' | 'told'

export interface EventEntry {
  readonly level: LogLevel
  /** By name; one that ends with `?` may be missing. */
  readonly fields: Readonly<Record<string, FieldKind>>
  /** For the manual: what it means, and what to do if an action is required. */
  readonly means: string
}

/**
 * Fields that a line may carry whatever its event is. file_number: which file of the run it is about, from 1 on.
 * file_sha256: the first 12 hex digits of its sum, once it was read.
 */
export const COMMON_FIELDS = {
  account: 'name',
  pipeline: 'name',
  run_id: 'id',
  file_number: 'count',
  file_sha256: 'id',
} as const satisfies EventEntry['fields']

/** What every line of a log may be made to carry. */
export interface CommonFields {
  /** Where the configuration has several. */
  readonly account?: string
  readonly pipeline?: string
  readonly run_id?: string
  readonly file_number?: number
  readonly file_sha256?: string
}
