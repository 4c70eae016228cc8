// Before any test: builds the program where its source is newer. Processes that tests start are those that are installed.
import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

const changedMs = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

export default function build(): void {
  const made = [
    'package.json',
    'package-lock.json',
    'rolldown.config.js',
    ...globSync('src/**/*.ts', { cwd: ROOT }),
  ]
  const newest = Math.max(...made.map((path) => changedMs(resolve(ROOT, path))))
  if (changedMs(resolve(ROOT, 'dist/main.js')) < newest)
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
}
