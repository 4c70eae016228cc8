// Events about what became of values, terms and records of one file, said once its plan stands. Part of the table of events.
import type { EventEntry } from './event-kinds.ts'

export const VALUE_EVENTS = {
  'values were dropped or cut': {
    level: 'warn',
    fields: { field: 'name', times: 'count' },
    means: 'As `on_invalid` asks for.',
  },
  'values look damaged; they are sent unchanged': {
    level: 'warn',
    fields: { file: 'file', kind: 'name', times: 'count' },
    means:
      'So many values of mapped columns, in records that are new or changed. `kind`: control characters of Windows-1252 (a wrong encoding), a leading apostrophe or `="..."`, `#NAME?` and the like, numbers such as 4,91711E+11 (digits are lost: export the column as text), `&uuml;` and the like. Mend the exporter, or set `repair`.',
  },
  'values were repaired': {
    level: 'info',
    fields: { file: 'file', repair: 'name', times: 'count' },
    means: 'As `repair` asks for, in records that are new or changed: spreadsheet, html or c1.',
  },
  'terms of records were not given: a later record of the same key counts': {
    level: 'warn',
    fields: { file: 'file', records: 'count' },
    means:
      'Under `on_duplicate_key: last` the last accepted record of a key counts, with its terms alone. So many records before it name terms that it does not. `on_duplicate_key: union` gives the terms of all rows.',
  },
  'records were skipped: the service has several contacts of their mail': {
    level: 'warn',
    fields: { file: 'file', records: 'count' },
    means:
      '`writes: update` changes a contact only where exactly one has the mail. Merge the others at the service, or tell them apart with `key: { fields: [mail, first_name] }`.',
  },
} as const satisfies Record<string, EventEntry>
