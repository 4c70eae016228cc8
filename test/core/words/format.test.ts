// What people read and write: numbers, moments, spans, sizes, shares, durations and blanks.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBlank } from '../../../src/core/words/blank.ts'
import { DAY_MS, durationText, HOUR_MS, milliseconds, MINUTE_MS } from '../../../src/core/words/duration.ts'
import {
  bytesText,
  distanceText,
  momentText,
  number,
  plural,
  shareText,
  spanText,
} from '../../../src/core/words/format.ts'
import { duration, shareOrCount } from '../../../src/core/words/scalars.ts'

describe('what people read', () => {
  it.each([
    [0, '0 ms'],
    [12, '12 ms'],
    [1234, '1.2 s'],
    [6000, '6 s'],
    [MINUTE_MS, '1 min'],
    [245_000, '4 min 5 s'],
    [HOUR_MS - 1, '59 min 59 s'],
    [12_000_000, '3 h 20 min'],
    [2 * DAY_MS + 4 * HOUR_MS, '2 d 4 h'],
  ])('a span of %i ms is %s', (ms, expected) => expect(spanText(ms)).toBe(expected))

  it.each([
    [1, 'now'],
    [-30_000, '30 s ago'],
    [-3 * MINUTE_MS, '3 min ago'],
    [2 * HOUR_MS, 'in 2 h'],
    [-3 * DAY_MS, '3 d ago'],
  ])('%i ms from now is %s', (ms, expected) => expect(distanceText(1e12 + ms, 1e12)).toBe(expected))

  it('numbers, moments, sizes and shares', () => {
    expect(number(1_234_567)).toBe('1,234,567')
    expect(number(999)).toBe('999')
    expect(number(0.5)).toBe('0.5')
    expect(number(-1000)).toBe('-1,000')
    expect(number(1234.5)).toBe('1,234.5')
    expect(number(Number.MAX_SAFE_INTEGER)).toBe('9,007,199,254,740,991')
    expect(number(1e21)).toBe('1,000,000,000,000,000,000,000')
    expect([plural(1, 'retry', 'retries'), plural(2000, 'record')]).toEqual(['1 retry', '2,000 records'])
    expect(momentText(0)).toBe('1970-01-01 00:00:00 UTC')
    expect([999, 4200, 1_300_000].map(bytesText)).toEqual(['999 B', '4.2 kB', '1.3 MB'])
    expect([0.05, 1, 0.00125].map(shareText)).toEqual(['5%', '100%', '0.125%'])
  })
})

describe('durations', () => {
  it.each([
    ['30d', 30 * DAY_MS],
    ['1d', DAY_MS],
    ['90s', 90_000],
    ['1.5h', 90 * MINUTE_MS],
    ['0ms', 0],
  ])('%s is %i ms', (text, ms) => expect(duration().parse(text)).toBe(ms))

  it('are written as they can be read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3650 * DAY_MS }), (ms) => {
        expect(milliseconds(durationText(ms))).toBe(ms)
      }),
    )
    expect([0, 1500, 90_000, 120_000, 7_200_000, 30 * DAY_MS].map(durationText)).toEqual([
      '0ms',
      '1500ms',
      '90s',
      '2m',
      '2h',
      '30d',
    ])
  })
})

it.each(['5%', '100%', '0.5%', 12, 0])('a limit of %s is written as it was read', (written) => {
  expect(shareOrCount.encode(shareOrCount.decode(written))).toBe(written)
})

it('knows nothing from something', () => {
  expect([undefined, null, '', []].map(isBlank)).toEqual([true, true, true, true])
  expect([0, false, ' ', [''], {}].map(isBlank)).toEqual([false, false, false, false, false])
})
