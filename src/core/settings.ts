// The checked configuration, as the rest of the program sees it: defaults filled in, durations in
// milliseconds, paths absolute, secrets read. `config/` makes it; nobody changes it afterwards.
import type { AlertRules } from './alerts/alert-rules.ts'
import type { FieldValue } from './mapping/contact.ts'
import type { LogLevel } from './log/events.ts'

export interface Settings {
  /** The configuration file, absolute. */
  readonly file: string
  readonly service: ServiceSettings
  readonly state: { readonly path: string }
  readonly log: LogSettings
  readonly keep: KeepSettings
  readonly server: ServerSettings
  /** How many pipelines `start` lets run at the same time. */
  readonly max_parallel: number
  readonly alerts: readonly AlertSettings[]
  readonly pipelines: readonly PipelineSettings[]
  /** Every secret in it, so that whatever writes text can keep them out. */
  readonly secrets: readonly string[]
}

export interface ServiceSettings {
  /** Without a trailing slash. */
  readonly base_url: string
  readonly api_key: string
  /** The file that the key was read from, absolute; undefined: it was no file. */
  readonly api_key_file: string | undefined
  readonly api_version: string
  readonly timeout: number
  readonly rate_limit: RateLimitSettings
  readonly retry: { readonly attempts: number; readonly max_delay: number }
  readonly bulk: { readonly size: number; readonly container: 'array' | 'keyed' }
  readonly doubt: { readonly quiesce: number; readonly absent_reads: number }
  /** The name of a custom text field that says which operation made a contact; undefined: none is sent. */
  readonly marker_field: string | undefined
  /** The name under which a custom field stands in a contact, with {field_name} and {field_id} in it. */
  readonly custom_field_key: string
}

export interface RateLimitSettings {
  readonly requests: number
  readonly per: number
  readonly concurrency: number
  /** Requests in any 24 hours; undefined: no limit. */
  readonly per_day: number | undefined
}

export interface LogSettings {
  readonly level: LogLevel
  /** Of standard error; undefined: the command decides. */
  readonly console_level: LogLevel | undefined
  readonly format: 'json' | 'pretty'
  /** Absolute; undefined: standard error only. */
  readonly folder: string | undefined
  readonly keep: number
}

/** How long is kept what nobody needs any more, in milliseconds; undefined: for ever. */
export interface KeepSettings {
  /** Files in `processed` and in `failed`, with what lies beside them. */
  readonly processed: number | undefined
  readonly failed: number | undefined
  /** Rejected records in the state. */
  readonly rejects: number | undefined
  readonly runs: number
  /** Values in the sync log; its entries stay. */
  readonly sync_log: number | undefined
}

export interface ServerSettings {
  readonly host: string
  readonly port: number
  /** Names beside addresses and localhost under which it may be asked. */
  readonly hosts: readonly string[]
  /** Where people open the console, without a slash at the end: links in alerts begin with it. */
  readonly url?: string | undefined
  /** Opens console and metrics. */
  readonly token: string | undefined
  /** Opens metrics and nothing else. */
  readonly metrics_token: string | undefined
}

/** Who is told of what. */
export interface AlertSettings {
  /** What the receiver is known by in the state: made of its address, and nothing can be read from it. */
  readonly id: string
  readonly receiver: Receiver
  readonly rules: AlertRules
}

export type Receiver =
  | {
      readonly kind: 'webhook'
      readonly url: string
      readonly format: 'json' | 'slack'
      /** Messages are signed with it; undefined: they are not. */
      readonly secret: string | undefined
    }
  | {
      readonly kind: 'mail'
      readonly host: string
      readonly port: number
      /** tls: from the first byte. starttls: before anything is said. plain: on this machine alone. */
      readonly security: 'tls' | 'starttls' | 'plain'
      readonly user: string | undefined
      readonly password: string | undefined
      readonly from: string
      readonly to: readonly string[]
    }

export interface PipelineSettings {
  readonly name: string
  /** Cron, 5 or 6 fields; undefined: runs only when asked. */
  readonly schedule: string | undefined
  readonly timezone: string | undefined
  /** Whether a file that lands starts a run. */
  readonly watch: boolean
  /** After so long a run stops and the next one goes on; undefined: no limit. */
  readonly max_duration: number | undefined
  /** `type` names the kind in the registry of sources; the rest has been checked by that kind's own schema. */
  readonly source: SourceSettings
  readonly mode: 'incremental' | 'full'
  /** What becomes of a contact whose record has gone from a full source. */
  readonly on_missing: 'keep' | 'remove_terms' | 'delete'
  readonly guards: GuardSettings
  /** Column names; undefined: the mapped mail is the key. */
  readonly key: readonly string[] | undefined
  readonly map: Readonly<Record<string, FieldMapping>>
  /** By the field's name in its definition. */
  readonly custom_fields: Readonly<Record<string, FieldMapping>>
  readonly on_duplicate_key: 'reject' | 'last'
  readonly on_invalid: OnInvalid
  readonly blank: 'keep' | 'clear'
  /** CEL; undefined: every record. */
  readonly where: string | undefined
  readonly duplicate_check_method: 'auto' | 'email' | 'none'
  readonly duplicate_merge_method: 'update_add' | 'update' | 'add'
  /** The same for later updates of linked contacts. */
  readonly update_method: 'update_add' | 'update' | 'add'
  readonly terms: TermSettings
  readonly update_via: 'id' | 'bulk'
  readonly allow_consent_raise: boolean
  /** SHA-256 over what decides a record's contact (source, key, map, where, blank ...), hexadecimal. */
  readonly hash: string
}

/** A share between 0 and 1 of something, or a plain number. */
export type Limit = { readonly share: number } | { readonly count: number }

/** Above which numbers a plan is held until a person releases it. */
export interface GuardSettings {
  /** A share is one of the pipeline's links. */
  readonly max_deletes: Limit
  /** Creates and updates together; a share is one of the pipeline's links, and 100% is no limit. */
  readonly max_changes: Limit
  /** A share is one of the records read; 100% is no limit. */
  readonly max_rejects: Limit
  /** Terms that the service does not have yet. */
  readonly max_new_terms: number
  /** In how many full exports a record must be missing, and how far apart these must be. */
  readonly deletes_missing_in: number
  readonly deletes_apart: number
  /** Whether the first deletes of a pipeline are held in any case. */
  readonly hold_first_deletes: boolean
  /** After so many refusals in a row for the same reason the run stops; 0: never. */
  readonly max_equal_refusals: number
}

/** Which terms contacts are to have. */
export interface TermSettings {
  /** add: only adds. managed: also takes back what it added itself. replace: the source's list is the whole list. */
  readonly policy: 'add' | 'managed' | 'replace'
  /** Whether an unknown term is made, or its record rejected. */
  readonly create_missing: boolean
  /** Empty: the pipeline has nothing to do with terms. */
  readonly assign: readonly TermAssignment[]
  /** By name. */
  readonly descriptions: Readonly<Record<string, string>>
  /** Whether a removal is read back, and what went too far is put back. */
  readonly verify: boolean
}

/** A constant, with a condition (CEL) or without, or the values of a column. */
export type TermAssignment =
  { readonly name: string; readonly when?: string } | { readonly column: string; readonly split?: string }

export type OnInvalid = 'reject' | 'drop' | 'truncate'

export interface SourceSettings {
  readonly type: string
  /** Values that stand for "nothing", compared after trimming. */
  readonly null_values: readonly string[]
  readonly [option: string]: unknown
}

/** A value among numbered pairs of columns; `*` is the same number in label and value. */
export interface PickRule {
  /** Forms of the column that holds the label; the first that the input has. */
  readonly label: readonly string[]
  readonly value: string
  /** Labels, the best first; `*` stands for any text. */
  readonly of: readonly string[]
  /** Labels that never count. */
  readonly except: readonly string[]
}

/** How one contact field is made. Exactly one of column, columns, value, template and pick is there. */
export interface FieldMapping {
  readonly column?: string
  readonly columns?: readonly string[]
  readonly value?: FieldValue
  readonly template?: string
  readonly pick?: PickRule
  /** With `pick`: an input may have none of its columns, and does not speak of the field then. */
  readonly optional?: boolean
  readonly transform?: readonly TransformCall[]
  readonly lookup?: Readonly<Record<string, string | null>>
  /** With `lookup`: for values that it lacks; null: blank. Absent: such a value is invalid. */
  readonly otherwise?: string | null
  readonly default?: string
  readonly on_invalid?: OnInvalid
  readonly blank?: 'keep' | 'clear'
  /** The text is a number; `decimal` where the source's mark is known. */
  readonly number?: { readonly decimal?: ',' | '.' }
  /** Of custom fields. What stands between several selected values. */
  readonly split?: string
  /** Of custom fields. How many characters the service takes, 8 to 255. */
  readonly size?: number
}

/** A transform by its name in the registry, with the options that its own schema has checked. */
export interface TransformCall {
  readonly name: string
  readonly options: unknown
}
