// The events about decisions that commands and the console hand to the owner of the state. Never what they are about.
import type { EventEntry } from './event-kinds.ts'

export const DECISION_EVENTS = {
  'decision taken': {
    level: 'info',
    fields: { decision: 'name' },
    means: 'Another command had this decided by the process that has the state. The sync log says by whom.',
  },
  'decision refused': {
    level: 'warn',
    fields: { decision: 'name', 'code?': 'code', 'error?': 'name', 'at?': 'name' },
    means:
      'The command has the reason; nothing was changed. `error`: a fault of the program, with its place.',
  },
  'decision resumed': {
    level: 'warn',
    fields: { decision: 'name', outcome: 'name', 'code?': 'code' },
    means:
      'A process was killed while it took this decision. `taken`: it is taken now, as a whole. `refused`: it could not be, or had been taken; the sync log says which. `left`: this version does not know it, one that does takes it.',
  },
  'erasure not completed': {
    level: 'warn',
    fields: { code: 'name' },
    means:
      'A process was ended while it erased a person: the rows are gone, and the file of the state could not be rewritten without them yet. The next start tries again; `code` says what is in the way.',
  },
  'no socket for decisions': {
    level: 'warn',
    fields: { error: 'name', 'code?': 'code', 'at?': 'name' },
    means:
      'Neither beside the state nor in the temporary folder a socket can be made. Commands that decide end with 6 while this process runs.',
  },
  'reads not noted': {
    level: 'warn',
    fields: { reads: 'count', error: 'name', 'code?': 'code', 'detail?': 'name', 'at?': 'name' },
    means: 'So many looks at data of persons are missing in `audit reads`: the state could not be written.',
  },
  'erased person at the service again': {
    level: 'warn',
    fields: { contact_id: 'id', print: 'name' },
    means:
      'The contact shows the e-mail address of a person who was erased; `print` is its keyed hash. Nothing is sent for them. contact-sync status says how to erase them there.',
  },
  'pipelines paused': {
    level: 'warn',
    fields: { pipelines: 'count' },
    means: 'So many pipelines send nothing until contact-sync resume.',
  },
  'brake watches the first contacts': {
    level: 'warn',
    fields: { term: 'name', above: 'count', first: 'count' },
    means:
      'More contacts ask for the term than guards.brake.above. After guards.brake.watch the first are read again.',
  },
  'brake opened': {
    level: 'info',
    fields: { term: 'name', drawn: 'count', unsubscribed: 'count', refused: 'count' },
    means: 'The first contacts that got the term stay below guards.brake.stop_when: the rest is given it.',
  },
  'brake holds the rest': {
    level: 'warn',
    fields: { term: 'name', drawn: 'count', unsubscribed: 'count', refused: 'count' },
    means: 'A limit of guards.brake.stop_when is reached. See `contact-sync held list`; an operator decides.',
  },
  'values set by corrections': {
    level: 'info',
    fields: { fields: 'count' },
    means:
      'Fields of records that were read or sent have the value of a correction: `contact-sync corrections list`.',
  },
  'corrections ended': {
    level: 'info',
    fields: { corrections: 'count' },
    means: 'The source says something new about them. The sync log has each, with the reason.',
  },
  'corrections wait for a file': {
    level: 'warn',
    fields: { file: 'file' },
    means:
      'The rejected records of this file cannot be mapped as they came. A later file that has them is needed.',
  },
  'releases withdrawn: settings changed': {
    level: 'warn',
    fields: { changes: 'count' },
    means:
      'Approvers released these changes under other settings of the pipeline, or some of them are approvers no longer. They wait for approvers again: `contact-sync held list`.',
  },
} as const satisfies Record<string, EventEntry>
