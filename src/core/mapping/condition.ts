// `where` and its kin: CEL over the record's columns and the mapped contact.
// Nothing here can block: `matches` of CEL (which can run for ever on a crafted pattern) is refused in favour of `like`,
// which takes linear time, and condition-cost.ts refuses what could grow.
import { Environment, type ASTNode } from '@marcbachmann/cel-js'
import { RE2JS } from 're2js'
import { costProblem, likePatterns, nodes, textProblemOf } from './condition-cost.ts'
import { CONTACT_FIELD_NAMES, type Contact } from './contact.ts'

export interface RecordCondition {
  /** Columns that are named as `record["..."]` or `record.name`. */
  readonly columns: readonly string[]
  readonly usesContact: boolean
  /** The verdict, or a sentence on why there is none. */
  evaluate(record: ReadonlyMap<string, string>, contact: Contact): boolean | { problem: string }
}

const LIMITS = { maxAstNodes: 2000, maxDepth: 60, maxListElements: 1000, maxMapEntries: 200 }

function conditionEnvironment(): Environment {
  // Only patterns that are written in the expression get here: few, and compiled once.
  const patterns = new Map<string, RE2JS>()
  const like = (text: string, pattern: string): boolean => {
    const compiled = patterns.get(pattern) ?? RE2JS.compile(pattern)
    patterns.set(pattern, compiled)
    return compiled.matcher(text).find()
  }
  return new Environment({ unlistedVariablesAreDyn: false, limits: LIMITS })
    .registerVariable('record', 'map<string, string>')
    .registerVariable('contact', 'map')
    .registerFunction('string.like(string): bool', like)
}

const isNode = (value: unknown): value is ASTNode =>
  typeof value === 'object' && value !== null && 'op' in value

const isName = (value: unknown, name: string): boolean =>
  isNode(value) && value.op === 'id' && value.args === name

function columnOf(node: ASTNode): string | undefined {
  if (node.op === '.' && isName(node.args[0], 'record')) return node.args[1]
  if (node.op !== '[]' || !isName(node.args[0], 'record')) return undefined
  const key = node.args[1]
  return key.op === 'value' && typeof key.args === 'string' ? key.args : undefined
}

/** The first line of a CEL message: the rest repeats the expression with a caret. */
const firstLine = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : 'unknown'

function patternProblem(patterns: readonly string[]): string | undefined {
  for (const pattern of patterns)
    try {
      RE2JS.compile(pattern)
    } catch (error) {
      return `like(): ${JSON.stringify(pattern)} is no RE2 pattern (${firstLine(error)})`
    }
  return undefined
}

/** Compiles a CEL expression, or says in a sentence what is wrong with it. */
export function compileCondition(expression: string): RecordCondition | { problem: string } {
  let program
  try {
    program = conditionEnvironment().parse(expression)
  } catch (error) {
    return { problem: firstLine(error) }
  }
  const checked = program.check()
  if (!checked.valid) return { problem: firstLine(checked.error) }
  if (checked.type !== 'bool' && checked.type !== 'dyn')
    return { problem: `gives ${checked.type ?? 'nothing'}, not true or false` }
  const all = [...nodes(program.ast)]
  const problem = costProblem(all) ?? patternProblem(likePatterns(all) ?? [])
  if (problem !== undefined) return { problem }
  const run = program
  const columns = [...new Set(all.flatMap((node) => columnOf(node) ?? []))]
  const tooMuch = textProblemOf(all, columns)
  return {
    columns,
    usesContact: all.some((node) => isName(node, 'contact')),
    evaluate(record, contact) {
      const long = tooMuch(record)
      if (long !== undefined) return { problem: long }
      const fields = Object.fromEntries(CONTACT_FIELD_NAMES.map((name) => [name, contact[name] ?? '']))
      try {
        const verdict: unknown = run({ record, contact: fields })
        return typeof verdict === 'boolean'
          ? verdict
          : { problem: 'the condition gives neither true nor false' }
      } catch (error) {
        return { problem: firstLine(error) }
      }
    },
  }
}
