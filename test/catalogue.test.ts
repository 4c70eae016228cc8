// The table of faults in the manual of the tests: complete, and every test that it names exists.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const SCENARIOS = { P: 22, N: 16, A: 36, S: 16, F: 30, C: 16, M: 23, X: 22 } as const

interface Row {
  readonly id: string
  readonly outcome: string
  readonly tests: readonly { readonly file: string; readonly title: string }[]
}

/** A `|` within a cell is written `\|`. */
const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

function rowOf([id = '', , outcome = '', named = '']: string[]): Row {
  const tests = named.split('<br>').flatMap((text) => {
    const [, file, title] = /^`([^`]+)` › (.+)$/.exec(text) ?? []
    return file === undefined || title === undefined ? [] : [{ file, title }]
  })
  return { id, outcome, tests }
}

function catalogue(text: string): Row[] {
  const rows = text.split('\n').filter((line) => /^\| [A-Z]\d+ \|/.test(line))
  return rows.map((line) => rowOf(cellsOf(line)))
}

/** Whether the title, or the part of one, stands in a text of the test's source. */
function isThere(file: string, title: string): boolean {
  const path = resolve(import.meta.dirname, file)
  if (!existsSync(path)) return false
  return readFileSync(path, 'utf8')
    .split('\n')
    .some((line) => line.includes(title) && /['"`]/.test(line.slice(0, line.indexOf(title))))
}

const ROWS = catalogue(readFileSync(resolve(import.meta.dirname, 'README.md'), 'utf8'))

describe('the table of faults', () => {
  it('has every number once, in order', () => {
    const all = Object.entries(SCENARIOS).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
    )
    expect(ROWS.map(({ id }) => id)).toEqual(all)
  })

  it('names a test for each, or says why there is none', () => {
    const unexplained = ROWS.filter(
      ({ tests, outcome }) => tests.length === 0 && !/\bopen\b|cannot|\.ci\//.test(outcome),
    )
    expect(unexplained.map(({ id }) => id)).toEqual([])
  })

  it('names tests that exist', () => {
    const lost = ROWS.flatMap(({ id, tests }) =>
      tests
        .filter(({ file, title }) => !isThere(file, title))
        .map(({ file, title }) => `${id}: ${file} › ${title}`),
    )
    expect(lost).toEqual([])
    // A check that finds everything would find this, too.
    expect(isThere('catalogue.test.ts', ['a title', 'that nobody', 'has'].join(' '))).toBe(false)
  })
})
