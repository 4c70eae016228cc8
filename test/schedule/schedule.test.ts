import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextDue, scheduleProblem, startSchedule } from '../../src/schedule/schedule.ts'

beforeEach(() => vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 11, 59, 30) }))
afterEach(() => vi.useRealTimers())

describe('a schedule', () => {
  it.each([
    ['*/15 * * * *', undefined],
    ['* * * * * *', undefined],
    ['61 * * * *', 'minute'],
    ['* * 31 2 *', 'dayOfMonth'],
    ['nonsense', ''],
  ])('%s is judged', (expression, problem) => {
    const found = scheduleProblem(expression)
    if (problem === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(problem)
  })

  it.each([
    ['UTC', '2026-01-01T12:00:00.000Z'],
    ['Europe/Berlin', '2026-01-02T11:00:00.000Z'],
    ['America/New_York', '2026-01-01T17:00:00.000Z'],
  ])('is due at noon of its own zone: %s', (timezone, expected) => {
    expect(nextDue({ name: 'shop', expression: '0 12 * * *', timezone })?.toISOString()).toBe(expected)
  })

  it('runs a pipeline when it is due, never twice at once, and reports what fails', async () => {
    const seen: string[] = []
    const first = Promise.withResolvers<undefined>()
    const schedule = startSchedule([{ name: 'shop', expression: '* * * * *', timezone: 'UTC' }], {
      due: async (name) => {
        seen.push(`due ${name}`)
        await first.promise
        throw new Error('broken')
      },
      overlap: (name) => void seen.push(`overlap ${name}`),
      failed: (name, error) =>
        void seen.push(`failed ${name}: ${error instanceof Error ? error.message : ''}`),
    })
    expect(schedule.next()).toEqual([{ name: 'shop', at: new Date('2026-01-01T12:00:00.000Z') }])
    await vi.advanceTimersByTimeAsync(31_000)
    expect(seen).toEqual(['due shop'])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(seen).toEqual(['due shop', 'overlap shop'])
    first.resolve(undefined)
    await vi.advanceTimersByTimeAsync(1000)
    expect(seen).toContain('failed shop: broken')
    await schedule.stop()
    const before = seen.length
    await vi.advanceTimersByTimeAsync(300_000)
    expect(seen).toHaveLength(before)
  })
})

describe('a pipeline that is due once a day', () => {
  const DAY = 86_400_000
  const YEARS = Array.from({ length: 10 }, (_, index) => 2026 + index)
  const localDay = (at: Date, timeZone: string): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at)
  /** Noons (UTC) of the days after which the zone's clocks are others. */
  const changes = (year: number, timeZone: string): number[] => {
    const formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    const ahead = (atMs: number): string => formatter.format(atMs).replace(/.*, /, '')
    return Array.from({ length: 365 }, (_, day) => Date.UTC(year, 0, 1 + day, 12)).filter(
      (noon) => ahead(noon) !== ahead(noon + DAY),
    )
  }

  it.each([
    ['Europe/Berlin', '30 2 * * *'],
    ['America/New_York', '30 2 * * *'],
    ['Australia/Lord_Howe', '15 2 * * *'],
  ])('in %s at %s runs once on every day, also where clocks change', async (timezone, expression) => {
    let seen: string[] = []
    for (const noon of YEARS.flatMap((year) => changes(year, timezone))) {
      vi.setSystemTime(noon)
      seen = []
      const schedule = startSchedule([{ name: 'shop', expression, timezone }], {
        due: () => Promise.resolve(void seen.push(localDay(new Date(), timezone))),
        overlap: () => undefined,
        failed: () => undefined,
      })
      await vi.advanceTimersByTimeAsync(2 * DAY)
      await schedule.stop()
      expect(seen).toEqual([noon + DAY, noon + 2 * DAY].map((at) => localDay(new Date(at), timezone)))
    }
    expect(seen).toHaveLength(2)
  })

  it('is not run more often where it is due every hour', async () => {
    vi.setSystemTime(Date.UTC(2026, 2, 29, 0, 30))
    const seen: string[] = []
    const schedule = startSchedule([{ name: 'shop', expression: '10 * * * *', timezone: 'Europe/Berlin' }], {
      due: () => Promise.resolve(void seen.push(new Date().toISOString().slice(11, 16))),
      overlap: () => undefined,
      failed: () => undefined,
    })
    await vi.advanceTimersByTimeAsync(7_200_000)
    await schedule.stop()
    expect(seen).toEqual(['01:10', '02:10'])
  })
})
