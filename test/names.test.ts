// One exported name means one thing in the whole source: a reader of `Verdict` need not ask which one.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? name.text : name.elements.map((element) => element.getText()),
    )
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  return isNamed && statement.name !== undefined ? [statement.name.text] : []
}

/** What a text exports of its own; what it only passes on keeps the meaning that it has there. */
function exportedNames(text: string): readonly string[] {
  const file = ts.createSourceFile('any.ts', text, ts.ScriptTarget.Latest, true)
  const isExported = (statement: ts.Statement): boolean =>
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  return [...new Set(file.statements.filter(isExported).flatMap(namesOf))]
}

/** Names that several texts export, with these. */
function doubled(texts: Readonly<Record<string, string>>): readonly string[] {
  const files = Object.entries(texts).flatMap(([file, text]) =>
    exportedNames(text).map((name) => ({ name, file })),
  )
  const byName = Map.groupBy(files, ({ name }) => name)
  return [...byName]
    .filter(([, of]) => of.length > 1)
    .map(([name, of]) => `${name}: ${of.map(({ file }) => file).join(', ')}`)
}

it('no name is exported twice', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(300)
  expect(
    doubled(Object.fromEntries(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))),
  ).toEqual([])
})

it('a name that is exported twice is noticed, however it is declared', () => {
  const texts = {
    'a.ts':
      'export interface Turn { a: 1 }\nexport const { said } = x\nconst own = 1\nexport { list } from "./b.ts"',
    'b.ts': 'export type Turn = 1\nexport function said() {}\nexport const own = 2\nexport const list = 3',
    'c.ts': 'export class Turn {}',
  }
  expect(doubled(texts)).toEqual(['Turn: a.ts, b.ts, c.ts', 'said: a.ts, b.ts'])
})
