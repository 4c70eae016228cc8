// The events about what is kept, and for how long: old data, the head of the sync log elsewhere, and looks for drift.
import type { EventEntry } from './event-kinds.ts'

export const KEEPING_EVENTS = {
  'old data removed': {
    level: 'info',
    fields: {
      processed: 'count',
      failed: 'count',
      rejects: 'count',
      runs: 'count',
      sync_log: 'count',
      reads: 'count',
    },
    means:
      'After a run, as `keep` configures: the numbers of files in `processed/` and `failed/`, of rows in the state, of values in the sync log, and of rows that say who looked at whose data.',
  },
  'opt-outs written': {
    level: 'info',
    fields: { contacts: 'count' },
    means:
      'A file in `consents.outbox` names contacts that were found blocked or unsubscribed at the service.',
  },
  'opt-outs not written': {
    level: 'warn',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means:
      'The folder `consents.outbox` cannot be written. The opt-outs stay in the state, and the next run writes them.',
  },
  'witness written': {
    level: 'info',
    fields: { sync_log_entries: 'count', sync_log_head: 'name' },
    means: 'The head of the sync log was written to `audit.witness.to`.',
  },
  'witness not written': {
    level: 'warn',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means:
      'The head of the sync log could not be written to `audit.witness.to`; the next try is after ten minutes.',
  },
  'sync log handed over': {
    level: 'info',
    fields: { entries: 'count', sync_log_entries: 'count' },
    means: '`audit.hand_over.to` has `entries` more, up to entry `sync_log_entries` of the sync log.',
  },
  'sync log not handed over': {
    level: 'warn',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means:
      '`audit.hand_over.to` does not accept the entries; they stay in the sync log. Tried again after 1, 2, 4 and up to 30 minutes; reported once, until it succeeds.',
  },
  'looked for drift': {
    level: 'info',
    fields: { checked: 'count', differing: 'count', gone: 'count', kept: 'count', unread: 'count' },
    means:
      'A round of looks at all linked contacts of the pipeline has ended, as `drift` configures: how many were compared with what was last sent, and how many of them differ, are gone or show only edits that are kept.',
  },
  'more drift than allowed': {
    level: 'warn',
    fields: { checked: 'count', differing: 'count', allowed: 'name' },
    means:
      'A larger share of the contacts than `drift.share` differs from what was last sent. contact-sync drift shows in which fields, and how to set them back.',
  },
  'looks for drift interrupted': {
    level: 'warn',
    fields: { code: 'code' },
    means: 'The service could not be used. The round continues after an hour where it stopped.',
  },
  'old data not removed': {
    level: 'warn',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means: 'The run is not affected; a later run tries again. Fix the permissions of the folder.',
  },
} as const satisfies Record<string, EventEntry>
