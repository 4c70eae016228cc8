// The patterns of `date`: which are accepted, and what is said of the others.
import { describe, expect, it } from 'vitest'
import { dateFormatProblem, sameTextsForm } from '../../../../../src/core/mapping/values/dates/date-format.ts'

describe('a pattern of a date', () => {
  it.each([
    'dd.MM.yyyy',
    'd/M/yy',
    'd. MMMM yyyy',
    "d 'de' MMMM 'de' yyyy",
    'EEE, d LLL y',
    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    'M/d/yyyy h:mm:ss a',
    'yyyyMMdd',
    "d. MMMM ''yy",
  ])('%s is accepted', (pattern) => {
    expect(dateFormatProblem(pattern)).toBeUndefined()
  })

  it.each([
    ['DD.MM.YYYY', '"DD" counts the days of the year; the day of the month is d or dd'],
    ['dd.MM.YYYY', '"YYYY" counts years by weeks; the year is yyyy, or yy for two digits'],
    ['TT.MM.JJJJ', `"TT" is not a pattern letter; the day is d or dd, and text is quoted: 'T'`],
    ['dd.mm.yyyy', 'has minutes (m) and no month; the month is M, MM or MMMM'],
    ['%d.%m.%Y', 'has a %, the pattern style of other programs; write dd.MM.yyyy'],
    ['MM.yyyy', 'has no day (d); write a pattern such as dd.MM.yyyy'],
    ['dd.MM', 'has no year (y); write a pattern such as dd.MM.yyyy'],
    ['dd.yyyy', 'has no month (M); write a pattern such as dd.MM.yyyy'],
    ['d.dd.MM.yyyy', 'has more than one day (d); write a pattern such as dd.MM.yyyy'],
    ['dd.MM.yyy', `"yyy" is no part of a date; the parts are d, M and y, and text is quoted: 'of'`],
    ['d of MMMM yyyy', `"o" is no part of a date; the parts are d, M and y, and text is quoted: 'of'`],
    ['dd.MM.yyyy HH:mm HH', 'has a part twice; write each once'],
  ])('%s is refused', (pattern, expected) => {
    expect(dateFormatProblem(pattern)).toBe(expected)
  })

  it('reads the same texts as another one where only the order differs', () => {
    expect(sameTextsForm('dd/MM/yyyy')).toBe(sameTextsForm('M/d/yyyy'))
    expect(sameTextsForm('dd/MM/yyyy')).not.toBe(sameTextsForm('M/d/yy'))
    expect(sameTextsForm('dd/MM/yyyy')).not.toBe(sameTextsForm('dd.MM.yyyy'))
    expect(sameTextsForm('d MMMM yyyy')).toBeUndefined()
  })
})
