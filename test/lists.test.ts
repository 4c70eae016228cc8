// Every file of tests is run, and by one step alone: the lists of the slow ones stand in package.json.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>
}

/** The files that a script runs, as vitest lists them. */
function filesOf(script: string): string[] {
  const command = (scripts[script] ?? '').replace('vitest run', 'vitest list --filesOnly')
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` }
  const listed = execFileSync('sh', ['-c', command], { cwd: ROOT, env, encoding: 'utf8' })
  return [...listed.matchAll(/\S*test\/\S+\.test\.ts/g)].map(([path]) => relative(ROOT, resolve(ROOT, path)))
}

/** What `.ci/run` names beside the scripts. */
const byName = (path: string): boolean => {
  const named = readFileSync(join(ROOT, '.ci/run'), 'utf8')
  return named.includes(path) || (path.startsWith('test/monitoring/') && named.includes('test/monitoring '))
}

it('every file of tests is in one of the lists', () => {
  const lists = ['test:together', 'test:apart', 'test:slow'].map(filesOf)
  for (const files of lists) expect(files.length).toBeGreaterThan(50)
  const all = lists.flat()
  expect(all.filter((path, index) => all.indexOf(path) !== index)).toEqual([])
  const missing = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((path) => !all.includes(path))
  expect(missing.filter((path) => !byName(path))).toEqual([])
})
