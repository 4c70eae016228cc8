// The events about what is kept, and for how long: old data, and the head of the sync log elsewhere.
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
  'old data not removed': {
    level: 'warn',
    fields: { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means: 'The run is not affected; a later run tries again. Fix the permissions of the folder.',
  },
} as const satisfies Record<string, EventEntry>
