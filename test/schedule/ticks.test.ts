// What wakes the daemon, whatever the wall clock does: at full minutes, never later than one period, and never by a walk
// over what was missed.
import { afterEach, describe, expect, it } from 'vitest'
import { clockTicks } from '../../src/schedule/ticks.ts'
import { createFakeClock } from '../service/fake-clock.ts'

const MINUTE = 60_000
const YEAR = 365 * 24 * 60 * MINUTE
let stop = (): void => undefined
afterEach(() => stop())

function ticking(every: 'second' | 'minute', start = '2027-01-01T00:00:30Z') {
  const clock = createFakeClock(Date.parse(start))
  const at: string[] = []
  const ticks = clockTicks(clock)(every, () => at.push(new Date(clock.now()).toISOString()))
  stop = () => ticks.stop()
  return { clock, at, ticks }
}

describe('ticks', () => {
  it('come at each full minute', async () => {
    const { clock, at } = ticking('minute')
    await clock.advance(3 * MINUTE)
    expect(at).toEqual(['2027-01-01T00:01:00.000Z', '2027-01-01T00:02:00.000Z', '2027-01-01T00:03:00.000Z'])
  })

  it('come at each full second where a schedule has seconds', async () => {
    const { clock, at } = ticking('second', '2027-01-01T00:00:00.400Z')
    await clock.advance(2000)
    expect(at).toEqual(['2027-01-01T00:00:01.000Z', '2027-01-01T00:00:02.000Z'])
  })

  it.each([
    ['put forward by a year', YEAR],
    ['put back by a year', -YEAR],
    ['put back to 1970', -Date.parse('2027-01-01T00:00:30Z')],
    ['put forward from 1970 to now', 56 * YEAR],
    ['put back by a second', -1000],
  ])('a clock that is %s costs one tick, and the next full minute is met again', async (_, byMs) => {
    const { clock, at } = ticking('minute')
    await clock.advance(MINUTE)
    clock.set(byMs)
    await clock.advance(2 * MINUTE)
    expect(at.length - 1).toBeGreaterThanOrEqual(1)
    expect(at.length - 1).toBeLessThanOrEqual(3)
    expect(at.at(-1)).toMatch(/:00\.000Z$/)
    expect(Math.max(...clock.sleeps)).toBeLessThanOrEqual(MINUTE)
  })

  it('end', async () => {
    const { clock, at, ticks } = ticking('minute')
    ticks.stop()
    await clock.advance(3 * MINUTE)
    expect(at).toEqual([])
  })
})
