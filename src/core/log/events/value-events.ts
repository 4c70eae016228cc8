// Events about values, terms and records of one file, logged once its plan is made. Part of the table of events.
import type { EventEntry } from './event-kinds.ts'

export const VALUE_EVENTS = {
  'values dropped or truncated': {
    level: 'warn',
    fields: { field: 'name', times: 'count' },
    means: 'As `on_invalid` configures.',
  },
  'values look damaged: sent unchanged': {
    level: 'warn',
    fields: { file: 'file', kind: 'name', times: 'count' },
    means:
      '`times` values of mapped columns, in records that are new or changed. `kind`: control characters of Windows-1252 (a wrong encoding), a leading apostrophe or `="..."`, `#NAME?` and the like, numbers such as 4,91711E+11 (digits are lost: export the column as text), `&uuml;` and the like. Fix the exporter, or set `repair`.',
  },
  'values repaired': {
    level: 'info',
    fields: { file: 'file', repair: 'name', times: 'count' },
    means: 'As `repair` configures, in records that are new or changed: spreadsheet, html or c1.',
  },
  'terms ignored: a later record of the same key counts': {
    level: 'warn',
    fields: { file: 'file', records: 'count' },
    means:
      'Under `on_duplicate_key: last` the last accepted record of a key counts, with its terms alone. `records` earlier records name terms that it does not. `on_duplicate_key: union` gives the terms of all rows.',
  },
  'records probably the same person under different keys': {
    level: 'info',
    fields: { file: 'file', pairs: 'count' },
    means:
      'New records of the file, compared with each other and with linked records. Nothing is merged or held. `plan` and the summary of a run name up to 20 pairs with `--json` (`likely_same`).',
  },
  'consents not raised: no evidence': {
    level: 'warn',
    fields: { file: 'file', lack: 'name', records: 'count' },
    means:
      'Under `require_evidence`: these records say 4 or 7, and were sent without it. `missing`: a column of the evidence says nothing, or no day. `future`: its day has not come yet. `earlier`: a 1 or 2 was seen on that day or later.',
  },
  'mail_status 1 or 2 of a deleted contact stands again': {
    level: 'warn',
    fields: { records: 'count' },
    means:
      'Records came back whose contacts were blocked or unsubscribed when they were deleted. Their new contacts are created with that status, whatever the records say; `allow_consent_raise` lets a record raise it.',
  },
  'records skipped: several contacts have the e-mail address': {
    level: 'warn',
    fields: { file: 'file', records: 'count' },
    means:
      '`writes: update` changes a contact only if exactly one has the e-mail address. Merge the others at the service, or distinguish them with `key: { fields: [mail, first_name] }`.',
  },
} as const satisfies Record<string, EventEntry>
