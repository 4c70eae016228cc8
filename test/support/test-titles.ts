// The titles of the tests and blocks in a file, read from its source without running it. The title of a table of cases
// counts as it is written, and once more for every case whose values stand there as literals.
import { readFileSync } from 'node:fs'
import { format } from 'node:util'
import ts from 'typescript'

const BLOCKS = new Set(['it', 'test', 'describe'])

/** The name before all `.each`, `.skipIf(...)` and the like. */
function rootName(node: ts.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return rootName(node.expression)
  return undefined
}

/** What stands behind `as const`, `satisfies` and the name of a constant. */
function plain(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): ts.Expression {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return plain(node.expression, constants)
  const named = ts.isIdentifier(node) ? constants.get(node.text) : undefined
  return named === undefined ? node : plain(named, constants)
}

function literal(node: ts.Node): unknown {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isNumericLiteral(node)) return Number(node.text)
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false
  return undefined
}

/** The cases of a table, each with its values; what is no literal is undefined. */
function tableCases(callee: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): unknown[][] {
  if (!ts.isCallExpression(callee) || callee.arguments[0] === undefined) return []
  const table = plain(callee.arguments[0], constants)
  const isEntries = ts.isCallExpression(table) && table.expression.getText() === 'Object.entries'
  if (isEntries && table.arguments[0] !== undefined) {
    const object = plain(table.arguments[0], constants)
    if (!ts.isObjectLiteralExpression(object)) return []
    return object.properties.map(({ name }) => [name === undefined ? undefined : keyText(name)])
  }
  if (!ts.isArrayLiteralExpression(table)) return []
  return table.elements.map((row) => {
    const values = plain(row, constants)
    return ts.isArrayLiteralExpression(values) ? values.elements.map(literal) : [literal(values)]
  })
}

const keyText = (name: ts.PropertyName): string | undefined =>
  ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : undefined

function caseTitle(title: string, values: readonly unknown[]): string[] {
  const places = title.match(/%[sdifjo]/g) ?? []
  const used = values.slice(0, places.length)
  return used.length < places.length || used.includes(undefined) ? [] : [format(title, ...used)]
}

/** By name, over all scopes: tables of one file do not share names. */
function constantsOf(source: ts.SourceFile): ReadonlyMap<string, ts.Expression> {
  const found = new Map<string, ts.Expression>()
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return
    if (ts.isIdentifier(node.name)) found.set(node.name.text, node.initializer)
  }
  visit(source)
  return found
}

export function testTitles(file: string): ReadonlySet<string> {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const constants = constantsOf(source)
  const titles = new Set<string>()
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isCallExpression(node) || !BLOCKS.has(rootName(node.expression) ?? '')) return
    const [first] = node.arguments
    if (first === undefined || !ts.isStringLiteralLike(first) || node.arguments.length < 2) return
    titles.add(first.text)
    for (const values of tableCases(node.expression, constants))
      for (const title of caseTitle(first.text, values)) titles.add(title)
  }
  visit(source)
  return titles
}
