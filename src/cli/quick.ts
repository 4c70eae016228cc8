// What a shell asks for while an operator types, and what people and scripts ask of every program: answered with the few
// files that it takes, before a command line is made of all commands and their options.
import { EXIT } from '../core/words/exit-codes.ts'
import { VERSION } from '../installation.ts'
import { guarded } from './guarded.ts'
import { type QuickIo, print } from './io.ts'

/** The command whose page is asked for: `run --help`, `help run`, `--help`; undefined: another thing is. */
function wantsPage(args: readonly string[]): readonly string[] | undefined {
  const isFlag = ['--help', '-h'].includes(args.at(-1) ?? '')
  if (!isFlag && args[0] !== 'help') return undefined
  const names = isFlag ? args.slice(0, -1) : args.slice(1)
  return names.every((name) => /^[a-z][a-z-]*$/.test(name) && name !== 'help') ? names : undefined
}

async function answerHelp(names: readonly string[], io: QuickIo): Promise<boolean> {
  const { TREE } = await import('./command-table/tree.ts')
  const { helpPageFor, printPage } = await import('./commands/help.ts')
  const page = await helpPageFor(names, TREE)
  if (page !== undefined) printPage(io, page)
  return page !== undefined
}

async function answerCompletion(
  [what, option, config, ...rest]: readonly string[],
  io: QuickIo,
): Promise<boolean> {
  if (what === 'pipelines' && rest.length === 0) {
    if (option !== undefined && (option !== '--config' || config === undefined)) return false
    const { printPipelineNames } = await import('./pipeline-names.ts')
    await printPipelineNames(io, config === undefined ? {} : { config })
    return true
  }
  if (option !== undefined || !['bash', 'zsh', 'fish'].includes(what ?? '')) return false
  const { TREE } = await import('./command-table/tree.ts')
  const { completion } = await import('./commands/completion.ts')
  await completion(io, {}, [what ?? ''], TREE)
  return true
}

/** The exit code; undefined where it is for the command line to answer. */
export async function quickAnswer(args: readonly string[], outer: QuickIo): Promise<number | undefined> {
  const io = { ...outer, stdout: guarded(outer.stdout) }
  const [first, ...rest] = args
  if (first === '--version' && rest.length === 0) {
    print(io, VERSION)
    return EXIT.done
  }
  const names = wantsPage(args)
  const isAnswered =
    names !== undefined
      ? await answerHelp(names, io)
      : first === 'completion' && (await answerCompletion(rest, io))
  return isAnswered ? EXIT.done : undefined
}
