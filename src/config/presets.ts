// Presets: a vendor's export described once. A preset is part of a pipeline in a file of its own, laid under
// the pipeline that names it: the pipeline's own keys win, `map` goes field by field and `source` option by option.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { suggestion } from '../core/words/nearest.ts'
import { type ConfigProblem, sentenceParts } from './text/problem.ts'
import { type ReadFile, readText } from './text/read-text.ts'
import type { Environment } from './text/substitute.ts'
import { isMapping, type Path, pathKey, type Place, problemAt, type Tree, valueAt } from './text/tree.ts'
import { readYaml } from './text/yaml-tree.ts'

export interface PresetOptions {
  readonly presetFolder: string
  readonly readFile: ReadFile
  readonly env: Environment
}

/** Keys that are merged one level deeper. */
const DEEP: readonly unknown[] = ['source', 'map']

async function presetNames(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch((): string[] => [])
  return files.filter((file) => file.endsWith('.yaml')).map((file) => file.slice(0, -'.yaml'.length))
}

function mergedMap(base: Record<string, unknown>, own: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...base, ...own }
  // A null where the preset has a field takes that field out; anywhere else it is a mistake, and stays.
  return Object.fromEntries(
    Object.entries(merged).filter(([field, value]) => value !== null || !Object.hasOwn(base, field)),
  )
}

function mergedPipeline(
  base: Record<string, unknown>,
  own: Record<string, unknown>,
): Record<string, unknown> {
  const { description: _, ...preset } = base
  const merged = mergedMap(preset, own)
  if (isMapping(preset['source']) && isMapping(own['source']))
    merged['source'] = mergedMap(preset['source'], own['source'])
  if (isMapping(preset['map']) && (own['map'] === undefined || isMapping(own['map'])))
    merged['map'] = mergedMap(preset['map'], own['map'] ?? {})
  return merged
}

/** The preset's places, for what the pipeline does not say itself. */
function mergedPlaces(tree: Tree, pipeline: Path, preset: Tree): Map<string, Place> {
  const places = new Map(tree.places)
  const own = valueAt(tree.value, pipeline)
  for (const [key, place] of preset.places) {
    const path = key.split('\u0000')
    const unit = path.slice(0, DEEP.includes(path[0]) ? 2 : 1)
    const at = pathKey([...pipeline, ...path])
    if (key !== '' && valueAt(own, unit) === undefined && !places.has(at)) places.set(at, place)
  }
  return places
}

function withPreset(tree: Tree, pipeline: Path, preset: Tree): Tree {
  const own = valueAt(tree.value, pipeline)
  const pipelines = valueAt(tree.value, ['pipelines'])
  if (!isMapping(own) || !isMapping(preset.value) || !isMapping(tree.value) || !isMapping(pipelines))
    return tree
  const merged = { ...pipelines, [String(pipeline[1])]: mergedPipeline(preset.value, own) }
  return { value: { ...tree.value, pipelines: merged }, places: mergedPlaces(tree, pipeline, preset) }
}

interface Merged {
  readonly tree: Tree
  /** Pipelines without the preset that they name: what they lack may be in it. */
  readonly incomplete: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

async function mergePreset(tree: Tree, pipeline: Path, options: PresetOptions): Promise<Merged> {
  const path = [...pipeline, 'source', 'preset']
  const name = valueAt(tree.value, path)
  if (typeof name !== 'string' || name === '') return { tree, incomplete: [], problems: [] }
  const names = await presetNames(options.presetFolder)
  const refused = (message: string, hint: string) => ({
    tree,
    incomplete: [String(pipeline[1])],
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
  if (preset.tree === undefined) return { tree, incomplete: [String(pipeline[1])], problems: preset.problems }
  return { tree: withPreset(tree, pipeline, preset.tree), incomplete: [], problems: preset.problems }
}

/** Lays the presets that pipelines name under them. */
export async function mergePresets(tree: Tree, options: PresetOptions): Promise<Merged> {
  const pipelines = valueAt(tree.value, ['pipelines'])
  if (!isMapping(pipelines)) return { tree, incomplete: [], problems: [] }
  let merged = tree
  const problems: ConfigProblem[] = []
  const incomplete: string[] = []
  for (const name of Object.keys(pipelines)) {
    const result = await mergePreset(merged, ['pipelines', name], options)
    merged = result.tree
    problems.push(...result.problems)
    incomplete.push(...result.incomplete)
  }
  return { tree: merged, incomplete, problems }
}
