// The table of faults in the manual of the tests: complete, and every test that it names exists.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testTitles } from './support/test-titles.ts'

const SCENARIOS = { P: 22, N: 16, A: 36, S: 16, F: 30, C: 16, M: 36, X: 22, T: 237 } as const

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

function testOf(text: string): { file: string; title: string } {
  const [, file = '', title = ''] = /^`([^`]+)` › (.+)$/.exec(text) ?? []
  return { file, title }
}

function rowOf([id = '', , outcome = '', named = '']: string[]): Row {
  const tests = named === '—' ? [] : named.split('<br>').map(testOf)
  return { id, outcome, tests }
}

function catalogue(text: string): Row[] {
  const rows = text.split('\n').filter((line) => /^\| [A-Z]\d+ \|/.test(line))
  return rows.map((line) => rowOf(cellsOf(line)))
}

function titlesOf(file: string): ReadonlySet<string> {
  const path = resolve(import.meta.dirname, file)
  return existsSync(path) ? testTitles(path) : new Set()
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
      ({ tests, outcome }) => tests.length === 0 && !/^(open: |cannot )|`\.ci\/\w+`/.test(outcome),
    )
    expect(unexplained.map(({ id }) => id)).toEqual([])
    const scripts = ROWS.flatMap(({ outcome }) => outcome.match(/\.ci\/\w+/g) ?? [])
    expect(scripts.length).toBeGreaterThan(0)
    expect(scripts.filter((script) => !existsSync(resolve(import.meta.dirname, '..', script)))).toEqual([])
  })

  it('names tests that exist, by their whole titles', () => {
    const named = ROWS.flatMap(({ id, tests }) => tests.map((test) => ({ id, ...test })))
    const titles = new Map(named.map(({ file }) => [file, titlesOf(file)]))
    const lost = named.filter(({ file, title }) => titles.get(file)?.has(title) !== true)
    expect(lost).toEqual([])
    expect(named.length).toBeGreaterThan(ROWS.length)
  })

  it('would not take a part of a title, nor a title of another file, for a test', () => {
    const own = titlesOf('catalogue.test.ts')
    expect([...own]).toContain('has every number once, in order')
    expect(own.has('has every number')).toBe(false)
    expect(titlesOf('sync/run.test.ts').has('has every number once, in order')).toBe(false)
    expect(titlesOf('no-such.test.ts').size).toBe(0)
  })
})
