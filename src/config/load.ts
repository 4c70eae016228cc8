// The configuration, a file or a folder of files -> checked settings, or every problem in it at once, each with its place.
// The caller passes the kinds of sources: the configuration imports no other folder.
import { statSync } from 'node:fs'
import { loadFolder } from './accounts/folder.ts'
import { mergeLayers } from './layers.ts'
import { type Loaded, type LoadOptions, loadTree } from './load-tree.ts'
import { readConfig } from './read-config.ts'
import { inOrder } from './text/problem.ts'
import { readSmallFile } from './text/read-text.ts'
import { configSchema } from '../core/settings.ts'
import { isMapping, valueAt } from './text/tree.ts'

export type { Loaded, LoadOptions } from './load-tree.ts'
export { problemText } from './text/problem.ts'
export type { SourceKinds } from '../core/settings/source-settings.ts'

/** One file. */
async function loadFile(options: LoadOptions): Promise<Loaded> {
  const { file, env, kinds, presetFolder, readFile = readSmallFile } = options
  const read = await readConfig(options)
  if (read.tree === undefined) return { ok: false, problems: inOrder(read.problems, file) }
  const merged = await mergeLayers(read.tree, { presetFolder, readFile, env })
  const pipelines = valueAt(merged.tree.value, ['pipelines'])
  // One account of several may have none.
  const mayBeEmpty = isMapping(pipelines) && Object.keys(pipelines).length > 0
  const problems = [...read.problems, ...merged.problems]
  const schema = configSchema(kinds, { ...options, mayBeEmpty })
  return loadTree(merged.tree, { options, schema, problems, incomplete: merged.incomplete })
}

/**
 * Reads, merges presets and blocks, checks. Nothing is thrown for what a file may hold, and no message holds a secret.
 * Warnings are for what works and should be otherwise.
 */
export async function loadSettings(options: LoadOptions): Promise<Loaded> {
  const isFolder =
    options.readFile === undefined &&
    statSync(options.file, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? loadFolder(options) : loadFile(options)
}
