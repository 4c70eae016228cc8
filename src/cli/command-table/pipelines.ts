// The commands about pipelines and their configuration.
import { DECIDING } from './deciding.ts'
import type { CommandEntry } from './entry.ts'

/** What is listed as text stands in memory first, below the totals. */
const LONGEST_LIST = 100_000

function listLength(text: string): number {
  const length = Number(text)
  if (!/^\d+$/.test(text) || length > LONGEST_LIST)
    throw new RangeError(
      `Write a number from 0 to ${LONGEST_LIST}; --json without --limit lists all changes.`,
    )
  return length
}

function fileCount(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1) throw new RangeError('Write a number from 1.')
  return count
}

export const PIPELINE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'the daemon: runs every pipeline on its schedule',
    description:
      'Runs every pipeline on its schedule, serves /healthz and /readyz, and stops cleanly on SIGTERM.',
    examples: ['contact-sync start --config /config/contact-sync.yaml'],
    load: async () => (await import('../commands/start.ts')).start,
  },
  {
    name: 'run',
    summary: 'runs now, once, and prints what it did',
    description: 'Runs the pipelines named (all of them, if none is) once, now, and prints what was done.',
    arguments: '[PIPELINE...]',
    options: [...DECIDING],
    accounts: 'each',
    examples: ['contact-sync run', 'contact-sync run shop --json'],
    load: async () => (await import('../commands/run.ts')).run,
  },
  {
    name: 'pause',
    summary: 'lets pipelines send nothing until they are resumed',
    description:
      'Pauses the pipelines named (all of them, if none is). Ends a run that is active, in good order, and is kept over restarts. A file that is being read is left, and read again after the pause. Files stay where they are, decisions are taken and wait, and a run that is asked for ends with exit code 4 and the reason.',
    arguments: '[PIPELINE...]',
    options: [...DECIDING],
    accounts: 'each',
    examples: ['contact-sync pause', 'contact-sync pause shop --reason "wrong export, asked the shop"'],
    load: async () => (await import('../commands/pause.ts')).pause,
  },
  {
    name: 'resume',
    summary: 'lets paused pipelines run again',
    description: 'Resumes the pipelines named (all of them, if none is). What was due meanwhile runs once.',
    arguments: '[PIPELINE...]',
    options: [...DECIDING],
    accounts: 'each',
    examples: ['contact-sync resume', 'contact-sync resume shop'],
    load: async () => (await import('../commands/pause.ts')).resume,
  },
  {
    name: 'reload',
    summary: 'lets the daemon read the configuration again',
    description:
      'The same as SIGHUP, with an answer: prints the problems of a configuration that is refused, and exits with 2 then; the one in use stays.',
    options: [...DECIDING],
    accounts: 'each',
    examples: ['contact-sync reload'],
    load: async () => (await import('../commands/pause.ts')).reload,
  },
  {
    name: 'plan',
    summary: 'shows field by field what a run would change; writes nothing',
    description:
      'Reads, maps and compares like a run, sends no write and leaves no trace in state, files or service. Shows the number of changes by field, term and country, then groups of equal changes with an example each, then single changes: at most one screen. With --json every change is listed.',
    arguments: '[PIPELINE...]',
    options: [
      {
        flags: '--key <KEY>',
        help: 'lists the changes of one record only; the totals are those of the whole plan',
      },
      {
        flags: '--limit <N>',
        help: 'lists N changes one by one, in the order of sending, instead of groups',
        read: listLength,
      },
      {
        flags: '--offline',
        help: 'sends no request and needs no API key: reads state and files only, and names what is unknown for that reason',
      },
      {
        flags: '--output <FILE>',
        help: 'writes a searchable HTML page with up to 5,000 changes, or as many as --limit; contains personal data',
      },
      {
        flags: '--markdown <FILE>',
        help: 'writes the totals as Markdown, for a pull request: no values, no keys',
      },
    ],
    accounts: 'each',
    singleWith: ['output', 'markdown'],
    examples: [
      'contact-sync plan shop',
      'contact-sync plan shop --key K4711',
      'contact-sync plan shop --limit 100',
      'contact-sync plan --json > plan.json',
      'contact-sync plan --output plan.html --markdown plan.md',
    ],
    load: async () => (await import('../commands/plan.ts')).plan,
  },
  {
    name: 'rehearse',
    summary: 'shows what a new configuration would change about processed files; writes nothing',
    description:
      'Reads the last processed files of each pipeline under the configuration in force and under another one, and compares the outcomes record by record: how many are mapped, skipped or rejected differently, and which fields, terms and keys change. Sends no request, and writes neither state nor files. Exits with 3 if the new configuration cannot read a file that the old one reads.',
    options: [
      { flags: '--with <NEW.yaml>', help: 'the new configuration; the old one is that of --config' },
      {
        flags: '--files <N>',
        help: 'the last N processed files of each pipeline; 3 by default',
        read: fileCount,
      },
      {
        flags: '--markdown <FILE>',
        help: 'writes the numbers as Markdown, for a pull request: no values, no keys, no names of rare terms',
      },
    ],
    examples: [
      'contact-sync rehearse --with new.yaml',
      'contact-sync rehearse --with new.yaml --files 10 --json',
      'contact-sync rehearse --with new.yaml --markdown rehearsal.md',
    ],
    load: async () => (await import('../rehearsal/rehearse.ts')).rehearseConfiguration,
  },
  {
    name: 'undo',
    summary: 'reverts what a run did, if it is still as that run left it',
    description:
      'Restores the fields and terms that a run changed, contact by contact. Every contact is read first: values that a later run, or a user of the service, has changed since stay and are named. Contacts that the run created stay, too, unless --delete-created is given. Guards apply as to any plan.',
    arguments: '<RUN>',
    options: [
      { flags: '--contact <CONTACT>', help: 'of one contact alone, by key, mail or id' },
      {
        flags: '--delete-created',
        help: 'deletes contacts that the run created and that were not changed since; if the service merged one into an existing contact (check email, auto), this deletes that contact',
      },
      {
        flags: '--added-terms',
        help: 'removes terms added under the policy add, even though it was not checked whether the contact had them before',
      },
      { flags: '--plan', help: 'shows what it would do, and does nothing' },
      {
        flags: '--pause',
        help: 'pauses the pipeline before it, for the next export would send the values again; also where it is paused already',
      },
      { flags: '--yes', help: 'does not ask' },
      ...DECIDING,
    ],
    accounts: 'found',
    examples: [
      'contact-sync undo 20261121-140509-1a2b3c --plan',
      'contact-sync undo 20261121-140509-1a2b3c --contact anna@example.com --yes',
      'contact-sync undo 20261121-140509-1a2b3c --pause --reason "wrong file" --yes',
    ],
    load: async () => (await import('../commands/undo.ts')).undo,
  },
  {
    name: 'init',
    summary: 'proposes a configuration from sample files',
    description:
      'Looks at one or more sample files of one export: their vendor, encoding, delimiter and header, and what each column holds, by its values first and its name second. Writes a commented configuration that says for each field how sure it is and why, and what was left out; beside it the JSON Schema for editors. Asks on a terminal if it is not sure, and shows three values with each question. Ends with the plan of the samples if CONTACT_SYNC_BASE_URL and CONTACT_SYNC_API_KEY are set. With --json the proposal is printed, and a file is written only if --output names one.',
    arguments: '<FILE...>',
    options: [
      { flags: '--pipeline <NAME>', help: 'the name of the pipeline; the vendor or the file by default' },
      {
        flags: '--output <FILE>',
        help: 'the file to write; - is standard output. An existing file is replaced only after a question, and never with --yes',
      },
      { flags: '--yes', help: 'asks nothing: a guess below 0.9 is left out, as a comment' },
    ],
    examples: [
      'contact-sync init export.csv',
      'contact-sync init monday.csv tuesday.csv --pipeline shop --output config/shop.yaml',
      'contact-sync init export.csv --yes --output -',
      'contact-sync init export.csv --json',
    ],
    load: async () => (await import('../init/init.ts')).init,
  },
  {
    name: 'check',
    summary: 'checks configuration, secrets, columns, terms, custom fields and the connection',
    description: 'Reports all problems at once, and writes nothing.',
    examples: ['contact-sync check', 'contact-sync check --config staging.yaml --json'],
    load: async () => (await import('../commands/check.ts')).check,
  },
  {
    name: 'test',
    summary: "runs the tests of the pipelines' mappings",
    description:
      'Maps the records under `tests` of the pipelines named (all of them, if none is), and shows for each failed test what was expected and what resulted. It reads the configuration only, neither state nor service. Exit code 3 if a test fails.',
    arguments: '[PIPELINE...]',
    accounts: 'each',
    examples: ['contact-sync test', 'contact-sync test shop --json'],
    load: async () => (await import('../commands/test.ts')).testMappings,
  },
  {
    name: 'streams',
    summary: 'lists the streams and fields of a Singer tap',
    description:
      'Starts the tap of a pipeline with --discover and lists its streams, with keys, and their fields under the names that a mapping uses as columns. Reads the configuration only, neither state nor service.',
    arguments: '[PIPELINE]',
    options: [
      {
        flags: '--output <FILE>',
        help: 'writes the catalog as the tap gave it, for source.catalog; an existing file is replaced',
      },
    ],
    examples: ['contact-sync streams crm', 'contact-sync streams crm --output crm-catalog.json'],
    load: async () => (await import('../singer/streams.ts')).streams,
  },
  {
    name: 'target',
    summary: 'reads Singer messages from standard input, and writes each STATE once it is safe',
    description:
      'Stands at the end of a pipe: tap | contact-sync target. Reads Singer messages from standard input and pushes the records of one stream through a pipeline whose source has type: singer and no command. Writes the value of each STATE to standard output, as one line of JSON, after the outcomes of all records before it; everything else goes to standard error. A line that is no Singer message ends it with exit code 3 and the number of the line.',
    arguments: '[PIPELINE]',
    examples: [
      'tap-x --config tap.json | contact-sync target crm >> states.jsonl',
      'contact-sync target < recorded.jsonl',
    ],
    load: async () => (await import('../singer/target.ts')).target,
  },
  {
    name: 'status',
    summary: 'each pipeline at a glance',
    description:
      'Shows for each pipeline its last run with its counts and its next run, waiting files, what is still to be sent and how long that takes under the rate limit, and what needs attention, with the command to use next. Reads the state and the inbox only, and works beside the daemon.',
    arguments: '[PIPELINE...]',
    options: [
      { flags: '--watch', help: 'repeats until it is stopped; with --json one line each time' },
      { flags: '--every <SECONDS>', help: 'with --watch: how often', standard: '2' },
    ],
    accounts: 'each',
    singleWith: ['watch'],
    examples: ['contact-sync status', 'contact-sync status shop --json', 'contact-sync status --watch'],
    load: async () => (await import('../commands/status.ts')).status,
  },
  {
    name: 'schema',
    summary: 'the JSON Schema of the configuration',
    description:
      'Prints the JSON Schema of the configuration file, for editors that complete and check YAML.',
    examples: ['contact-sync schema > contact-sync.schema.json'],
    load: async () => (await import('../commands/schema.ts')).schema,
  },
]
