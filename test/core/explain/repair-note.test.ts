// What is said of a value that a repair sent: no row brought it again.
import { expect, it } from 'vitest'
import { noteOfEntry } from '../../../src/core/explain/explanation.ts'

it.each([
  ['drift repair', /^drift repair: what had been sent before/],
  ['drift repair; unchanged, because changed since: phone', /unchanged, because changed since: phone: what/],
  ['undoes run r1', /^undoes run r1: it is an earlier value/],
])('%s', (reason, expected) => {
  const entry = { source: null, values: undefined, reason }
  expect(noteOfEntry(entry as unknown as Parameters<typeof noteOfEntry>[0])).toMatch(expected)
})
