// YAML text -> plain values with their places, environment variables set in; every syntax error at once.
// Hostile or careless YAML (alias bombs, several documents, own tags) is refused here; meaning is not checked.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type ParsedNode,
  visit,
  type YAMLError,
} from 'yaml'
import { type ConfigProblem, sentenceParts } from './problem.ts'
import { type Environment, substitute } from './substitute.ts'
import { type Path, pathKey, pathText, type Place, type Tree } from './tree.ts'

const MAX_ALIASES = 20

/** The first one is read; what is missing from it may stand in the other. */
export const OCCURS_TWICE = 'occurs twice'

const NO_TAGS = 'tags (!name) are not available; write the value without it'

const SENTENCES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a second document begins here (---); keep one document in a file',
  TAG_RESOLVE_FAILED: NO_TAGS,
  TAB_AS_INDENT: 'a tab cannot indent; use spaces',
  BAD_INDENT: 'the indentation does not fit the lines above; indent with the same number of spaces',
}

interface Reading {
  readonly file: string
  readonly env: Environment
  readonly document: Document.Parsed
  readonly lines: LineCounter
  readonly places: Map<string, Place>
  readonly problems: ConfigProblem[]
}

type Key = Pick<Place, 'keyLine' | 'keyColumn'>

function position(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}

function report(reading: Reading, where: { path: Path; offset: number }, sentence: string): void {
  const { line, column } = position(reading.lines, where.offset)
  reading.problems.push({
    file: reading.file,
    line,
    column,
    path: pathText(where.path),
    ...sentenceParts(sentence),
  })
}

const OPEN_BRACKET = 'a bracket opened above is not closed; close it with } or ]'
const VARIABLE_IN_BRACES =
  'is not valid YAML here; put the text with ${...} in quotes, because it is between { and }'

const STAR = 'text that begins with * must stand in quotes'
const UNKNOWN_ALIAS = `no anchor (&name) above has this name; ${STAR}`
const STAR_WITHIN = `is not valid YAML here; ${STAR}`

/** The parser's own words, without the piece of the file that some of them quote: it may be a secret. */
function syntaxSentence(text: string, lines: LineCounter, error: YAMLError): string {
  const { line } = position(lines, error.pos[0])
  const start = lines.lineStarts[line - 1] ?? 0
  if (error.code === 'UNEXPECTED_TOKEN' && /\{.*[^"']\$\{/.test(text.slice(start, error.pos[1])))
    return VARIABLE_IN_BRACES
  if (error.message.startsWith('Unexpected alias')) return STAR_WITHIN
  if (error.code === 'BAD_INDENT' && error.message.startsWith('Flow')) return OPEN_BRACKET
  const words = error.message.replace(/: ".*$/s, '')
  const noBreak = (text.slice(start).split('\n', 1)[0] ?? '').includes('\u00a0')
  const look = `a missing quote, bracket or colon${noBreak ? ', and for no-break spaces (U+00A0), which separate nothing' : ''}`
  return SENTENCES[error.code] ?? `is not valid YAML here (${words}); look for ${look}`
}

/** Once the parser is lost, everything behind is unexpected: the first error in each line says enough. */
function syntaxProblems(
  text: string,
  { lines, document, file }: Omit<Reading, 'env' | 'places' | 'problems'>,
): ConfigProblem[] {
  const all = [...document.errors, ...document.warnings]
  const isLost = (error: YAMLError) => error.message.includes('in YAML stream')
  const causes = all.filter((error) => !isLost(error))
  const kept = causes.length > 0 ? causes : all.slice(0, 1)
  const perLine = new Map<number, ConfigProblem>()
  for (const error of kept) {
    const { line, column } = position(lines, error.pos[0])
    const what = sentenceParts(syntaxSentence(text, lines, error))
    if (!perLine.has(line)) perLine.set(line, { file, line, column, path: '', ...what })
  }
  return [...perLine.values()]
}

/** Aliases may repeat a value; aliases inside aliased values could multiply without end. */
function refuseAliases(reading: Reading): void {
  const aliases: { offset: number; nested: boolean; known: boolean }[] = []
  visit(reading.document, {
    Alias(_, node) {
      const target = node.resolve(reading.document)
      let nested = false
      if (target !== undefined)
        visit(target, {
          Alias() {
            nested = true
            return visit.BREAK
          },
        })
      aliases.push({ offset: node.range?.[0] ?? 0, nested, known: target !== undefined })
      return aliases.length > MAX_ALIASES ? visit.BREAK : undefined
    },
  })
  const extra = aliases[MAX_ALIASES]
  if (extra !== undefined)
    report(
      reading,
      { path: [], offset: extra.offset },
      `more than ${MAX_ALIASES} aliases (*name); write the values out`,
    )
  const nestedOne = aliases.find(({ nested }) => nested)
  if (nestedOne !== undefined) {
    const where = { path: [], offset: nestedOne.offset }
    report(reading, where, 'an alias of a value that contains aliases; write the value out')
  }
  for (const { offset, known } of aliases.slice(0, MAX_ALIASES)) {
    if (!known) report(reading, { path: [], offset }, UNKNOWN_ALIAS)
  }
}

/** `!!binary`, `!!set` and their like make something else of a value than text, a number or a list. */
const PLAIN_TAG = /^tag:yaml\.org,2002:(str|int|float|bool|null|map|seq)$|^!$/

function refuseTags(reading: Reading): void {
  visit(reading.document, {
    Node(_, node) {
      if (isAlias(node) || node.tag === undefined || PLAIN_TAG.test(node.tag)) return
      report(reading, { path: [], offset: node.range?.[0] ?? 0 }, NO_TAGS)
    },
  })
}

function keyOf(pair: Pair<ParsedNode, ParsedNode | null>): string | undefined {
  if (!isScalar(pair.key)) return undefined
  // The text as written: YAML would make 123 of the key 0123, and true of a column named true.
  return pair.key.source
}

function readMapping(node: { items: Pair<ParsedNode, ParsedNode | null>[] }, path: Path, reading: Reading) {
  const mapping: Record<string, unknown> = {}
  for (const pair of node.items) {
    const offset = pair.key.range[0]
    const name = keyOf(pair)
    if (name === undefined)
      report(reading, { path, offset }, 'a key is not plain text; write a name before the colon')
    else if (name === '__proto__')
      report(reading, { path: [...path, name], offset }, 'is not a valid name; choose another one')
    else if (Object.hasOwn(mapping, name))
      report(reading, { path: [...path, name], offset }, `${OCCURS_TWICE}; keep one of the two`)
    else {
      const at = position(reading.lines, offset)
      const key = { keyLine: at.line, keyColumn: at.column }
      mapping[name] = readValue(pair.value, { path: [...path, name], key }, reading)
    }
  }
  return mapping
}

function readScalar(value: unknown, where: { path: Path; offset: number }, reading: Reading) {
  if (typeof value !== 'string') return { value }
  const { text, variables, replaced, problems } = substitute(value, reading.env)
  for (const problem of problems) report(reading, where, problem)
  return { value: text, variables, substituted: replaced, broken: problems.length > 0 }
}

function readValue(node: Node | null, where: { path: Path; key?: Key }, reading: Reading): unknown {
  const { path, key } = where
  const target = isAlias(node) ? (node.resolve(reading.document) ?? null) : node
  const offset = node?.range?.[0]
  const at = offset === undefined ? undefined : position(reading.lines, offset)
  const isEmpty = !isScalar(target) ? target === null : target.source === ''
  const line = (isEmpty ? key?.keyLine : undefined) ?? at?.line ?? key?.keyLine ?? 1
  const column = (isEmpty ? key?.keyColumn : undefined) ?? at?.column ?? key?.keyColumn ?? 1
  const place: Place = {
    file: reading.file,
    line,
    column,
    keyLine: key?.keyLine ?? line,
    keyColumn: key?.keyColumn ?? column,
    variables: [],
    substituted: false,
    broken: false,
  }
  reading.places.set(pathKey(path), place)
  if (isScalar(target)) {
    const { value, ...found } = readScalar(target.value, { path, offset: offset ?? 0 }, reading)
    const source = target.type === 'PLAIN' && target.source !== undefined ? { source: target.source } : {}
    reading.places.set(pathKey(path), { ...place, ...source, ...found })
    return value
  }
  if (isSeq(target))
    return target.items.map((item, index) =>
      readValue(item as Node | null, { path: [...path, index] }, reading),
    )
  if (isMap(target))
    return readMapping(target as { items: Pair<ParsedNode, ParsedNode | null>[] }, path, reading)
  return null
}

function readDocument(text: string, { file, env }: { file: string; env: Environment }): YamlRead {
  const lines = new LineCounter()
  // A key that occurs twice is reported by readMapping, with its path: the rest of the file is readable all the same.
  const options = { lineCounter: lines, prettyErrors: false, version: '1.2', uniqueKeys: false } as const
  const document = parseDocument(text, options)
  const syntax = syntaxProblems(text, { lines, document, file })
  if (syntax.length > 0) return { problems: syntax }
  const reading: Reading = { file, env, document, lines, places: new Map(), problems: [] }
  refuseAliases(reading)
  refuseTags(reading)
  if (reading.problems.length > 0) return { problems: reading.problems }
  const value = readValue(document.contents, { path: [] }, reading)
  return { tree: { value, places: reading.places }, problems: reading.problems }
}

export interface YamlRead {
  readonly tree?: Tree
  readonly problems: readonly ConfigProblem[]
}

/** Reads YAML. Without a tree, the problems say why; with one, they are about single values in it. */
export function readYaml(text: string, from: { file: string; env: Environment }): YamlRead {
  try {
    return readDocument(text, from)
  } catch (error) {
    // Parsing is recursive: a file of nothing but brackets uses up the stack.
    if (!(error instanceof RangeError)) throw error
    const what = { message: 'is nested too deeply', hint: 'flatten it' }
    return { problems: [{ file: from.file, line: 1, column: 1, path: '', ...what }] }
  }
}
