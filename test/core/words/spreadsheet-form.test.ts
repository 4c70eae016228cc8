// What a spreadsheet makes of texts, and what a person may have meant instead.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isSpreadsheetForm } from '../../../src/core/words/spreadsheet-form.ts'

it.each([
  ['0071', '71'],
  ['+491711234567', '491711234567'],
  ['491711234567', '4,91711E+11'],
  ['491711234567', '4.91711E+11'],
  ['5550123456789', '5.55012E+12'],
  ['1234567890123456789', '1234567890123450000'],
  ['1234567890123456789', '1.23457E+18'],
  ['12E3', '12000'],
  ['12E3', '1.20E+04'],
  ['1.50', '1.5'],
  ['1,50', '1,5'],
  ['000', '0'],
  ['12-3', '12. Mar'],
  ['12-3', '12-Mar'],
  ['3/4', '03. Apr'],
  ['3/4', '04.03.2026'],
  ['2024-01-05', '05.01.2024'],
  ['05.01.2024', '1/5/24'],
])('%s becomes %s', (text, given) => {
  expect(isSpreadsheetForm(text, given)).toBe(true)
})

it.each([
  ['71', '71'],
  ['71', '0071'],
  ['71', '72'],
  ['0071', '7'],
  ['0071', 'A71'],
  ['A071', 'A71'],
  ['12345678901234567', '12345678901234568'],
  ['491711234567', '4.91712E+11'],
  ['491711234567', `4.${'9'.repeat(200)}E+11`],
  ['12-3', '3-12'],
  ['12-3', '12-4'],
  ['12-3', '12-A'],
  ['12-3', '13. Mar 2027'],
  ['12-3-X', '12. Mar'],
  ['', '0'],
  ['0', ''],
  [`1${'0'.repeat(600)}`, '1'],
])('%s does not become %s', (text, given) => {
  expect(isSpreadsheetForm(text, given)).toBe(false)
})

it('takes nothing for another form of itself, and throws at nothing', () => {
  const number = fc.stringMatching(/^[+-]?[0-9]{1,20}([.,][0-9]{1,20})?(E[+-]?[0-9]{1,3})?$/)
  const some = fc.oneof(fc.string(), number)
  fc.assert(
    fc.property(some, some, (text, given) => {
      expect(isSpreadsheetForm(text, text)).toBe(false)
      expect(typeof isSpreadsheetForm(text, given)).toBe('boolean')
    }),
  )
})
