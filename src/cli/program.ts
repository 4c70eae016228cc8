// The command line, made from the command tables. The code of a command is in its own file and is loaded only when it is called.
import { SyncError } from '../core/words/errors.ts'
import { EXIT } from '../core/words/exit-codes.ts'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { CommandEntry, CommandGroup, OptionEntry } from './command-table/entry.ts'
import { DECIDING } from './command-table/deciding.ts'
import { TREE } from './command-table/tree.ts'
import { guarded } from './guarded.ts'
import { type CommonOptions, type Io, printError, printJson } from './io.ts'
import { commandPage, groupPage, type HelpPage, programPage } from './help/page.ts'
import { pageText } from './help/render.ts'
import { errorMessage, failureAsSaid, type FailureDocument, failureDocument } from './messages.ts'
import { performed } from './accounts/performed.ts'
import { terminalOf } from './terminal.ts'
import { VERSION } from '../installation.ts'

interface Outcome {
  exitCode: number
}

/** By command; only of those that the arguments name. */
async function moreHelp(args: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const named = TREE.commands.filter(({ name }) => args.includes(name))
  const texts = named.map(async (entry) => [entry.name, (await entry.moreHelp?.()) ?? ''] as const)
  return new Map(await Promise.all(texts))
}

function showPage(command: Command, io: Io, page: () => HelpPage): void {
  const { columns, paint } = terminalOf(io)
  command.configureHelp({ formatHelp: () => pageText(page(), columns, (text) => paint('bold', text)) })
  command.helpCommand(false)
  command.helpOption('-h, --help', 'this page')
}

interface Called {
  readonly args: readonly string[]
  readonly io: Io
  readonly outcome: Outcome
  readonly more: ReadonlyMap<string, string>
}

function optionOf({ flags, help, choices, standard, read }: OptionEntry): Option {
  const option = new Option(flags, help)
  if (choices !== undefined) option.choices(choices)
  if (standard !== undefined) option.default(standard)
  if (read === undefined) return option
  return option.argParser((text, before) => {
    try {
      return read(text, before as never)
    } catch (error) {
      throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error
    }
  })
}

function addCommand(parent: Command, entry: CommandEntry, called: Called, group?: CommandGroup): void {
  const { args, io, outcome, more } = called
  const command = parent.command(`${entry.name}${entry.arguments === undefined ? '' : ` ${entry.arguments}`}`)
  // Of the others only the names are needed, for suggestions.
  if (!args.includes(entry.name)) return
  // Their meaning is on the command's page.
  command.option('--config <FILE>')
  command.option('--account <NAME>')
  if (entry.isText !== true) command.option('--json')
  for (const option of entry.options ?? []) command.addOption(optionOf(option))
  showPage(command, io, () => commandPage(entry, { group, more: more.get(entry.name) ?? '' }))
  command.action(async () => {
    if (entry.options?.some((option) => DECIDING.includes(option)) === true) io.outlastReader()
    const options = command.opts<CommonOptions>()
    outcome.exitCode = await performed({ entry, io, options, names: command.args, tree: TREE })
  })
}

function buildProgram(called: Called): Command {
  const { io } = called
  const program = new Command('contact-sync')
  program.version(VERSION, '--version')
  program.exitOverride()
  program.configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
  })
  program.showSuggestionAfterError()
  showPage(program, io, () => programPage(TREE))
  for (const entry of TREE.commands) addCommand(program, entry, called)
  for (const group of TREE.groups) {
    const command = program.command(group.name)
    showPage(command, io, () => groupPage(group))
    for (const entry of group.entries) addCommand(command, entry, called, group)
  }
  return program
}

/** Not made by spreading: that would open standard input for commands that never read it, which costs a start some 5 ms. */
const guardedIo = (outer: Io, seen: Record<'stdout' | 'stderr', (text: string) => void>): Io =>
  Object.assign(Object.defineProperties({} as Io, Object.getOwnPropertyDescriptors(outer)), {
    stdout: guarded(outer.stdout, seen.stdout),
    stderr: guarded(outer.stderr, seen.stderr),
  })

/** A command that a signal has ended need not have one: a daemon has no result. */
const FIRST_OF_SIGNALS = 128
/** Characters; a daemon may write for months. */
const LONGEST_SAID = 4000

/** With --json, standard output has one document also where the command ends without a result. */
function createFailures(args: readonly string[], outer: Io) {
  const asksJson = args.includes('--json')
  let hasOutput = false
  let said = ''
  const io = guardedIo(outer, {
    stdout: () => (hasOutput = true),
    stderr(text) {
      if (asksJson && !hasOutput) said = (said + text).slice(-LONGEST_SAID)
    },
  })
  const print = (failure: FailureDocument): void => {
    if (asksJson && !hasOutput) printJson(io, failure)
  }
  return {
    io,
    ended(exitCode: number): void {
      if (exitCode !== EXIT.done && exitCode < FIRST_OF_SIGNALS) print(failureAsSaid(said))
    },
    failed: (error: unknown): void => print(failureDocument(error)),
  }
}

/** Commander's errors are those of the command line. */
const usageError = ({ message }: CommanderError): SyncError =>
  new SyncError('USAGE', message.replace(/^error: /, ''))

/** Parses and does what was asked; gives the exit code. Every error has been printed when it returns. */
export async function runCommandLine(args: readonly string[], outer: Io): Promise<number> {
  const { io, ended, failed } = createFailures(args, outer)
  const outcome: Outcome = { exitCode: 0 }
  try {
    await buildProgram({ args, io, outcome, more: await moreHelp(args) }).parseAsync(args, { from: 'user' })
    ended(outcome.exitCode)
    return outcome.exitCode
  } catch (error) {
    // Commander has printed its own text already; asking for help is no error.
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.done
      failed(usageError(error))
      return EXIT.refused
    }
    const { lines, exitCode } = errorMessage(error)
    printError(io, lines)
    failed(error)
    return exitCode
  }
}
