// Where the record of an entry stands: a row, a file that lacks it, or no file.
import { expect, it } from 'vitest'
import { noteWithoutLine, placeText } from '../../../src/core/change/own-inputs.ts'

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

it.each([
  [
    { file: 'edits at the service', line: 0 },
    'an edit at the service had ended, or was released: what the source wanted was sent, without its row',
  ],
  [{ file: '1.csv', line: 0 }, 'the record was missing in 1.csv'],
  [{ file: '1.csv', line: 2 }, undefined],
  [{ file: 'edits at the service', line: 2 }, undefined],
  [{ file: 'drift repair', line: 0 }, undefined],
])('why a value of %o came from no row: %s', (place, note) => {
  expect(noteWithoutLine(place)).toBe(note)
})
