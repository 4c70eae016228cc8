// Deadlines by a calendar in a time zone, changes of clocks included.
import { describe, expect, it } from 'vitest'
import { type Deadline, lastDeadline, WEEKDAYS } from '../../../src/core/words/deadline.ts'

const at = (text: string): number => Date.parse(text)
const iso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString()
const daily = (minute: number): Deadline => ({ minute, days: WEEKDAYS })

describe('the last deadline', () => {
  it.each([
    ['is of today once it has passed', daily(420), '2026-06-10T05:00:00Z', '2026-06-10T05:00:00.000Z'],
    ['is of yesterday before that', daily(420), '2026-06-10T04:59:59Z', '2026-06-09T05:00:00.000Z'],
    [
      'is on Friday, seen from a Sunday',
      { minute: 420, days: ['fri'] },
      '2026-06-14T12:00:00Z',
      '2026-06-12T05:00:00.000Z',
    ],
    [
      'is a week ago, seen from just before',
      { minute: 420, days: ['fri'] },
      '2026-06-12T04:00:00Z',
      '2026-06-05T05:00:00.000Z',
    ],
    ['keeps to local time in winter', daily(420), '2026-01-10T12:00:00Z', '2026-01-10T06:00:00.000Z'],
    [
      'is after the gap that summer time leaves',
      daily(150),
      '2026-03-29T12:00:00Z',
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'is the first of two equal times in autumn',
      daily(150),
      '2026-10-25T12:00:00Z',
      '2026-10-25T00:30:00.000Z',
    ],
    ['is none without a day', { minute: 1, days: [] }, '2026-06-10T05:00:00Z', undefined],
  ] as const)('%s', (_, deadline, now, expected) => {
    expect(iso(lastDeadline(deadline, 'Europe/Berlin', at(now)))).toBe(expected)
  })

  it('knows zones far ahead and behind, and half hours', () => {
    expect(iso(lastDeadline(daily(0), 'Pacific/Kiritimati', at('2026-06-10T11:00:00Z')))).toBe(
      '2026-06-10T10:00:00.000Z',
    )
    expect(iso(lastDeadline(daily(0), 'Pacific/Pago_Pago', at('2026-06-10T10:59:00Z')))).toBe(
      '2026-06-09T11:00:00.000Z',
    )
    expect(iso(lastDeadline(daily(60), 'Australia/Lord_Howe', at('2026-06-10T15:00:00Z')))).toBe(
      '2026-06-10T14:30:00.000Z',
    )
  })

  it('passes once a day, whatever the clocks do', () => {
    const seen = new Set<number | undefined>()
    for (let now = at('2026-01-01T00:10:00Z'); now < at('2027-01-01T00:00:00Z'); now += 1_800_000)
      seen.add(lastDeadline(daily(150), 'America/New_York', now))
    const times = [...seen].map(Number)
    const gaps = times.slice(1).map((time, place) => time - times[place]!)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(22.9 * 3_600_000)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(25.1 * 3_600_000)
    expect(times.length).toBe(366)
  })
})
