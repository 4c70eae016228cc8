// Every event of the operational log: one closed table of static messages with their level, fields and meaning.
// An event that is not in it cannot be logged, and a field that it lacks is not written. The manual's list is this list.

import {
  COMMON_FIELDS,
  type CommonFields,
  type EventEntry,
  type FieldKind,
  type LogLevel,
} from './event-kinds.ts'
import { ACCOUNT_EVENTS } from './account-events.ts'
import { DAEMON_EVENTS } from './daemon-events.ts'
import { DECISION_EVENTS } from './decision-events.ts'
import { FLEET_EVENTS } from './fleet-events.ts'
import { KEEPING_EVENTS } from './keeping-events.ts'
import { REQUEST_EVENTS } from './request-events.ts'
import { VALUE_EVENTS } from './value-events.ts'

export { COMMON_FIELDS, type CommonFields, type LogLevel } from './event-kinds.ts'

export const EVENTS = {
  ...ACCOUNT_EVENTS,
  ...FLEET_EVENTS,
  ...DAEMON_EVENTS,
  // A run.
  'run started': { level: 'info', fields: {}, means: 'A run of the pipeline starts.' },
  'run ended': {
    level: 'info',
    fields: {
      status: 'name',
      'code?': 'code',
      read: 'count',
      created: 'count',
      updated: 'count',
      unchanged: 'count',
      skipped: 'count',
      rejected: 'count',
      failed: 'count',
      held: 'count',
      in_doubt: 'count',
      deleted: 'count',
      held_deletes: 'count',
      terms_created: 'count',
      requests: 'count',
      retries: 'count',
      duration_ms: 'ms',
      sync_log_entries: 'count',
      sync_log_head: 'name',
    },
    means: 'The counts of `run --json`. `code`: why it ended early. `sync_log_head`: see audit verify.',
  },
  ...KEEPING_EVENTS,
  'file processing started': {
    level: 'info',
    fields: { files: 'count', bytes: 'count' },
    means: 'File `file_number` of `files` in this run: reading starts.',
  },
  'file read and planned': {
    level: 'info',
    fields: {
      read: 'count',
      unchanged: 'count',
      skipped: 'count',
      rejected: 'count',
      held: 'count',
      changes: 'count',
    },
    means: '`file_sha256` is the beginning of what `sha256sum` shows. `changes` changes are sent next.',
  },
  'file archived': {
    level: 'info',
    fields: { folder: 'name', 'code?': 'code' },
    means:
      'The file was moved to this folder beside the inbox, with the `run_id` in its name. `code`: why it was rejected.',
  },
  'file left in inbox': {
    level: 'info',
    fields: { 'code?': 'code' },
    means:
      'The next run processes the file under this name. `code`: why this run could not; without a code, the run ended first.',
  },
  'file rejected': {
    level: 'warn',
    fields: { file: 'file', code: 'code', detail: 'told' },
    means:
      'The code says why and what to do. Where the file was moved to `failed/`, the text beside it has the details; `file left in inbox`: the next run reads it again.',
  },
  'source not read completely': {
    level: 'warn',
    fields: { 'file?': 'file', code: 'code' },
    means:
      'A fetch failed or ended early, or a folder, or something in it (`file`), could not be opened; what arrived is processed. The code says why and what to do, `contact-sync status` has the details. Logged by each run.',
  },
  'file not archived: replaced or removed during the run': {
    level: 'warn',
    fields: { file: 'file' },
    means:
      'Neither `processed/` nor `failed/` has it. If a file of that name exists now, it is read next. No action is required.',
  },
  'text appears to be encoded twice ("Ã¼" instead of "ü")': {
    level: 'warn',
    fields: { file: 'file', places: 'count', line: 'count' },
    means: 'The exporter damages umlauts: fix the exporter. The text is sent unchanged.',
  },
  'file is UTF-8, but source.encoding differs': {
    level: 'warn',
    fields: { file: 'file', line: 'count' },
    means:
      'It is read as `source.encoding` says, so letters beyond ASCII are sent garbled. Set `auto` or `utf-8`.',
  },
  'parts of a workbook not read as displayed': {
    level: 'warn',
    fields: { file: 'file', what: 'name', times: 'count', line: 'count' },
    means:
      'Of a workbook: hidden rows, columns and sheets are read like all others; of merged cells the first has the value; error values (`#N/A`) and formulas without a kept value are blank; of several visible sheets the first is read. `line`: the row of the first of them, 0 for none. Choose the sheet with `source.sheet`, or fix the workbook.',
  },
  'store keeps no claims': {
    level: 'warn',
    fields: { file: 'file' },
    means:
      'It overwrites objects that must not be there (If-None-Match), so a second installation would process the same file. Let one pipeline of one installation read the prefix (sources/remote.md, Claims).',
  },
  'file of corrected rejects: treated as a supplement, not as a full export': {
    level: 'info',
    fields: { file: 'file' },
    means:
      'It has the columns `_reason`, `_file` and `_line`, so it is never a full export, whatever `mode` says: no record counts as missing.',
  },
  'message from the source': {
    level: 'warn',
    fields: { text: 'told' },
    means: 'What the program of a `module` source had to say; `contact-sync run` shows it.',
  },
  'message from the tap': {
    level: 'info',
    fields: { text: 'foreign' },
    means:
      'A line of a Singer tap on its standard error: at most 500 a fetch, 500 characters each. Secrets of its configuration and e-mail addresses are masked; a support bundle leaves the text out.',
  },
  ...VALUE_EVENTS,
  'changes held by a guard': {
    level: 'warn',
    fields: { guard: 'name', changes: 'count', deletes: 'count', threshold: 'name' },
    means: 'See `contact-sync held list`, then release them or fix the source.',
  },
  ...DECISION_EVENTS,
  'interrupted run: operations in doubt': {
    level: 'warn',
    fields: { operations: 'count' },
    means: 'They are looked up at the service before anything new is sent.',
  },
  'unresolved doubts: decision required (contact-sync doubts list)': {
    level: 'warn',
    fields: { contacts: 'count' },
    means:
      'No look-up could settle them. Look at the contacts in the service, then use `contact-sync doubts resolve`.',
  },
  'waiting before the next look-up of doubts': {
    level: 'info',
    fields: { operations: 'count', wait_ms: 'ms' },
    means: 'The run waits `service.doubt.quiesce`.',
  },
  'waiting before a create is taken back': {
    level: 'info',
    fields: { contact_id: 'contact', wait_ms: 'ms' },
    means:
      'A lost request about the contact may still be processed, and must find it. The run waits until `service.doubt.quiesce` has passed.',
  },
  ...REQUEST_EVENTS,
  // Alerts.
  'alert delivered': {
    level: 'info',
    fields: { receiver: 'name', condition: 'name', event: 'name' },
    means: 'The receiver accepted a message: `raised` when a condition began, `recovered` when it ended.',
  },
  'alert delivery failed': {
    level: 'warn',
    fields: { receiver: 'name', condition: 'name', reason: 'name', wait_ms: 'ms' },
    means:
      'The receiver did not accept it; the next attempt is in `wait_ms` milliseconds. `contact-sync alerts test` tries at once.',
  },
  'alert abandoned': {
    level: 'error',
    fields: { receiver: 'name', condition: 'name' },
    means: 'The receiver did not accept it for three days.',
  },
  'alert processing failed': {
    level: 'error',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means: 'The state failed: which alerts were delivered is unknown, so only this failure is sent, at once.',
  },
  // Traces.
  'trace export failed': {
    level: 'warn',
    fields: {},
    means:
      'The collector at `OTEL_EXPORTER_OTLP_ENDPOINT` does not accept them. Runs continue; traces not accepted are lost. Logged once.',
  },
  'trace export restored': { level: 'info', fields: {}, means: 'The collector accepts them again.' },
  // The log itself.
  'log file not writable: logging to standard error only': {
    level: 'error',
    fields: { code: 'code' },
    means:
      'A full disk or a missing permission? Work continues; each line tries the file again. Logged once, on standard error.',
  },
  'log file writable again': {
    level: 'warn',
    fields: { lines_lost: 'count' },
    means: '`lines_lost` lines are on standard error only.',
  },
} as const satisfies Record<string, EventEntry>

type Events = typeof EVENTS

/** The events of a level. */
export type EventName<L extends LogLevel = LogLevel> = {
  [N in keyof Events]: Events[N]['level'] extends L ? N : never
}[keyof Events]

type ValueOf<K> = K extends 'count' | 'ms' ? number : K extends 'id' | 'contact' ? string | number : string

type Typed<F> = {
  readonly [N in keyof F as N extends `${string}?` ? never : N]: ValueOf<F[N]>
} & { readonly [N in keyof F as N extends `${infer Name}?` ? Name : never]?: ValueOf<F[N]> }

export type EventFields<N extends EventName> = Typed<Events[N]['fields']> & CommonFields

/** Logs an event of this level. */
export type LogEvent<L extends LogLevel> = <N extends EventName<L>>(event: N, fields?: EventFields<N>) => void

const ownField = (fields: EventEntry['fields'], name: string): FieldKind | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined

/** The kind of an event's field; undefined: the table does not have it. */
export function fieldKind(event: string, field: string): FieldKind | undefined {
  const { fields }: Pick<EventEntry, 'fields'> = Object.hasOwn(EVENTS, event)
    ? EVENTS[event as EventName]
    : { fields: {} }
  return ownField(COMMON_FIELDS, field) ?? ownField(fields, field) ?? ownField(fields, `${field}?`)
}
