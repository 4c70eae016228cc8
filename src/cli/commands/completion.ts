// `completion`: a script for the shell; and, for that script, the names of the pipelines.
import { SyncError } from '../../core/words/errors.ts'
import type { CommandTree } from '../command-table/entry.ts'
import { bashScript } from '../completion/bash.ts'
import { fishScript } from '../completion/fish.ts'
import { type CompletionPlace, places } from '../completion/model.ts'
import { zshScript } from '../completion/zsh.ts'
import type { CommonOptions, Io } from '../io.ts'
import { printPipelineNames } from '../pipeline-names.ts'

const SCRIPTS: Readonly<Record<string, (all: readonly CompletionPlace[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

export async function completion(
  io: Io,
  options: CommonOptions,
  [shell = '']: string[],
  tree: CommandTree,
): Promise<number> {
  if (shell === 'pipelines') {
    await printPipelineNames(io, options)
    return 0
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
  if (script === undefined)
    throw new SyncError('USAGE', `there is no completion for ${shell}`, {
      hint: `Shells: ${Object.keys(SCRIPTS).join(', ')}`,
    })
  io.stdout.write(script(places(tree)))
  return 0
}
