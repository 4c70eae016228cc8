// A few courses of the fleet, so that what breaks its promises is noticed at once. `npm run simulate:fleet` plays more of them,
// `npm run simulate:mutants -- --fleet` shows that it would notice.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { simulateFleet } from './fleet/fleet.ts'
import { openPlace } from './fleet/place.ts'

let place: Awaited<ReturnType<typeof openPlace>>
// Some five seconds where nothing else is at work.
beforeAll(async () => {
  place = await openPlace()
}, 120_000)
afterAll(async () => place.close())

it.each([3])(
  'workers of one state keep every promise whatever goes wrong: seed %i',
  { timeout: 120_000 },
  async (seed) => {
    const { violations, figures } = await simulateFleet(seed, place)
    expect(violations).toEqual([])
    // Otherwise nothing would have been disturbed.
    expect(figures.starts).toBeGreaterThan(2)
    expect(figures.requests).toBeGreaterThan(20)
  },
)

it('a seed takes the same course each time', { timeout: 120_000 }, async () => {
  const [one, other] = [await simulateFleet(2, place), await simulateFleet(2, place)]
  expect(one.hash).toBe(other.hash)
})
