// `where` and its kin: CEL over the record's columns and the mapped contact.
// Nothing here can block: CEL ends by itself, and its own `matches` (which can run for ever on a crafted
// pattern) is refused in favour of `like`, which takes linear time.
import { Environment, type ASTNode } from '@marcbachmann/cel-js'
import { RE2JS } from 're2js'
import { CONTACT_FIELD_NAMES, type Contact } from './contact.ts'

export interface Condition {
  /** Columns that are named as `record["..."]` or `record.name`. */
  readonly columns: readonly string[]
  readonly usesContact: boolean
  /** The verdict, or a sentence on why there is none. */
  evaluate(record: ReadonlyMap<string, string>, contact: Contact): boolean | { problem: string }
}

const LIMITS = { maxAstNodes: 2000, maxDepth: 60, maxListElements: 1000, maxMapEntries: 200 }

function conditionEnvironment(): Environment {
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

function* nodes(value: unknown): Generator<ASTNode> {
  if (Array.isArray(value)) for (const item of value) yield* nodes(item)
  else if (isNode(value)) {
    yield value
    // `has(record.x)` asks whether a column is there: its argument is no use of the column.
    if (!(value.op === 'call' && value.args[0] === 'has')) yield* nodes(value.args)
  }
}

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

/** Compiles a CEL expression, or says in a sentence what is wrong with it. */
export function compileCondition(expression: string): Condition | { problem: string } {
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
  if (all.some((node) => node.op === 'rcall' && node.args[0] === 'matches'))
    return { problem: 'matches() can run without end on some texts; use like() with the same pattern' }
  const run = program
  return {
    columns: [...new Set(all.flatMap((node) => columnOf(node) ?? []))],
    usesContact: all.some((node) => isName(node, 'contact')),
    evaluate(record, contact) {
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
