// Two pipelines that take the same files are refused, by whatever path they come to the folder.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sharedFolderProblems } from '../../src/config/cross-checks.ts'
import type { Tree } from '../../src/config/text/tree.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'same-folder-'))
  mkdirSync(join(folder, 'inbox'))
  mkdirSync(join(folder, 'other'))
  symlinkSync('inbox', join(folder, 'link'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function problems(first: object, second: object): string[] {
  const map = { mail: 'Mail' }
  const value = { pipelines: { a: { source: first, map }, b: { source: second, map } } }
  const tree = { value, places: new Map() } as unknown as Tree
  return sharedFolderProblems(tree, folder).map(({ path, message }) => `${path}: ${message}`)
}
const SAME = ['pipelines.b.source.folder: reads the same files as pipelines.a']

it('through a link', () => {
  expect(problems({ folder: 'inbox' }, { folder: 'link' })).toEqual(SAME)
  expect(problems({ folder: 'link/../inbox' }, { folder: join(folder, 'link') })).toEqual(SAME)
})

it('with the same pattern, alone or in a list', () => {
  expect(problems({ folder: 'inbox', files: '*.csv' }, { folder: 'link', files: ['*.csv'] })).toEqual(SAME)
})

it('and not where folder or pattern differ', () => {
  expect(problems({ folder: 'inbox' }, { folder: 'other' })).toEqual([])
  expect(problems({ folder: 'inbox', files: 'a*' }, { folder: 'link', files: 'b*' })).toEqual([])
})
