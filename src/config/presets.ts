// Presets: a vendor's export described once. A preset is part of a pipeline in a file of its own, laid under the pipeline
// that names it (layers.ts).
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { suggestion } from '../core/words/nearest.ts'
import { type Layer, type Layers, NO_LAYERS } from './layer.ts'
import { sentenceParts } from './text/problem.ts'
import { type ReadFile, readText } from './text/read-text.ts'
import type { Environment } from './text/substitute.ts'
import { isMapping, type Path, problemAt, type Tree, valueAt } from './text/tree.ts'
import { readYaml } from './text/yaml-tree.ts'

export interface PresetOptions {
  readonly presetFolder: string
  readonly readFile: ReadFile
  readonly env: Environment
}

/** The presets that there are, in order. */
export async function presetNames(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch((): string[] => [])
  return files
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort()
}

/** The content of a preset file, without the description and the keys of vendors.ts. */
function layerOf({ value, places }: Tree): Layer | undefined {
  if (!isMapping(value)) return undefined
  const { description: _, detect: __, leaves_out: ___, ...preset } = value
  return { value: preset, places }
}

/** The preset that a pipeline names. */
export async function presetLayer(tree: Tree, pipeline: Path, options: PresetOptions): Promise<Layers> {
  const path = [...pipeline, 'source', 'preset']
  const name = valueAt(tree.value, path)
  if (typeof name !== 'string' || name === '') return NO_LAYERS
  const names = await presetNames(options.presetFolder)
  const refused = (message: string, hint: string): Layers => ({
    layers: [],
    isIncomplete: true,
    problems: [problemAt(tree, path, { message, hint })],
  })
  if (!names.includes(name)) return refused('names no preset', suggestion(name, names))
  const file = join(options.presetFolder, `${name}.yaml`)
  const read = await readText(file, options.readFile)
  if ('problem' in read) {
    const { message, hint } = sentenceParts(read.problem)
    return refused(`is in ${file}, which ${message}`, hint)
  }
  const preset = readYaml(read.text, { file, env: options.env })
  const layer = preset.tree && layerOf(preset.tree)
  return {
    layers: layer === undefined ? [] : [layer],
    isIncomplete: preset.tree === undefined,
    problems: preset.problems,
  }
}
