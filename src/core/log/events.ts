// Every event of the operational log: one closed table of static messages with their level, fields and meaning.
// Whatever is not in it cannot be logged, and a field that it lacks is not written. The manual's list is this list.

import {
  COMMON_FIELDS,
  type CommonFields,
  type EventEntry,
  type FieldKind,
  type LogLevel,
} from './event-kinds.ts'
import { VALUE_EVENTS } from './value-events.ts'

export { COMMON_FIELDS, type CommonFields, type LogLevel } from './event-kinds.ts'

export const EVENTS = {
  // The daemon.
  'daemon started': {
    level: 'info',
    fields: { pipelines: 'count', port: 'count' },
    means: 'It serves on this port and follows the schedules.',
  },
  'daemon ends': {
    level: 'info',
    fields: {},
    means: 'A signal came: nothing new begins, what is on its way is let finish.',
  },
  'daemon ended': { level: 'info', fields: {}, means: 'Everything is written down and closed.' },
  'a run was still going on when the next was due': {
    level: 'warn',
    fields: { times: 'count' },
    means: 'It is not run twice at once. Where that happens often, the schedule is too tight.',
  },
  'runs were missed; this one makes up for them': {
    level: 'info',
    fields: { times: 'count' },
    means: 'So many were due while the process was down, the machine asleep, or the service away.',
  },
  'no run begins until the service can be used; it is asked again by itself': {
    level: 'warn',
    fields: { code: 'code', detail: 'call' },
    means:
      'After 5 seconds at first, after 5 minutes at most, by one cheap read. What is due waits, and runs once then.',
  },
  'no run begins: the service refuses the key': {
    level: 'error',
    fields: { code: 'code', detail: 'call', next: 'name' },
    means:
      'Said once; the service is not asked again until the file `service.api_key_file` has another key, or SIGHUP says so.',
  },
  'runs go on': {
    level: 'info',
    fields: { after_ms: 'ms' },
    means: 'The service can be used again, or is tried.',
  },
  'the clock was set back': {
    level: 'warn',
    fields: {},
    means:
      'By more than from one due time to the next, or by more than an hour: what was due in that time is due again.',
  },
  'the configuration was reloaded': {
    level: 'info',
    fields: { pipelines: 'count' },
    means:
      'By SIGHUP. Runs in flight keep what they began with; the sync log has an entry for each pipeline that changed.',
  },
  'the configuration is not valid': {
    level: 'error',
    fields: { problem: 'name' },
    means: 'One line for each problem, with file, line and column.',
  },
  'the configuration was not reloaded; the one in use stays': {
    level: 'error',
    fields: { problems: 'count' },
    means: 'Mend the places named and send SIGHUP again; `contact-sync check` asks beforehand.',
  },
  'a change waits until the runs in flight have ended': {
    level: 'info',
    fields: { runs: 'count' },
    means: 'Of the key or another setting of the service: no run begins meanwhile.',
  },
  'a change takes effect at the next start': {
    level: 'warn',
    fields: { settings: 'name' },
    means: 'These settings are read once: restart when it suits.',
  },
  'the key of the service has changed': {
    level: 'info',
    fields: { settings: 'name' },
    means: 'The file has another one than was refused: it is tried.',
  },
  'a run ended with an error': {
    level: 'error',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means:
      'The state or this program failed, not the service: see the code under Messages. Without a code it is a fault of contact-sync; please report it with `at`.',
  },
  'an answer over HTTP failed': {
    level: 'error',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means:
      'A fault of contact-sync in a page, `/metrics` or the like; please report it with `at`. Runs go on.',
  },
  // A run.
  'run started': { level: 'info', fields: {}, means: 'A run of the pipeline begins.' },
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
    means:
      'What it did, as in `run --json`; `code` says what made it end before its time. `sync_log_head`: see audit verify.',
  },
  'old files and entries were removed': {
    level: 'info',
    fields: { processed: 'count', failed: 'count', rejects: 'count', runs: 'count', sync_log: 'count' },
    means:
      'After a run, as `keep` says; so many files of `processed/` and `failed/`, entries of the state, and values of the sync log.',
  },
  'old files and entries could not be removed': {
    level: 'warn',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means:
      'The run is not touched by it; it is tried again after a later one. Mend the rights of the folder.',
  },
  'a file is taken': {
    level: 'info',
    fields: { files: 'count', bytes: 'count' },
    means: '`file_number` of so many `files` of this run: it is read now.',
  },
  'a file was read and planned': {
    level: 'info',
    fields: {
      read: 'count',
      unchanged: 'count',
      skipped: 'count',
      rejected: 'count',
      held: 'count',
      changes: 'count',
    },
    means: '`file_sha256` begins the sum that `sha256sum` shows. So many `changes` are sent next.',
  },
  'a file was put away': {
    level: 'info',
    fields: { folder: 'name', 'code?': 'code' },
    means:
      'It lies in this folder beside the inbox, with the `run_id` in its name. `code`: why it was not taken.',
  },
  'a file stays in the inbox': {
    level: 'info',
    fields: { 'code?': 'code' },
    means:
      'The next run takes what lies under its name then. `code`: why this one could not; without it, the run was ended before.',
  },
  'a file cannot be taken': {
    level: 'warn',
    fields: { file: 'file', code: 'code', detail: 'told' },
    means: 'The code says why and what to do; the text beside the file in `failed/` says it in full.',
  },
  'a file was replaced or removed while it was worked on; it was not put away': {
    level: 'warn',
    fields: { file: 'file' },
    means:
      'Neither `processed/` nor `failed/` has it. What lies under its name now, if anything, is read next; nothing is to be done.',
  },
  'the text of a file looks as if it had been encoded twice ("Ã¼" in place of "ü")': {
    level: 'warn',
    fields: { file: 'file', places: 'count', line: 'count' },
    means: 'The exporter damages umlauts: mend it there. What was read is sent as it is.',
  },
  'the bytes of a file are UTF-8, and source.encoding says otherwise': {
    level: 'warn',
    fields: { file: 'file', line: 'count' },
    means:
      'It is read as `source.encoding` says, and letters beyond ASCII go out garbled. Set `auto`, or `utf-8`.',
  },
  'a file of mended rejects is a supplement: nothing is concluded from what it lacks': {
    level: 'info',
    fields: { file: 'file' },
    means:
      'It has the columns `_reason`, `_file` and `_line`, so it is never a full export, whatever `mode` says.',
  },
  ...VALUE_EVENTS,
  'a guard holds changes back': {
    level: 'warn',
    fields: { guard: 'name', changes: 'count', deletes: 'count', threshold: 'name' },
    means: 'Look with `contact-sync held list`, then release them or mend the source.',
  },
  'operations are in doubt after a run that was cut off': {
    level: 'warn',
    fields: { operations: 'count' },
    means: 'They are looked up at the service before anything new is sent.',
  },
  'contacts are in doubt that no look-up can settle; they wait for a person (contact-sync doubts list)': {
    level: 'warn',
    fields: { contacts: 'count' },
    means: 'Look them up in the service, then `contact-sync doubts resolve`.',
  },
  'waiting before doubts are looked at again': {
    level: 'info',
    fields: { operations: 'count', wait_ms: 'ms' },
    means: 'The run waits `service.doubt.quiesce`.',
  },
  // What the service does.
  'bulk calls are made smaller: the last one was too large, or took too long': {
    level: 'warn',
    fields: { contacts: 'count' },
    means:
      'From now on so many contacts in a call. Where it comes back with every run, set `service.bulk.size`.',
  },
  'the bulk answer names contacts that were not sent': {
    level: 'warn',
    fields: { members: 'count' },
    means: 'The service broke its interface; what was sent is looked up.',
  },
  'the service does not clear a field': {
    level: 'warn',
    fields: { contact_id: 'contact', fields: 'name' },
    means:
      'The source blanked the field, and the service empties it neither with null nor with an empty text: clear it there by hand. The next change of the record tries again.',
  },
  'the service ignores mail_status; its key seems to lack the permission to set it': {
    level: 'warn',
    fields: { contact_id: 'contact', wanted: 'count', found: 'count' },
    means:
      'Have the permission added to the key. Until then records whose mail_status is 1 or 2 fail, one of them is tried in every run, and nobody is made without it. Or take mail_status out of the mapping.',
  },
  'an update that went by its mail reached another contact; it is sent again by id': {
    level: 'warn',
    fields: { contact_id: 'id', reached: 'id' },
    means:
      'The service has two contacts of one mail, and changed the one that is not linked; or it made one in place of one that is gone. Look at both, and delete or merge what is too much. This record is updated by id from then on.',
  },
  'the service removed more terms than it was asked to; they were put back': {
    level: 'warn',
    fields: { contact_id: 'contact', terms: 'told' },
    means: 'Nothing is to be done; tell the maker of the service.',
  },
  'a term is not used: the service folds its name into that of another': {
    level: 'warn',
    fields: { term: 'told', into: 'told' },
    means: 'Write it as the service does (`contact-sync terms`). `contact-sync run` names it.',
  },
  'the description of a term was not taken': {
    level: 'warn',
    fields: { term: 'name', answer: 'call' },
    means: 'The next run tries again.',
  },
  'a custom field was changed at the service': {
    level: 'warn',
    fields: { field: 'name', change: 'told' },
    means: 'Every record is looked at again. `contact-sync fields` shows it as it is now.',
  },
  'a custom field is not as the mapping expects it': {
    level: 'warn',
    fields: { problem: 'told' },
    means: '`contact-sync check` says in full what does not fit.',
  },
  'the daily allowance is used up': {
    level: 'warn',
    fields: {},
    means: '`service.rate_limit.per_day`: nothing more is sent until it is free again.',
  },
  'the rate limit is counted by this process alone': {
    level: 'warn',
    fields: { code: 'code' },
    means:
      'The file `<state.path>.window`, by which all processes share the limit, cannot be used. The process counts for itself, the day included, until it ends; processes that ask at the same time may go over the limit: make the file readable and writable for all of them, or remove it.',
  },
  'a request was answered, or got no answer': {
    level: 'debug',
    fields: { method: 'name', path: 'call', status: 'id', attempt: 'count', ms: 'ms' },
    means: 'One attempt; `status` is `none` where no answer came.',
  },
  'a request is sent again': {
    level: 'debug',
    fields: { method: 'name', path: 'call', attempt: 'count', wait_ms: 'ms', answer: 'call' },
    means: 'After this answer, so much later.',
  },
  'the service asks for fewer requests': {
    level: 'debug',
    fields: { wait_ms: 'ms', answer: 'call' },
    means: 'All calls wait, and go more slowly for a while.',
  },
  'all requests wait': {
    level: 'debug',
    fields: { wait_ms: 'ms' },
    means: 'The service said that nothing is left for now, or that it is away for so long.',
  },
  // Alerts.
  'an alert was delivered': {
    level: 'info',
    fields: { receiver: 'name', condition: 'name', event: 'name' },
    means: 'The receiver has taken a message: `raised` when something began, `recovered` when it was over.',
  },
  'an alert could not be delivered': {
    level: 'warn',
    fields: { receiver: 'name', condition: 'name', reason: 'name', wait_ms: 'ms' },
    means:
      'The receiver has not taken it; it is tried again so much later. `contact-sync alerts test` tries at once.',
  },
  'an alert was given up': {
    level: 'error',
    fields: { receiver: 'name', condition: 'name' },
    means: 'Nobody has taken it in three days.',
  },
  'alerts cannot be looked after': {
    level: 'error',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means:
      'The state failed: who was told what is not known, so that only this failure itself is told, at once and without it.',
  },
  // Traces.
  'traces cannot be delivered': {
    level: 'warn',
    fields: {},
    means:
      'The collector of `OTEL_EXPORTER_OTLP_ENDPOINT` does not take them. Runs go on; what is not taken is lost. Said once.',
  },
  'traces are delivered again': { level: 'info', fields: {}, means: 'The collector takes them again.' },
  // The log itself.
  'the log file cannot be written; standard error has everything': {
    level: 'error',
    fields: { code: 'code' },
    means:
      'A full disk, a missing right? Work goes on; each line tries the file again. Said once, on standard error.',
  },
  'the log file is written again': {
    level: 'warn',
    fields: { lines_lost: 'count' },
    means: 'So many lines are on standard error alone.',
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

/** How a field of an event is to be treated; undefined: the table lacks it. */
export function fieldKind(event: string, field: string): FieldKind | undefined {
  const { fields }: Pick<EventEntry, 'fields'> = Object.hasOwn(EVENTS, event)
    ? EVENTS[event as EventName]
    : { fields: {} }
  return ownField(COMMON_FIELDS, field) ?? ownField(fields, field) ?? ownField(fields, `${field}?`)
}
