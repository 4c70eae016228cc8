// The bugs that the long checks put into the program are changes of its source: each must still find what it replaces.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { FAULTY_PROGRAMS } from '../processes/faulty-programs.ts'
import { FLEET_MUTANTS } from './fleet/mutants.ts'
import { MUTANTS } from './mutants.ts'

const SRC = resolve(import.meta.dirname, '../../src')

const bugs = [
  ...[...MUTANTS, ...FLEET_MUTANTS].map(({ bug, edits }) => ({
    bug,
    edits: edits.map(({ file, find, times = 1 }) => ({ file, find, times })),
  })),
  ...FAULTY_PROGRAMS.map(({ name, replacements }) => ({
    bug: name,
    edits: replacements.map(({ file, from }) => ({ file, find: from, times: 1 })),
  })),
]

it.each(bugs)('$bug', ({ edits }) => {
  expect(edits.length).toBeGreaterThan(0)
  for (const { file, find, times } of edits)
    expect(readFileSync(resolve(SRC, file), 'utf8').split(find), `${file}: ${find}`).toHaveLength(times + 1)
})
