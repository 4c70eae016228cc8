// Events of requests, and of what the service does. Part of the table of events.
import type { EventEntry } from './event-kinds.ts'
import { TERM_EVENTS } from './term-events.ts'

export const REQUEST_EVENTS = {
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
  ...TERM_EVENTS,
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
  'requests paused: the service had asked for it before': {
    level: 'info',
    fields: { wait_ms: 'ms' },
    means:
      'Another process, or this one before its start, was asked by the service to wait. All calls wait for the rest of that time.',
  },
} as const satisfies Readonly<Record<string, EventEntry>>
