// Events of the daemon. Part of the table of events.
import type { EventEntry } from './event-kinds.ts'

export const DAEMON_EVENTS = {
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
      'A page, `/metrics` or the like has no answer. With a code that begins with STATE, the state could not be read at that time; otherwise it is a bug in contact-sync: please report it with `at`. Runs continue.',
  },
} as const satisfies Readonly<Record<string, EventEntry>>
