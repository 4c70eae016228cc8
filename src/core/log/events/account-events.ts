// Events about the accounts of a configuration that has several. Part of the table of events.
import type { EventEntry } from './event-kinds.ts'

const FACTS = { error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' } as const

export const ACCOUNT_EVENTS = {
  'account not started': {
    level: 'error',
    fields: FACTS,
    means:
      'What keeps it from starting; the other accounts are at work. `/readyz` names it. Tried again at the next start, and after SIGHUP.',
  },
  'account stopped by an error': {
    level: 'error',
    fields: FACTS,
    means: 'Its state cannot be used any more; the other accounts are at work. Tried again after SIGHUP.',
  },
  'file of the configuration refused': {
    level: 'error',
    fields: { file: 'name', problems: 'count' },
    means:
      'A file of the folder is broken: its pipelines are not in use, all others are. `contact-sync check` has the problems. What ran by it before a reload continues as it was.',
  },
  'account added': { level: 'info', fields: {}, means: 'A reload found it in the configuration.' },
  'account removed': {
    level: 'info',
    fields: {},
    means: 'A reload did not find it in the configuration any more. Its state stays.',
  },
} as const satisfies Readonly<Record<string, EventEntry>>
