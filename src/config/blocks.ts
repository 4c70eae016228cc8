// Blocks: named pieces of a mapping, written once under `blocks` and used by any number of pipelines (`use`).
import { suggestion } from '../core/words/nearest.ts'
import { type Layer, type Layers, NO_LAYERS } from './layer.ts'
import type { ConfigProblem } from './text/problem.ts'
import { isMapping, type Path, pathKey, type Place, problemAt, type Tree, valueAt } from './text/tree.ts'

const BLOCKS = 'blocks'

/** A block as the `map` of a pipeline. */
function layerOf(tree: Tree, name: string): Layer {
  const at = pathKey([BLOCKS, name])
  const places = new Map<string, Place>()
  for (const [key, place] of tree.places)
    if (key === at || key.startsWith(`${at}\u0000`)) places.set(`map${key.slice(at.length)}`, place)
  return { value: { map: valueAt(tree.value, [BLOCKS, name]) }, places }
}

/** The blocks that a pipeline uses, in the order in which it names them. */
export function blockLayers(tree: Tree, pipeline: Path): Layers {
  const use = valueAt(tree.value, [...pipeline, 'use'])
  if (!Array.isArray(use) && typeof use !== 'string') return NO_LAYERS
  const known = valueAt(tree.value, [BLOCKS])
  const names = isMapping(known) ? Object.keys(known) : []
  const layers: Layer[] = []
  const problems: ConfigProblem[] = []
  let isBroken = false
  for (const [index, name] of (Array.isArray(use) ? use : [use]).entries()) {
    // What is no name is left to the schema.
    if (typeof name !== 'string' || name === '') continue
    const at = [...pipeline, 'use', ...(Array.isArray(use) ? [index] : [])]
    const hint = names.length === 0 ? 'describe it under blocks' : suggestion(name, names)
    if (!names.includes(name)) problems.push(problemAt(tree, at, { message: 'names no block', hint }))
    else if (isMapping(valueAt(tree.value, [BLOCKS, name]))) layers.push(layerOf(tree, name))
    else isBroken = true
  }
  return { layers, isIncomplete: isBroken || problems.length > 0, problems }
}

/** A null in a block takes a field out of the preset: it is no mapping, and the schema need not know of it. */
export function withoutNulls(tree: Tree): Tree {
  const blocks = valueAt(tree.value, [BLOCKS])
  if (!isMapping(tree.value) || !isMapping(blocks)) return tree
  const kept = (value: unknown): unknown => {
    if (!isMapping(value)) return value
    const filled = Object.entries(value).filter(([, one]) => one !== null)
    return Object.fromEntries(filled.map(([key, one]) => [key, key === 'custom_fields' ? kept(one) : one]))
  }
  const filled = Object.fromEntries(Object.entries(blocks).map(([name, value]) => [name, kept(value)]))
  return { ...tree, value: { ...tree.value, [BLOCKS]: filled } }
}

const placeOf = ({ file, line, column }: ConfigProblem): string => `${file}:${line}:${column}`

/** A fault of a block is reported there, once, and not again for each pipeline that uses it. */
export function saidOnce(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const ofBlocks = problems.filter(({ path }) => path.startsWith(`${BLOCKS}.`))
  const places = new Set(ofBlocks.map(placeOf))
  return problems.filter((problem) => ofBlocks.includes(problem) || !places.has(placeOf(problem)))
}
