// `completion`: a script for the shell; and, for that script, the names of the pipelines. Only what is asked for is loaded.
import { SyncError } from '../../core/words/errors.ts'
import type { CommandTree } from '../command-table/entry.ts'
import { type CompletionPlace, places } from '../completion/model.ts'
import type { CommonOptions, QuickIo } from '../io.ts'

type Script = (all: readonly CompletionPlace[]) => string

const SCRIPTS: Readonly<Record<string, () => Promise<Script>>> = {
  bash: async () => (await import('../completion/bash.ts')).bashScript,
  zsh: async () => (await import('../completion/zsh.ts')).zshScript,
  fish: async () => (await import('../completion/fish.ts')).fishScript,
}

export async function completion(
  io: QuickIo,
  options: CommonOptions,
  [shell = '']: string[],
  tree: CommandTree,
): Promise<number> {
  if (shell === 'pipelines') {
    const { printPipelineNames } = await import('../pipeline-names.ts')
    await printPipelineNames(io, options)
    return 0
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
  if (script === undefined)
    throw new SyncError('USAGE', `no completion for ${shell}`, {
      hint: `Shells: ${Object.keys(SCRIPTS).join(', ')}`,
    })
  io.stdout.write((await script())(places(tree)))
  return 0
}
