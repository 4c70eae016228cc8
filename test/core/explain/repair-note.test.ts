// What is said of a value that no row brought: a repair, an undo or the end of an edit sent it.
import { expect, it } from 'vitest'
import { noteOfEntry } from '../../../src/core/explain/setting.ts'

it.each([
  ['drift repair', /^drift repair: what had been sent before/],
  ['drift repair; unchanged, because changed since: phone', /unchanged, because changed since: phone: what/],
  ['undoes run r1', /^undoes run r1: it is an earlier value/],
])('%s', (reason, expected) => {
  const entry = { source: null, values: undefined, reason }
  expect(noteOfEntry(entry as unknown as Parameters<typeof noteOfEntry>[0])).toMatch(expected)
})

it.each([
  [
    'edits at the service',
    /^an edit at the service had ended, or was released: what the source wanted was sent/,
  ],
  ['2.csv', /^the record was missing in 2\.csv$/],
])('without a line: %s', (file, expected) => {
  const entry = { source: { file, line: 0 }, values: undefined, reason: null }
  expect(noteOfEntry(entry as unknown as Parameters<typeof noteOfEntry>[0])).toMatch(expected)
})
