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
import { DECISION_EVENTS } from './decision-events.ts'
import { FLEET_EVENTS } from './fleet-events.ts'
import { KEEPING_EVENTS } from './keeping-events.ts'
import { VALUE_EVENTS } from './value-events.ts'

export { COMMON_FIELDS, type CommonFields, type LogLevel } from './event-kinds.ts'

export const EVENTS = {
  ...ACCOUNT_EVENTS,
  ...FLEET_EVENTS,
  // The daemon.
  'daemon started': {
    level: 'info',
    fields: { pipelines: 'count', port: 'count' },
    means: 'It listens on this port and follows the schedules.',
  },
  'daemon stopping': {
    level: 'info',
    fields: {},
    means: 'A signal was received: no new run starts, and requests in flight finish.',
  },
  'daemon stopped': { level: 'info', fields: {}, means: 'Everything is written and closed.' },
  'run skipped: previous run still active': {
    level: 'warn',
    fields: { times: 'count' },
    means: 'A pipeline never runs twice at once. If this happens often, the schedule is too tight.',
  },
  'missed runs: catching up': {
    level: 'info',
    fields: { times: 'count' },
    means:
      '`times` runs were due while the process was down, the machine asleep or the service unavailable. One run makes up for them.',
  },
  'service unavailable: runs paused, probing': {
    level: 'warn',
    fields: { code: 'code', detail: 'call' },
    means:
      'The service is probed with one cheap read, first after 5 seconds, later at most every 5 minutes. Due runs wait and run once when it answers.',
  },
  'API key refused: runs paused': {
    level: 'error',
    fields: { code: 'code', detail: 'call', next: 'name' },
    means:
      'Logged once. The service is not asked again until the file `service.api_key_file` holds another key, or after SIGHUP.',
  },
  'runs resumed': {
    level: 'info',
    fields: { after_ms: 'ms' },
    means: 'The service is available again, or is tried again.',
  },
  'system clock set back': {
    level: 'warn',
    fields: {},
    means:
      'By more than the time between two due runs, or by more than an hour. Runs due in that time are due again.',
  },
  'configuration reloaded': {
    level: 'info',
    fields: { pipelines: 'count' },
    means:
      'By SIGHUP. Active runs keep the configuration they started with; the sync log has an entry for each pipeline that changed.',
  },
  'configuration invalid': {
    level: 'error',
    fields: { problem: 'name' },
    means: 'One line for each problem, with file, line and column.',
  },
  'configuration not reloaded: previous one kept': {
    level: 'error',
    fields: { problems: 'count' },
    means: 'Fix the problems named and send SIGHUP again; `contact-sync check` finds them beforehand.',
  },
  'configuration change waiting for active runs': {
    level: 'info',
    fields: { runs: 'count' },
    means:
      'The API key or another setting of the service changed: no run starts until the active ones have ended.',
  },
  'configuration change requires a restart': {
    level: 'warn',
    fields: { settings: 'name' },
    means: 'These settings are read only at the start: restart when convenient.',
  },
  'API key changed': {
    level: 'info',
    fields: { settings: 'name' },
    means: 'The file holds another key than the refused one: it is tried.',
  },
  'run aborted by an internal error': {
    level: 'error',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means:
      'The state or this program failed, not the service: see the code under Messages. Without a code it is a bug in contact-sync: please report it with `at`.',
  },
  'HTTP response failed': {
    level: 'error',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means:
      'A bug in contact-sync, in a page, `/metrics` or the like: please report it with `at`. Runs continue.',
  },
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
    means: 'The code says why and what to do; the text beside the file in `failed/` has the details.',
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
  // What the service does.
  'bulk size reduced: last call too large or too slow': {
    level: 'warn',
    fields: { contacts: 'count' },
    means:
      'From now on each call has `contacts` contacts. If it recurs with every run, set `service.bulk.size`.',
  },
  'bulk response names contacts that were not sent': {
    level: 'warn',
    fields: { members: 'count' },
    means: 'The service violated its interface; what was sent is looked up.',
  },
  'field not cleared by the service': {
    level: 'warn',
    fields: { contact_id: 'contact', fields: 'name' },
    means:
      'The source blanked the field, but the service clears it neither with null nor with an empty text. Clear it there by hand. The next change of the record tries again.',
  },
  'mail_status ignored by the service: API key may lack the permission': {
    level: 'warn',
    fields: { contact_id: 'contact', wanted: 'count', found: 'count' },
    means:
      'Have the permission added to the API key. Until then, records whose mail_status is 1 or 2 fail, every run tries one of them, and no contact is created without its status. Or remove mail_status from the mapping.',
  },
  'update by e-mail changed another contact: resending by id': {
    level: 'warn',
    fields: { contact_id: 'id', reached: 'id' },
    means:
      'The service has two contacts with one e-mail address and changed the one that is not linked, or it created one in place of a deleted one. Look at both, and delete or merge the surplus one. This record is updated by id from now on.',
  },
  'service removed too many terms: restored': {
    level: 'warn',
    fields: { contact_id: 'contact', terms: 'told' },
    means: 'No action is required; report it to the vendor of the service.',
  },
  'term not used: the service treats its name as that of another': {
    level: 'warn',
    fields: { term: 'told', into: 'told' },
    means: 'Spell it as the service does (`contact-sync terms`). `contact-sync run` names it.',
  },
  'term description not accepted': {
    level: 'warn',
    fields: { term: 'name', answer: 'call' },
    means: 'The next run tries again.',
  },
  'custom field changed at the service': {
    level: 'warn',
    fields: { field: 'name', change: 'told' },
    means: 'Every record is compared again. `contact-sync fields` shows the current definition.',
  },
  'custom field does not match the mapping': {
    level: 'warn',
    fields: { problem: 'told' },
    means: '`contact-sync check` has the details.',
  },
  'daily request limit reached': {
    level: 'warn',
    fields: {},
    means: '`service.rate_limit.per_day` is used up: nothing is sent until requests are free again.',
  },
  'rate limit not shared: counted by this process only': {
    level: 'warn',
    fields: { code: 'code' },
    means:
      'The file `<state.path>.window`, through which processes share the limit, cannot be used. Until it ends, this process counts for itself, the daily limit included; several processes at the same time may exceed the limit. Make the file readable and writable for all of them, or remove it.',
  },
  'request attempt finished': {
    level: 'debug',
    fields: { method: 'name', path: 'call', status: 'id', attempt: 'count', ms: 'ms' },
    means: 'One attempt; `status` is `none` if no answer was received.',
  },
  'request retry scheduled': {
    level: 'debug',
    fields: { method: 'name', path: 'call', attempt: 'count', wait_ms: 'ms', answer: 'call' },
    means: 'After this answer, in `wait_ms` milliseconds.',
  },
  'service throttling: requests slowed': {
    level: 'debug',
    fields: { wait_ms: 'ms', answer: 'call' },
    means: 'All calls wait, then continue at a lower rate for a while.',
  },
  'requests paused': {
    level: 'debug',
    fields: { wait_ms: 'ms' },
    means: 'The service reported that no requests are left, or that it is unavailable for this time.',
  },
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
