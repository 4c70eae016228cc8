// What help says beside the command tables: arguments, exit codes, files, variables, what to read next. A command that
// has no line here gets what holds for all.

/** By command and argument where the meaning is specific, else by argument. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  PIPELINE: 'a pipeline of the configuration; default: all',
  FILE: 'the file to write, readable by its owner only; an existing file is replaced, and the output says so',
  'state backup FILE': 'the file to write; an existing file is an error',
  'support-bundle FILE':
    'the archive to write, contact-sync-support-<time>.tar.gz by default; an existing file is an error',
  'init FILE':
    'a sample of the export, as CSV, JSON, Excel or vCard; several samples of one export give better results',
  'streams PIPELINE': 'a pipeline with source.type: singer; default: the only one',
  'target PIPELINE': 'a pipeline with source.type: singer and no source.command; default: the only one',
  RUN: 'the id of a run, as run, status and held list show it',
  ID: 'the id of a run, as run and status show it',
  'doubts resolve ID': 'the number of the operation, as doubts list shows it',
  CONTACT:
    'a key, an e-mail address or the id of a contact; the prefix key:, mail: or id: makes it unambiguous',
  'contact CONTACT': 'the id of a contact at the service, or its e-mail address',
  'explain PIPELINE': 'the pipeline of the record',
  'explain RECORD': 'the key of the record in its source, or its e-mail address',
  'correct PIPELINE': 'the pipeline of the record',
  'correct RECORD':
    'the key of a record, FILE:LINE, or the id of a reject; key:TEXT and reject:ID where one text could be both',
  'correct FIELD=VALUE': 'a field of the mapping and the value that the service is to have',
  'corrections drop ID': 'the id of a correction, as corrections list shows it',
  'corrections export FILE': 'the file to write',
  'corrections import FILE': 'a file with the columns pipeline, key, field, corrected and reason',
  'edits release PIPELINE': 'the pipeline of the record',
  'edits release KEY': 'the key of the record, as edits list shows it',
  OTHER: 'the id of another run, earlier or later',
  HASH: 'the configuration of an entry, or at least its first six characters',
  COMMAND: 'a command, or a group and one of its commands',
  'state rename-pipeline OLD': 'the name of the pipeline in the state',
  'state rename-pipeline NEW': 'its name in the configuration',
  'state drop-pipeline NAME': 'a pipeline that the state knows and the configuration does not',
  'state forget-date-order PIPELINE': 'a pipeline of the configuration',
  'state forget-date-order COLUMN': 'a column with date: auto, as named in the mapping; default: all',
  'terms rename': 'renames a term; without this word nothing is changed',
  'terms OLD': 'the name of the term at the service',
  'terms NEW': 'its new name',
  SHELL: 'bash, zsh or fish',
}

export const argumentHelp = (path: string, argument: string): string | undefined =>
  ARGUMENTS[`${path} ${argument}`] ?? ARGUMENTS[argument]

const RUNS = [0, 1, 2, 3, 4, 5, 6, 130, 143]

const EXITS: Readonly<Record<string, readonly number[]>> = {
  start: [1, 2, 6, 130, 143],
  run: RUNS,
  undo: RUNS,
  'rejects retry': RUNS,
  plan: [0, 1, 2, 3, 4, 5, 130, 143],
  rehearse: [0, 1, 2, 3, 130, 143],
  check: [0, 1, 2, 5],
  test: [0, 1, 2, 3],
  target: RUNS,
  streams: [0, 1, 2, 130, 143],
  status: [0, 1, 2, 130, 143],
  terms: [0, 1, 2, 5, 6],
  fields: [0, 1, 2, 5],
  contact: [0, 1, 2, 5],
  explain: [0, 1, 2, 5],
  drift: [0, 1, 2, 3, 5, 6, 130, 143],
  probe: [0, 1, 2, 3, 5, 130, 143],
  sandbox: [1, 2, 130, 143],
  demo: [0, 1, 130, 143],
  'held release': [0, 1, 2, 4, 6],
  'held drop': [0, 1, 2, 6],
  pause: [0, 1, 2, 6],
  resume: [0, 1, 2, 6],
  reload: [0, 1, 2, 6],
  'edits release': [0, 1, 2, 6],
  correct: [0, 1, 2, 6],
  'corrections drop': [0, 1, 2, 6],
  'corrections import': [0, 1, 2, 3, 6],
  'doubts resolve': [0, 1, 2, 4, 5, 6],
  'state rebuild': [0, 1, 2, 3, 5, 6, 130, 143],
  'state accept': [0, 1, 2, 6],
  'state rebind': [0, 1, 2, 5, 6],
  'alerts test': [0, 1, 2, 3],
  'audit verify': [0, 1, 2, 6],
  'audit hand-over': [0, 1, 2, 3, 6],
  'audit witness': [0, 1, 2, 3],
  'state rename-pipeline': [0, 1, 2, 6],
  'state drop-pipeline': [0, 1, 2, 6],
  'state forget-date-order': [0, 1, 2, 6],
  'audit forget': [0, 1, 2, 3, 5, 6],
}

export const exitCodes = (path: string): readonly number[] => EXITS[path] ?? [0, 1, 2]

export interface Fact {
  readonly term: string
  readonly text: string
}

const CONFIGURATION: Fact = {
  term: 'config/contact-sync.yaml',
  text: 'the default configuration, unless --config or CONTACT_SYNC_CONFIG names another. Paths in it are relative to its own folder',
}
const STATE: Fact = {
  term: 'state.path',
  text: 'the state: links, journal, rejects, sync log. Personal data',
}
const FILES: Readonly<Record<string, readonly Fact[]>> = {
  inbox: [
    {
      term: 'source.folder',
      text: 'the inbox of a pipeline, with processed/ and failed/ inside',
    },
  ],
  log: [{ term: 'log.folder', text: 'the operational log, one file per day' }],
}

const WITHOUT_CONFIGURATION = ['init', 'help', 'schema', 'sandbox', 'demo']
const WITHOUT_STATE = ['completion', 'test', 'streams']
const WITH_INBOX = ['explain', 'start', 'run', 'plan', 'rehearse', 'check', 'status', 'state rebuild']

/** Of what a command reads and writes; keys of the configuration where it says the place. */
export function files(path: string): readonly Fact[] {
  if (WITHOUT_CONFIGURATION.includes(path))
    return [{ term: 'none', text: 'neither configuration nor state is read' }]
  const isInbox = WITH_INBOX.includes(path)
  const isLogging = ['start', 'run', 'target', 'rejects retry', 'undo', 'support-bundle'].includes(path)
  return [
    CONFIGURATION,
    ...(WITHOUT_STATE.includes(path) ? [] : [STATE]),
    ...(isInbox ? (FILES['inbox'] ?? []) : []),
    ...(isLogging ? (FILES['log'] ?? []) : []),
  ]
}

export const ENVIRONMENT: readonly Fact[] = [
  { term: 'CONTACT_SYNC_CONFIG', text: 'the configuration, where --config names none' },
  {
    term: 'CONTACT_SYNC_API_KEY, ...',
    text: 'variables that the configuration uses as ${NAME}',
  },
  { term: 'NO_COLOR', text: 'no colours, if set and not empty' },
]

const SEE_ALSO: Readonly<Record<string, readonly string[]>> = {
  start: ['contact-sync run', 'contact-sync status', 'state/README.md'],
  run: ['contact-sync plan', 'contact-sync status', 'contact-sync rejects list', 'contact-sync held list'],
  plan: ['contact-sync check', 'contact-sync run'],
  rehearse: ['contact-sync test', 'contact-sync plan', 'config/README.md'],
  init: ['contact-sync check', 'contact-sync plan', 'config/README.md'],
  check: ['contact-sync plan', 'contact-sync schema', 'config/README.md'],
  test: ['contact-sync check', 'contact-sync plan', 'config/README.md'],
  target: ['contact-sync streams', 'contact-sync run', 'config/sources/singer.md'],
  streams: ['contact-sync check', 'config/sources/singer.md'],
  status: [
    'contact-sync state info',
    'contact-sync rejects list',
    'contact-sync held list',
    'contact-sync doubts list',
  ],
  undo: ['contact-sync audit run', 'contact-sync held list', 'state/README.md'],
  schema: ['contact-sync check', 'config/REFERENCE.md'],
  terms: ['contact-sync fields', 'contact-sync check'],
  fields: ['contact-sync terms', 'contact-sync check'],
  explain: ['contact-sync audit show', 'contact-sync contact', 'contact-sync test'],
  drift: [
    'contact-sync held release',
    'contact-sync edits list',
    'contact-sync explain',
    'contact-sync status',
  ],
  probe: ['contact-sync check', 'contact-sync sandbox', 'config/README.md'],
  contact: ['contact-sync audit show', 'contact-sync explain', 'contact-sync terms', 'contact-sync fields'],
  sandbox: ['contact-sync demo'],
  demo: ['contact-sync sandbox', 'README.md'],
  'support-bundle': ['contact-sync state info', 'contact-sync status', 'state/README.md'],
}

/** `siblings`: the other commands of its group. */
export const seeAlso = (path: string, siblings: readonly string[]): readonly string[] =>
  SEE_ALSO[path] ?? [...siblings.map((one) => `contact-sync ${one}`), 'contact-sync help']
