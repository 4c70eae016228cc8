// The command line, made from the command tables. What a command does lies in its own file and is loaded only when it is called.
import { Command, CommanderError } from 'commander'
import { AUDIT } from './command-table/audit.ts'
import type { CommandEntry } from './command-table/entry.ts'
import { DOUBTS, HELD, REJECTS } from './command-table/open-ends.ts'
import { PIPELINE_COMMANDS } from './command-table/pipelines.ts'
import { SANDBOX_COMMANDS, SERVICE_COMMANDS } from './command-table/service.ts'
import { STATE } from './command-table/state.ts'
import type { CommonOptions, Io } from './io.ts'
import { errorMessage } from './messages.ts'
import { VERSION } from './version.ts'

const EXIT_CODES = `
Exit codes:
  0  done                                   4  a safety guard held changes back
  1  internal error                         5  service unreachable or key refused
  2  usage or configuration                 6  another process holds the state
  3  done, but some records were rejected,  130, 143  ended by SIGINT, SIGTERM
     failed or in doubt
`

const COMMANDS = [...PIPELINE_COMMANDS, ...SERVICE_COMMANDS, ...SANDBOX_COMMANDS]
const GROUPS = [REJECTS, DOUBTS, HELD, AUDIT, STATE]

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
  for (const { name, summary, entries } of GROUPS) {
    const group = program.command(name).summary(summary)
    for (const entry of entries) addCommand(group, entry, io, outcome)
  }
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
