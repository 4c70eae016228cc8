// What a condition may cost for one record. CEL always terminates, but not soon: lists in lists, and values that grow from
// step to step, can take any time and any memory. What could is refused when the configuration is read.
import type { ASTNode } from '@marcbachmann/cel-js'

const isNode = (value: unknown): value is ASTNode =>
  typeof value === 'object' && value !== null && 'op' in value

/** Every part of an expression that uses something. */
export function* nodes(value: unknown): Generator<ASTNode> {
  if (Array.isArray(value)) for (const item of value) yield* nodes(item)
  else if (isNode(value)) {
    yield value
    // `has(record.x)` asks whether a column is there: its argument is no use of the column.
    if (!(value.op === 'call' && value.args[0] === 'has')) yield* nodes(value.args)
  }
}

const WALKS: readonly string[] = [
  'all',
  'exists',
  'exists_one',
  'map',
  'filter',
  'transformList',
  'transformMap',
]

/** The name of a method that is called, its receiver and its arguments. */
function callOf(node: ASTNode): { name: string; given: readonly unknown[] } | undefined {
  if (node.op !== 'rcall') return undefined
  const [name, , given] = node.args as [string, unknown, readonly unknown[]]
  return { name, given }
}

const isWalk = (node: ASTNode): boolean => WALKS.includes(callOf(node)?.name ?? '')

const called = (all: readonly ASTNode[], name: string): readonly (readonly unknown[])[] =>
  all.flatMap((node) => {
    const call = callOf(node)
    return call?.name === name ? [call.given] : []
  })

const MOST_WALKS = 4
const MOST_MAPS = 2
/** Parts of an expression that walks through a list. */
const MOST_PARTS = 120
/** Characters of the values that such an expression is given. */
const MOST_TEXT = 20_000

const textOf = (value: unknown): string | undefined =>
  isNode(value) && value.op === 'value' && typeof value.args === 'string' ? value.args : undefined

/** The patterns of like(), each a text that is written in the expression; undefined where one is not. */
export function likePatterns(all: readonly ASTNode[]): readonly string[] | undefined {
  const patterns = called(all, 'like').map(([pattern]) => textOf(pattern))
  return patterns.includes(undefined) ? undefined : patterns.filter((pattern) => pattern !== undefined)
}

/** Why an expression is refused before it meets a record; undefined where nothing is wrong. */
export function costProblem(all: readonly ASTNode[]): string | undefined {
  if (called(all, 'matches').length > 0)
    return 'matches() can run without end on some texts; use like() with the same pattern'
  if (called(all, 'bind').length > 0)
    return 'cel.bind() can make values grow without limit; write the value out'
  if (likePatterns(all) === undefined)
    return 'the pattern of like() is not written in the expression; a pattern from a column would be compiled for every record, so write a text, like("^A"), or use contains()'
  const walks = all.filter(isWalk)
  if (walks.length === 0) return undefined
  const isNested = walks.some((node) => [...nodes(callOf(node)?.given)].some(isWalk))
  if (isNested)
    return 'walks through a list within a list (map, filter, exists ...), which can take minutes for one record'
  if (walks.length > MOST_WALKS || called(all, 'map').length > MOST_MAPS)
    return `walks through lists too often; at most ${MOST_WALKS} of map, filter, exists and all, and ${MOST_MAPS} of map`
  if (all.length > MOST_PARTS)
    return `is too long for an expression that walks through a list: ${all.length} parts, at most ${MOST_PARTS}`
  return undefined
}

const isName = (value: unknown, name: string): boolean =>
  isNode(value) && value.op === 'id' && value.args === name

/**
 * Why this record's values are too much for the expression; undefined where they are not. `columns`: those that the
 * expression names.
 */
export function textProblemOf(
  all: readonly ASTNode[],
  columns: readonly string[],
): (record: ReadonlyMap<string, string>) => string | undefined {
  if (!all.some(isWalk)) return () => undefined
  const uses = all.filter((node) => isName(node, 'record')).length
  const named = all.filter((node) => {
    if (node.op !== '.' && node.op !== '[]') return false
    const [receiver, key] = node.args as [unknown, unknown]
    return isName(receiver, 'record') && (node.op === '.' || textOf(key) !== undefined)
  }).length
  return (record) => {
    const values = uses === named ? columns.map((column) => record.get(column) ?? '') : [...record.values()]
    const length = values.reduce((sum, value) => sum + value.length, 0)
    return length > MOST_TEXT
      ? `values of ${length} characters are too long for an expression that walks through a list; at most ${MOST_TEXT}`
      : undefined
  }
}
