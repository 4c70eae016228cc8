// Where the record of an entry stands: a row, a file that lacks it, or no file.
import { expect, it } from 'vitest'
import { placeText } from '../../../src/core/change/own-inputs.ts'

it.each([
  [{ file: '1.csv', line: 2 }, '1.csv:2'],
  [{ file: '1.csv', line: 2, lines: [2, 5] }, '1.csv:2,5'],
  [{ file: '1.csv', line: 0 }, 'missing in 1.csv'],
  [{ file: 'edits at the service', line: 0 }, 'edits at the service'],
  [{ file: 'terms of a brake', line: 0 }, 'terms of a brake'],
  [{ file: 'drift repair', line: 0 }, 'drift repair'],
])('%o: %s', (place, text) => {
  expect(placeText(place)).toBe(text)
})
