import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextDue, scheduleProblem, startSchedule } from '../../src/schedule/schedule.ts'

beforeEach(() => vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 11, 59, 30) }))
afterEach(() => vi.useRealTimers())

describe('a schedule', () => {
  it.each([
    ['*/15 * * * *', undefined],
    ['* * * * * *', undefined],
    ['61 * * * *', 'minute'],
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
