// Values that look damaged, and those that only seem so.
import { describe, expect, it } from 'vitest'
import { oddities } from '../../../src/core/mapping/odd-values.ts'

const C1 = 'control characters (C1)'
const MARKS = 'spreadsheet marks'
const ERRORS = 'spreadsheet errors'
const EXPONENT = 'numbers with an exponent'
const HTML = 'HTML entities'

describe('a value that looks damaged', () => {
  it.each<[string, string[]]>([
    ['O\u0092Neill', [C1]],
    ["'+49 171 1", [MARKS]],
    ["'0171", [MARKS]],
    ['="01067"', [MARKS]],
    ['#NAME?', [ERRORS]],
    [' #REF! ', [ERRORS]],
    ['#N/A', [ERRORS]],
    ['#BEZUG!', [ERRORS]],
    ['4,91711E+11', [EXPONENT]],
    ['4.91711e11', [EXPONENT]],
    ['M&uuml;ller &#38; S&#xF6;hne', [HTML]],
    ['M&uuml;ller\u0080', [C1, HTML]],
  ])('%j', (value, found) => {
    expect(oddities(value)).toEqual(found)
  })

  it.each([
    "'t Hooft",
    "'s-Hertogenbosch",
    'O\u2019Neill',
    'AT&T',
    'Smith & Sons; London',
    '#1 Fitness',
    '#NAMENLOS',
    '12E3',
    'A4,5E+1',
    '+49 171 1',
    '',
    '= mc2',
  ])('is not %j', (value) => {
    expect(oddities(value)).toEqual([])
  })
})
