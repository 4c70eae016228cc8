// CEL over the record's columns: conditions (`where`, `when`), which see the mapped contact as well, and the expressions that
// make a field.
// Nothing here can block: `matches` of CEL (which can run without end on a crafted pattern) is refused in favour of `like`,
// which takes linear time, and condition-cost.ts refuses what could grow.
import { Environment, type ASTNode } from '@marcbachmann/cel-js'
import { RE2JS } from 're2js'
import { costProblem, likePatterns, nodes, textProblemOf } from './condition-cost.ts'
import { CONTACT_FIELD_NAMES, type Contact } from '../contact.ts'
import { suggestion } from '../../words/nearest.ts'

export interface RecordCondition {
  /** Columns that are named as `record["..."]` or `record.name`. */
  readonly columns: readonly string[]
  readonly usesContact: boolean
  /** The verdict, or a sentence on why there is none. `unknown`: fields of the contact that must not decide. */
  evaluate(
    record: ReadonlyMap<string, string>,
    contact: Contact,
    unknown?: readonly string[],
  ): boolean | { problem: string }
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
    .registerFunction(`${FILLED}(dyn): dyn`, notBlank)
}

/** A function around what int() and uint() are given. */
const FILLED = 'filled_'

function notBlank(value: unknown): unknown {
  if (value === '') throw new Error('a blank is no number')
  return value
}

/** For CEL a blank is no number; the library would make 0 of it in int() and uint(), though not in double(). */
function refuseBlankNumbers(all: readonly ASTNode[], environment: Environment): void {
  for (const node of all) {
    if (node.op !== 'call' || !['int', 'uint'].includes(node.args[0])) continue
    const around = environment.parse(`${FILLED}(0)`).ast as typeof node
    around.args[1] = node.args[1]
    node.args[1] = [around]
  }
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

/** The field of `contact.mail` or `contact["mail"]`. */
function fieldOf(node: ASTNode): string | undefined {
  if (node.op === '.' && isName(node.args[0], 'contact')) return node.args[1]
  if (node.op !== '[]' || !isName(node.args[0], 'contact')) return undefined
  const key = node.args[1]
  return key.op === 'value' && typeof key.args === 'string' ? key.args : undefined
}

function fieldProblem(all: readonly ASTNode[]): string | undefined {
  const known: readonly string[] = CONTACT_FIELD_NAMES
  const unknown = all.flatMap((node) => fieldOf(node) ?? []).find((name) => !known.includes(name))
  return unknown === undefined ? undefined : `contact has no field ${unknown}; ${suggestion(unknown, known)}`
}

/** The column of `"Status" in record` or `has(record.Status)`, which ask whether there is one. */
function askedColumnOf(node: ASTNode): string | undefined {
  if (node.op === 'in' && isName(node.args[1], 'record')) {
    const [key] = node.args
    return key.op === 'value' && typeof key.args === 'string' ? key.args : undefined
  }
  if (node.op !== 'call' || node.args[0] !== 'has') return undefined
  const [, [column]] = node.args
  return column === undefined ? undefined : columnOf(column)
}

/** The first line of a CEL message: the rest repeats the expression with a caret. */
const firstLine = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : 'unknown'

function patternProblem(patterns: readonly string[]): string | undefined {
  for (const pattern of patterns)
    try {
      RE2JS.compile(pattern)
    } catch (error) {
      return `like(): ${JSON.stringify(pattern)} is not an RE2 pattern (${firstLine(error)})`
    }
  return undefined
}

/** Where in the expression a message is about, counted from 1. */
function placeText(error: unknown): string {
  const range: unknown =
    typeof error === 'object' && error !== null && 'range' in error ? error.range : undefined
  if (typeof range !== 'object' || range === null || !('start' in range)) return ''
  return typeof range.start === 'number' ? ` (at character ${range.start + 1})` : ''
}

const messageOf = (error: unknown): string => `${firstLine(error)}${placeText(error)}`

interface Program {
  readonly columns: readonly string[]
  /** Columns about which it asks whether they are there. */
  readonly asked: readonly string[]
  /** Whether it looks at columns that it does not name. */
  readonly usesAllColumns: boolean
  readonly usesContact: boolean
  /** What it gives, by the words of CEL. */
  readonly type: string
  /** Throws where it fails. A record whose values are too long for it is not tried. */
  run(record: ReadonlyMap<string, string>, fields: Readonly<Record<string, unknown>>): unknown
  tooMuch(record: ReadonlyMap<string, string>): string | undefined
}

/** Compiles a CEL expression, or says in a sentence what is wrong with it. */
function compileProgram(expression: string): Program | { problem: string } {
  const environment = conditionEnvironment()
  let program
  try {
    program = environment.parse(expression)
  } catch (error) {
    return { problem: messageOf(error) }
  }
  const checked = program.check()
  if (!checked.valid) return { problem: messageOf(checked.error) }
  const all = [...nodes(program.ast)]
  const problem = costProblem(all) ?? patternProblem(likePatterns(all) ?? []) ?? fieldProblem(all)
  if (problem !== undefined) return { problem }
  const run = environment.parse(expression)
  refuseBlankNumbers([...nodes(run.ast)], environment)
  run.check()
  const columns = [...new Set(all.flatMap((node) => columnOf(node) ?? []))]
  const isUse = (node: ASTNode): boolean => isName(node, 'record')
  const isNamed = (node: ASTNode): boolean =>
    columnOf(node) !== undefined || (node.op === 'in' && askedColumnOf(node) !== undefined)
  return {
    columns,
    asked: [...new Set(all.flatMap((node) => askedColumnOf(node) ?? []))],
    usesAllColumns: all.filter(isUse).length > all.filter(isNamed).length,
    usesContact: all.some((node) => isName(node, 'contact')),
    type: checked.type ?? 'nothing',
    run: (record, fields): unknown => run({ record, contact: fields }),
    tooMuch: textProblemOf(all, columns),
  }
}

/** Compiles a condition, or says in a sentence what is wrong with it. */
export function compileCondition(expression: string): RecordCondition | { problem: string } {
  const program = compileProgram(expression)
  if ('problem' in program) return program
  const { columns, usesContact, type, run, tooMuch } = program
  if (type !== 'bool' && type !== 'dyn') return { problem: `gives ${type}, not true or false` }
  return {
    columns,
    usesContact,
    evaluate(record, contact, unknown = []) {
      const long = tooMuch(record)
      if (long !== undefined) return { problem: long }
      const fields = Object.fromEntries(CONTACT_FIELD_NAMES.map((name) => [name, contact[name] ?? '']))
      // In CEL what fails beside && and || does not count where the other side decides.
      const get = (): never => {
        throw new Error('a field that it needs is invalid')
      }
      for (const name of unknown) Object.defineProperty(fields, name, { get, enumerable: true })
      try {
        const verdict = run(record, fields)
        return typeof verdict === 'boolean'
          ? verdict
          : { problem: 'the condition gives neither true nor false' }
      } catch (error) {
        return { problem: firstLine(error) }
      }
    },
  }
}

export interface FieldExpression {
  /** Those about which it only asks among them. */
  readonly columns: readonly string[]
  /** Columns that it can do without, because it asks whether they are there. */
  readonly asked: readonly string[]
  readonly usesAllColumns: boolean
  /** The text of what it gives, or a sentence without values on why there is none. */
  evaluate(record: ReadonlyMap<string, string>): string | { readonly problem: string }
}

/** What becomes the text of a field. */
const TEXT_TYPES: readonly string[] = ['string', 'int', 'uint', 'double', 'bool', 'null', 'null_type', 'dyn']

function textOfResult(result: unknown): string | { readonly problem: string } {
  if (result === null) return ''
  if (typeof result === 'string') return result
  if (typeof result === 'number' || typeof result === 'bigint' || typeof result === 'boolean')
    return String(result)
  return { problem: 'gives no text' }
}

/** CEL's messages may quote a value; its codes do not. */
function failureText(error: unknown): string {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return `cannot be evaluated${typeof code === 'string' ? ` (${code.replaceAll('_', ' ')})` : ''}`
}

/** Compiles the expression that makes a field, or says in a sentence what is wrong with it. */
export function compileExpression(expression: string): FieldExpression | { problem: string } {
  const program = compileProgram(expression)
  if ('problem' in program) return program
  const { columns, asked, usesAllColumns, usesContact, type, run, tooMuch } = program
  if (usesContact)
    return { problem: 'uses contact, of which the field is a part; name columns, record["Position"]' }
  if (!TEXT_TYPES.includes(type))
    return { problem: `gives ${type}, which is not text; join lists, or take one item` }
  return {
    columns: [...new Set([...columns, ...asked])],
    asked,
    usesAllColumns,
    evaluate(record) {
      const long = tooMuch(record)
      if (long !== undefined) return { problem: `cannot be evaluated: ${long}` }
      try {
        return textOfResult(run(record, {}))
      } catch (error) {
        return { problem: failureText(error) }
      }
    },
  }
}
