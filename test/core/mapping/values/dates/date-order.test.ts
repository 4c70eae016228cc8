// `date: auto`: what proves an order of day and month, what contradicts it, and what is read without any proof.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { autoDateRule } from '../../../../../src/core/mapping/values/dates/auto-date.ts'
import {
  createOrderEvidence,
  type DateOrder,
  type DateOrders,
  orderOf,
} from '../../../../../src/core/mapping/values/dates/date-order.ts'

const how = { twoDigitYearsUntil: undefined, timezone: undefined, fileDate: '2026-11-22' }

function read(text: string, orders: Readonly<Record<string, DateOrder>> = {}): string {
  const made = autoDateRule(how, orders)(text)
  return typeof made === 'string' ? made : `! ${made.problem}`
}

const OPEN =
  '! may have the day or the month first, and no value of the column proves which; write the pattern in place of auto'

describe('what a date says about its order', () => {
  it.each([
    ['31.12.1980', { mark: '.', order: 'day' }],
    ['12/31/1980', { mark: '/', order: 'month' }],
    ['13-1-80', { mark: '-', order: 'day' }],
    ['1. 13. 1980', { mark: '.', order: 'month' }],
    ['03/04/1980', { mark: '/', order: undefined }],
    ['31/31/1980', { mark: '/', order: undefined }],
    ['32/01/1980', { mark: '/', order: undefined }],
    ['13/00/1980', { mark: '/', order: undefined }],
    ['00/13/1980', { mark: '/', order: undefined }],
    ['1980-12-31', undefined],
    ['31.12/1980', undefined],
    ['31 December 1980', undefined],
  ])('%s', (text, expected) => {
    expect(orderOf(text)).toEqual(expected)
  })
})

describe('the dates of a column', () => {
  function proved(texts: readonly string[], known: DateOrders = {}) {
    const evidence = createOrderEvidence()
    texts.forEach((text, index) => {
      evidence.onLine(index + 2)
      evidence.note('Born', text)
    })
    return evidence.ordersWith(known)
  }

  it('prove an order by one number above twelve, for their own mark', () => {
    expect(proved(['03/04/1980', '12/31/1980 0:00', '1980-01-31'])).toEqual({
      orders: { Born: { '/': 'month' } },
    })
    expect(proved(['31.12.1980', '03/04/1980'])).toEqual({ orders: { Born: { '.': 'day' } } })
    expect(proved(['03/04/1980'])).toEqual({ orders: {} })
  })

  it('add to what was proved before', () => {
    const known: DateOrders = { Born: { '.': 'day' }, Since: { '/': 'month' } }
    expect(proved(['12/31/1980', '30.01.1980'], known)).toEqual({
      orders: { Born: { '.': 'day', '/': 'month' }, Since: { '/': 'month' } },
    })
    expect(proved([], known)).toEqual({ orders: known })
  })

  it('contradict each other, or what was proved before, by the lines alone', () => {
    expect(proved(['31/12/1980', '12/31/1980'])).toEqual({
      contradiction: 'column "Born": the day comes first on line 2, and the month on line 3',
    })
    expect(proved(['01/02/1980', '12/31/1980'], { Born: { '/': 'day' } })).toEqual({
      contradiction: 'column "Born": the month comes first on line 3, and in the files before it was the day',
    })
    expect(proved(['31/12/1980'], { Born: { '/': 'month' } })).toEqual({
      contradiction: 'column "Born": the day comes first on line 2, and in the files before it was the month',
    })
  })
})

describe('a date without a pattern', () => {
  it.each([
    '1980-12-01',
    '1980/12/1',
    '1980.12.01',
    '19801201',
    '1. Dezember 1980',
    '1 décembre 1980',
    '1-Dec-80',
    '1-Dec-1980',
    '1 DEC 80',
    'December 1, 1980',
    'Dec. 1, 1980',
    'Montag, 1. Dezember 1980',
    'Monday, December 1, 1980',
    'Mon Dec 1 1980',
    '1 de diciembre de 1980',
    '1980-12-01 00:00',
    '1980-12-01T00:00:00Z',
    '1980-12-01 10:23:10 UTC',
    '1980-12-01T00:00:00.000+01:00',
    '1. Dezember 1980, 10:30',
    'December 1, 1980 10:30:00 PM',
  ])('is read where its form leaves nothing open: %s', (text) => {
    expect(read(text)).toBe('1980-12-01')
  })

  it.each<[string, DateOrder, string]>([
    ['01.02.1980', 'day', '1980-02-01'],
    ['01.02.1980', 'month', '1980-01-02'],
    ['1. 2. 80', 'day', '1980-02-01'],
    ['1/2/80 0:00', 'month', '1980-01-02'],
    ['1-2-1980, 11:59 PM', 'month', '1980-01-02'],
    ['12/31/1980', 'day', '! is not a day of the calendar'],
    ['31/02/1980', 'day', '! is not a day of the calendar'],
  ])('%s is read with the %s first, where the column proves it', (text, order, expected) => {
    expect(read(text, { [text.replace(/^\d+(.).*$/, '$1')]: order })).toBe(expected)
  })

  it.each([
    ['03/04/1980', OPEN],
    ['03.04.80', OPEN],
    ['31.12.1980', '1980-12-31'],
    ['12/31/1980', '1980-12-31'],
    ['04/04/1980', '1980-04-04'],
    ['31/31/1980', '! is not a day of the calendar'],
    ['0/0/00', ''],
    ['--12-01', ''],
    ['unknown', '! is no date'],
    ['31.12.1980 late', '! is no date'],
    ['31.12.1980 99:99:99:99', '! is no date'],
    ['x'.repeat(200), '! is no date'],
    [
      '29221',
      '! is no date; a spreadsheet may have made it of a date: format the column as a date there, and export it again',
    ],
  ])('%s without any proof', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  it('never fails, and reads its own days again', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}( \d\d:\d\d)?$/),
    )
    const orders = fc.constantFrom<Record<string, DateOrder>[]>({}, { '.': 'day', '/': 'month' })
    fc.assert(
      fc.property(anything, orders, (text, known) => {
        const made = read(text, known)
        if (made !== '' && !made.startsWith('! ')) expect(read(made, known)).toBe(made)
      }),
      { numRuns: 500 },
    )
  })
})
