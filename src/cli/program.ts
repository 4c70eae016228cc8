// The command line: which commands there are, with their options, help and examples. What a command does lies in
// its own file and is loaded only when it is called.
import { Command, CommanderError, Option } from 'commander'
import type { CommonOptions, Io } from './io.ts'
import { errorMessage } from './messages.ts'
import { VERSION } from './version.ts'

type Action = (io: Io, options: never, names: string[]) => Promise<number>

interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly arguments?: string
  readonly options?: readonly Option[]
  readonly examples: readonly string[]
  /** More of its help, loaded only where the command is named. */
  moreHelp?(): Promise<string>
  load(): Promise<Action>
}

const EXIT_CODES = `
Exit codes:
  0  done                                   4  a safety guard held changes back
  1  internal error                         5  service unreachable or key refused
  2  usage or configuration                 6  another process holds the state
  3  done, but some records were rejected,  130, 143  ended by SIGINT, SIGTERM
     failed or in doubt
`

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'the daemon: runs every pipeline on its schedule',
    description:
      'Runs every pipeline on its schedule, serves /healthz and /readyz, and ends in good order on SIGTERM.',
    examples: ['contact-sync start --config /config/contact-sync.yaml'],
    load: async () => (await import('./commands/start.ts')).start,
  },
  {
    name: 'run',
    summary: 'runs now, once, and prints what it did',
    description: 'Runs the pipelines named (all of them, if none is) once, now, and prints what was done.',
    arguments: '[PIPELINE...]',
    examples: ['contact-sync run', 'contact-sync run shop --json'],
    load: async () => (await import('./commands/run.ts')).run,
  },
  {
    name: 'plan',
    summary: 'shows field by field what a run would change; writes nothing',
    description:
      'Reads, maps and compares like a run, sends no write and leaves no trace in state, files or service.',
    arguments: '[PIPELINE...]',
    examples: ['contact-sync plan shop', 'contact-sync plan --json > plan.json'],
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  {
    name: 'check',
    summary: 'checks configuration, secrets, columns, terms, custom fields and the connection',
    description: 'Names everything that is wrong at once, and writes nothing.',
    examples: ['contact-sync check', 'contact-sync check --config staging.yaml --json'],
    load: async () => (await import('./commands/check.ts')).check,
  },
  {
    name: 'status',
    summary: 'each pipeline at a glance',
    description:
      "Each pipeline's last and next run, and how many records are linked, rejected, held and in doubt.",
    examples: ['contact-sync status', 'contact-sync status --json'],
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    name: 'terms',
    summary: 'the terms (tags) that the service has',
    description: 'Lists the terms of the service, with their ids and descriptions.',
    examples: ['contact-sync terms', 'contact-sync terms --json'],
    load: async () => (await import('./commands/terms.ts')).terms,
  },
  {
    name: 'fields',
    summary: 'the custom fields that the service defines',
    description: 'Lists the definitions of custom fields: id, name, type, and whether they are required.',
    examples: ['contact-sync fields', 'contact-sync fields --json'],
    load: async () => (await import('./commands/fields.ts')).fields,
  },
  {
    name: 'schema',
    summary: 'the JSON Schema of the configuration',
    description:
      'Prints the JSON Schema of the configuration file, for editors that complete and check YAML.',
    examples: ['contact-sync schema > contact-sync.schema.json'],
    load: async () => (await import('./commands/schema.ts')).schema,
  },
  {
    name: 'sandbox',
    summary: 'serves a complete stand-in for the service on loopback',
    description:
      'Serves the interface of the service on loopback, with its data in a file or in memory, until it is ended.',
    options: [
      new Option('--port <N>', 'port to listen on; 0 takes a free one').default('8089'),
      new Option('--db <FILE>', 'keep the data in this file (in memory otherwise)'),
      new Option('--api-key <K>', 'the key that callers must send').default('sandbox-key'),
      new Option('--habit <NAME=VALUE>', 'a habit of real services, from those below; repeatable').argParser(
        (habit: string, before: readonly string[] | undefined) => [...(before ?? []), habit],
      ),
    ],
    examples: [
      'contact-sync sandbox --port 8089 --db /tmp/sandbox.db',
      'contact-sync sandbox --habit ids-as-text --habit rate-limit=5/1s --habit bulk-refusal=itself',
    ],
    moreHelp: async () => (await import('./commands/sandbox.ts')).sandboxHelp(),
    load: async () => (await import('./commands/sandbox.ts')).sandbox,
  },
  {
    name: 'demo',
    summary: 'sandbox, sample files, first run, second run; ends by itself',
    description:
      'Shows the whole line on sample exports against a sandbox, in a folder of its own that it removes again.',
    examples: ['contact-sync demo'],
    load: async () => (await import('./commands/demo.ts')).demo,
  },
]

const REJECT_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'list',
    summary: 'the rejected records, with reason, file and line',
    description: 'Lists the records that could not be pushed.',
    arguments: '[PIPELINE...]',
    examples: ['contact-sync rejects list shop'],
    load: async () => (await import('./commands/rejects.ts')).listRejects,
  },
  {
    name: 'export',
    summary: 'writes them to a CSV file that can be mended and dropped again',
    description:
      "Writes the rejected records with the source's own columns plus _reason, _file and _line (UTF-8).",
    arguments: '<FILE> [PIPELINE...]',
    examples: ['contact-sync rejects export mend-me.csv shop'],
    load: async () => (await import('./commands/rejects.ts')).exportRejects,
  },
  {
    name: 'retry',
    summary: 'tries them again, as they came, under the mapping of today',
    description:
      'Reads the rejected records again, maps and sends them: after a changed mapping, a new term, or a service that refused them for a while. A second record of one key, and what is no record at all, stay rejected.',
    arguments: '[PIPELINE...]',
    examples: ['contact-sync rejects retry', 'contact-sync rejects retry shop --json'],
    load: async () => (await import('./commands/run.ts')).retryRejects,
  },
]

const DOUBT_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'list',
    summary: 'operations whose outcome nobody can know without looking',
    description:
      'Lists the operations in doubt. Those with a mail are looked up again by every run; the others wait for a person.',
    arguments: '[PIPELINE...]',
    examples: ['contact-sync doubts list', 'contact-sync doubts list shop --json'],
    load: async () => (await import('./commands/doubts.ts')).listDoubts,
  },
  {
    name: 'resolve',
    summary: 'says how one of them ended',
    description:
      'Settles an operation in doubt by your word: as done, with the contact that it made, or as not done, so that the next run tries it again.',
    arguments: '<ID>',
    options: [
      new Option('--as <VERDICT>', 'done or not-done'),
      new Option('--contact-id <N>', 'with --as done: the contact that a create made'),
    ],
    examples: [
      'contact-sync doubts resolve 17 --as done --contact-id 4711',
      'contact-sync doubts resolve 17 --as not-done',
    ],
    load: async () => (await import('./commands/doubts.ts')).resolve,
  },
]

const HELD_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'release',
    summary: 'lets the changes go that a guard held in a run',
    description:
      'Lets exactly these changes go with the next run. Refused if anything about them has changed since; what is newer at the source always goes first.',
    arguments: '<RUN>',
    options: [new Option('--remaining', 'where some have changed since: lets those go that have not')],
    examples: ['contact-sync held release 20261121-140509-1a2b'],
    load: async () => (await import('./commands/held.ts')).release,
  },
  {
    name: 'list',
    summary: 'what is held, with number, threshold and reason',
    description:
      'Lists what guards held back, run by run, and changes that are held for a reason of their own; those go by themselves once it is gone at the source.',
    arguments: '[PIPELINE...]',
    examples: ['contact-sync held list', 'contact-sync held list shop --json'],
    load: async () => (await import('./commands/held.ts')).listHeld,
  },
]

const STATE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'info',
    summary: 'size, integrity, counts, and whether the state is the latest',
    description:
      'Says how large the state is, who holds it, whether it is whole, how far it has come, and whether it is the latest.',
    examples: ['contact-sync state info', 'contact-sync state info --json'],
    load: async () => (await import('./commands/state-info.ts')).info,
  },
  {
    name: 'backup',
    summary: 'copies the state while contact-sync runs, and reads the copy again',
    description:
      'Writes a whole copy of the state to a new file, beside a running daemon too, and checks it. It never replaces a file.',
    arguments: '<FILE>',
    examples: ['contact-sync state backup /backup/contact-sync-$(date +%F).db'],
    load: async () => (await import('./commands/state-info.ts')).backup,
  },
  {
    name: 'rebuild',
    summary: 'finds the contacts of a lost or older state again, by mail',
    description:
      'Reads the files that wait in the inbox, looks up every record without a link by its mail, within the rate limit, and links what is surely its contact. Sends no write and moves no file; can be ended and called again.',
    arguments: '[PIPELINE...]',
    examples: ['contact-sync state rebuild', 'contact-sync state rebuild shop --json'],
    load: async () => (await import('./commands/state-rebuild.ts')).rebuild,
  },
  {
    name: 'accept',
    summary: 'goes on with a state that is not known to be the latest',
    description:
      'Takes the state as it is for the latest. What was sent since it was copied is not known to it: without the check email, contacts made since are made again.',
    examples: ['contact-sync state accept'],
    load: async () => (await import('./commands/state-rebuild.ts')).accept,
  },
]

const CONFIG_OPTION = 'the configuration (default: $CONTACT_SYNC_CONFIG, else config/contact-sync.yaml)'

interface Outcome {
  exitCode: number
}

/** By command; only of those that the arguments name. */
async function moreHelp(args: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const named = COMMANDS.filter(({ name }) => args.includes(name))
  const texts = named.map(async (entry) => [entry.name, (await entry.moreHelp?.()) ?? ''] as const)
  return new Map(await Promise.all(texts))
}

function addCommand(parent: Command, entry: CommandEntry, io: Io, outcome: Outcome): Command {
  const command = parent.command(`${entry.name}${entry.arguments === undefined ? '' : ` ${entry.arguments}`}`)
  command.summary(entry.summary).description(entry.description)
  command.option('--config <FILE>', CONFIG_OPTION)
  command.option('--json', 'one JSON document on standard output, everything else on standard error')
  for (const option of entry.options ?? []) command.addOption(option)
  command.addHelpText('after', `\nExamples:\n${entry.examples.map((example) => `  ${example}`).join('\n')}\n`)
  command.action(async () => {
    const action = await entry.load()
    outcome.exitCode = await action(io, command.opts<CommonOptions>() as never, command.args)
  })
  return command
}

function buildProgram(io: Io, outcome: Outcome, help: ReadonlyMap<string, string>): Command {
  const program = new Command('contact-sync')
  program.description('Keeps a Contact Management Service in step with the places where contacts come from.')
  program.version(VERSION, '--version', 'print the version')
  program.helpOption('-h, --help', 'print help')
  program.exitOverride()
  program.configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
  })
  program.showSuggestionAfterError()
  program.addHelpText('after', EXIT_CODES)
  for (const entry of COMMANDS)
    addCommand(program, entry, io, outcome).addHelpText('after', help.get(entry.name) ?? '')
  const rejects = program.command('rejects').summary('lists, exports or retries the rejected records')
  for (const entry of REJECT_COMMANDS) addCommand(rejects, entry, io, outcome)
  const doubts = program.command('doubts').summary('lists and settles what is in doubt')
  for (const entry of DOUBT_COMMANDS) addCommand(doubts, entry, io, outcome)
  const held = program.command('held').summary('lists and releases what was stopped')
  for (const entry of HELD_COMMANDS) addCommand(held, entry, io, outcome)
  const state = program.command('state').summary('looks after the state: info, backup, rebuild')
  for (const entry of STATE_COMMANDS) addCommand(state, entry, io, outcome)
  return program
}

/** Parses and does what was asked; gives the exit code. Every error has been printed when it returns. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  const outcome: Outcome = { exitCode: 0 }
  try {
    await buildProgram(io, outcome, await moreHelp(args)).parseAsync(args, { from: 'user' })
    return outcome.exitCode
  } catch (error) {
    // Commander has printed its own text already; asking for help is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const { text, exitCode } = errorMessage(error)
    io.stderr.write(`${text}\n`)
    return exitCode
  }
}
