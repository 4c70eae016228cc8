// What the benchmark prints and writes: the same tables as text and as Markdown, and a place in the manual for each size.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSheet, figureCells, filledPlace, isOver, markdownOf } from './sheet.ts'

describe('a sheet', () => {
  it('prints each row when it comes, and keeps it as Markdown', () => {
    const printed: string[] = []
    const sheet = createSheet(1000, (line) => printed.push(line))
    const add = sheet.begin(['start', 'CPU ms'])
    expect(printed.at(-1)).toMatch(/^start +CPU ms$/)
    add('help | <short>', '20')
    expect(printed.at(-1)).toMatch(/^ {2}help \| <short> +20$/)
    expect(sheet.tables().map(markdownOf)).toEqual([
      '| start | CPU ms |\n| --- | ---: |\n| help \\| &lt;short> | 20 |',
    ])
  })

  it('judges a figure by the limits of its number of rows', () => {
    const large = createSheet(1_000_000, () => undefined)
    large.judge('unchanged', 0.2)
    large.judge('restart_over', 1.5)
    expect(large.figures().map(({ name, verdict }) => [name, verdict])).toEqual([
      ['unchanged', 'not reached'],
      ['restart_over', 'ABOVE ITS LIMIT'],
    ])
    expect(large.figures().map(isOver)).toEqual([false, true])
    const [first] = large.figures()
    expect(first && figureCells(first, 1_000_000).slice(0, 3)).toEqual([
      'unchanged re-run / plain parse',
      '0.20',
      '0.15',
    ])
  })
})

describe('a place of the manual', () => {
  const manual =
    'a\n<!-- bench 10 -->\nold\n<!-- bench end -->\nb\n<!-- bench 20 -->\nother\n<!-- bench end -->\n'

  it('is filled, and nothing else is touched', () => {
    expect(filledPlace(manual, 20, 'new')).toBe(manual.replace('other', 'new'))
    expect(filledPlace(filledPlace(manual, 10, 'x'), 10, 'old')).toBe(manual)
  })

  it('that is not there is an error', () => {
    expect(() => filledPlace(manual, 30, 'new')).toThrow('no place for a benchmark of 30 rows')
  })

  it.each([100_000, 1_000_000])('is there for %i rows', (rows) => {
    const real = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8')
    expect(filledPlace(real, rows, 'figures')).toContain('figures')
  })
})
