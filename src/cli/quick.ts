// What a shell asks for while an operator types, and what scripts ask of every program: answered with the few files that
// it takes, before the commands and their options are known.
import { EXIT } from '../core/words/exit-codes.ts'
import { VERSION } from '../version.ts'
import { type Io, print } from './io.ts'

/** The exit code; undefined where it is for the command line to answer. */
export async function quickAnswer(args: readonly string[], io: Io): Promise<number | undefined> {
  if (args.length === 1 && args[0] === '--version') {
    print(io, VERSION)
    return EXIT.done
  }
  const [command, what, option, config] = args
  if (command !== 'completion' || what !== 'pipelines') return undefined
  const isConfig = args.length === 4 && option === '--config' && config !== undefined
  if (args.length !== 2 && !isConfig) return undefined
  const { printPipelineNames } = await import('./pipeline-names.ts')
  await printPipelineNames(io, isConfig ? { config } : {})
  return EXIT.done
}
