// What a pipeline is made of: the preset that it names, the blocks that it uses, in order, and its own keys. Each layer goes
// over those before it: `map` field by field, `source` option by option. Places stay those of where a value was written.
import { blockLayers } from './blocks.ts'
import type { Layer } from './layer.ts'
import { presetLayer, type PresetOptions } from './presets.ts'
import type { ConfigProblem } from './text/problem.ts'
import { isMapping, type Path, pathKey, type Place, type Tree, valueAt } from './text/tree.ts'

/** Keys that are merged one level deeper. */
const DEEP: readonly string[] = ['source', 'map', 'map\u0000custom_fields']

const isDeep = (path: Path): boolean => DEEP.includes(pathKey(path))

/** `over` wins, key by key. */
function merged(
  base: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
  at: Path = [],
): Record<string, unknown> {
  const both = { ...base, ...over }
  const entries = Object.entries(both).map(([key, value]): [string, unknown] => {
    const path = [...at, key]
    const below = base[key]
    return isDeep(path) && isMapping(below) && isMapping(value) && below !== value
      ? [key, merged(below, value, path)]
      : [key, value]
  })
  // A null where a layer below has a key takes it out; anywhere else it is a mistake, and stays.
  return Object.fromEntries(entries.filter(([key, value]) => value !== null || !Object.hasOwn(base, key)))
}

/** A field that a block takes out, and that no layer below it has: then there is nothing to say. */
function withoutNullFields(base: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { map } = base
  if (!isMapping(map)) return base
  return { ...base, map: Object.fromEntries(Object.entries(map).filter(([, field]) => field !== null)) }
}

/** The part of a path that is taken from one layer as a whole. */
function unitOf(path: readonly string[]): readonly string[] {
  let length = 1
  while (length < path.length && isDeep(path.slice(0, length))) length += 1
  return path.slice(0, length)
}

/** The places of each layer, for what the layers above it do not say. */
function mergedPlaces(tree: Tree, pipeline: Path, layers: readonly Layer[]): Map<string, Place> {
  const places = new Map(tree.places)
  const above: unknown[] = [valueAt(tree.value, pipeline)]
  for (const layer of layers.toReversed()) {
    for (const [key, place] of layer.places) {
      const path = key.split('\u0000')
      const at = pathKey([...pipeline, ...path])
      const isSaid = above.some((value) => valueAt(value, unitOf(path)) !== undefined)
      if (key !== '' && !isSaid && !places.has(at)) places.set(at, place)
    }
    above.push(layer.value)
  }
  return places
}

function withLayers(tree: Tree, pipeline: Path, layers: readonly Layer[]): Tree {
  const own = valueAt(tree.value, pipeline)
  const pipelines = valueAt(tree.value, ['pipelines'])
  if (layers.length === 0 || !isMapping(own) || !isMapping(tree.value) || !isMapping(pipelines)) return tree
  const [lowest = {}, ...others] = layers.map(({ value }) => value)
  const base = withoutNullFields(others.reduce((below, over) => merged(below, over), lowest))
  const whole = merged(base, own)
  return {
    value: { ...tree.value, pipelines: { ...pipelines, [String(pipeline[1])]: whole } },
    places: mergedPlaces(tree, pipeline, layers),
  }
}

interface Merged {
  readonly tree: Tree
  /** Pipelines without something that they name. */
  readonly incomplete: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

/** Lays presets and blocks under the pipelines that name them. */
export async function mergeLayers(tree: Tree, options: PresetOptions): Promise<Merged> {
  const pipelines = valueAt(tree.value, ['pipelines'])
  if (!isMapping(pipelines)) return { tree, incomplete: [], problems: [] }
  let result = tree
  const problems: ConfigProblem[] = []
  const incomplete: string[] = []
  for (const name of Object.keys(pipelines)) {
    const path = ['pipelines', name]
    const parts = [await presetLayer(tree, path, options), blockLayers(tree, path)]
    result = withLayers(
      result,
      path,
      parts.flatMap(({ layers }) => layers),
    )
    problems.push(...parts.flatMap((part) => part.problems))
    if (parts.some(({ isIncomplete }) => isIncomplete)) incomplete.push(name)
  }
  return { tree: result, incomplete, problems }
}
