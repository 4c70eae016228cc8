// What the operational log says of terms. A part of the table in events.ts.
import type { EventEntry } from './event-kinds.ts'

export const TERM_EVENTS = {
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
  'term not removed: the service has none of that name': {
    level: 'warn',
    fields: { term: 'told' },
    means:
      'Records no longer name it. If it was renamed at the service, their contacts still have it: remove it from them there. To rename a term, use `contact-sync terms rename`.',
  },
  'term description not accepted': {
    level: 'warn',
    fields: { term: 'name', answer: 'call' },
    means: 'The next run tries again.',
  },
} as const satisfies Readonly<Record<string, EventEntry>>
