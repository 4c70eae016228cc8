// Many exports that each lack a few: what one of them may delete, all of them together may not.
import { describe, expect, it } from 'vitest'
import type { GuardSettings, PipelineSettings } from '../../src/core/settings.ts'
import { DAY_MS } from '../../src/core/words/duration.ts'
import { type Line, people, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'
import { memoryState } from '../support/state/memory-state.ts'
import { temporaryState } from '../support/state/temporary-state.ts'

const PER_MONTH = { '30d': { share: 0.2 } } as const

const line = (
  guards: Partial<GuardSettings> = {},
  pipeline: Partial<PipelineSettings> = {},
  state = temporaryState(),
): Line =>
  testLine({
    state,
    pipeline: {
      ...{ mode: 'full', on_missing: 'delete' },
      guards: { ...GUARDS, max_deletes_per: PER_MONTH, ...guards },
      ...pipeline,
    },
  })

let exports = 0
/** An export of the people with these numbers. */
function exported(one: Line, from: number, to: number) {
  one.source.drop(`${++exports}.csv`, people(to - from + 1, from))
  return one.run()
}

/** Exports a day apart, each five per cent shorter; how many contacts there are after each. */
async function shrinking(one: Line, exportsCount: number): Promise<number[]> {
  const left: number[] = []
  let [from, size] = [1, 100]
  await exported(one, from, 100)
  for (let count = 0; count < exportsCount; count += 1) {
    from += Math.floor(size * 0.05)
    size = 100 - from + 1
    one.clock.advance(DAY_MS)
    await exported(one, from, 100)
    left.push(one.service.contacts.size)
  }
  return left
}

describe('deletes over time', () => {
  it.each([
    ['on disk', temporaryState],
    ['in memory', memoryState],
  ])('hold what twelve exports, each five per cent shorter, delete together (%s)', async (_, state) => {
    const one = line({}, {}, state())
    expect(await shrinking(one, 5)).toEqual([95, 91, 87, 83, 83])
    const [held] = await one.state.heldPlans(['shop'])
    expect(held).toMatchObject({ guard: 'max_deletes_per', threshold: '30d: 20% (20)' })
    expect(held?.reason).toContain('17 of 100 were deleted within the last 30d')
  })

  it('stay held however often the export comes', async () => {
    expect((await shrinking(line(), 12)).at(-1)).toBe(83)
  })

  it('let them go where the guard is off', async () => {
    expect((await shrinking(line({ max_deletes_per: 'off' }), 12)).at(-1)).toBeLessThan(65)
  })

  it('forget what is older than the period, and take the contacts at its beginning', async () => {
    const one = line({ max_deletes: { share: 1 } })
    await exported(one, 1, 100)
    expect(await exported(one, 21, 100)).toMatchObject({ deleted: 20 })
    one.clock.advance(29 * DAY_MS)
    expect(await exported(one, 22, 100)).toMatchObject({ deleted: 0, held_deletes: 1 })
    one.clock.advance(2 * DAY_MS)
    // 20% of the 80 that were left when the period began.
    expect(await exported(one, 37, 100)).toMatchObject({ deleted: 16, held_deletes: 0 })
    expect(await exported(one, 38, 100)).toMatchObject({ deleted: 0, held_deletes: 1 })
  })

  it('hold by any of several periods, and by counts', async () => {
    const one = line({
      max_deletes: { share: 1 },
      max_deletes_per: { '1h': { count: 3 }, '2d': { count: 5 } },
    })
    await exported(one, 1, 20)
    expect(await exported(one, 4, 20)).toMatchObject({ deleted: 3 })
    expect(await exported(one, 5, 20)).toMatchObject({ held_deletes: 1 })
    one.clock.advance(DAY_MS)
    expect(await exported(one, 6, 20)).toMatchObject({ deleted: 2 })
    one.clock.advance(DAY_MS / 2)
    expect(await exported(one, 7, 20)).toMatchObject({ held_deletes: 1 })
    const [held] = (await one.state.heldPlans(['shop'])).slice(-1)
    expect(held).toMatchObject({ threshold: '2d: 5' })
  })

  it('count none that an operator released', async () => {
    const one = line({ max_deletes: { share: 0.1 } })
    await exported(one, 1, 50)
    await exported(one, 31, 50)
    const [held] = await one.state.heldPlans(['shop'])
    await one.state.release(held?.runId ?? '', one.clock.now())
    expect(await one.run()).toMatchObject({ deleted: 30 })
    expect(await one.state.deletedSince('shop', 0)).toMatchObject({ deletes: 0, links: 50 })
    // 20% of the 50 that were linked when the period began.
    for (const from of [33, 34]) await exported(one, from, 50)
    expect(await one.state.deletedSince('shop', 0)).toMatchObject({ deletes: 3, links: 50 })
  })

  it('say nothing about terms that are taken from those who are missing', async () => {
    const one = line({ max_deletes: { share: 1 } }, { on_missing: 'remove_terms' })
    await exported(one, 1, 10)
    expect(await exported(one, 9, 10)).toMatchObject({ held_deletes: 0 })
  })

  it('stand in a plan as a run holds them', async () => {
    const one = line({ max_deletes: { share: 1 } })
    await exported(one, 1, 10)
    expect(await exported(one, 3, 10)).toMatchObject({ deleted: 2 })
    one.source.drop('next.csv', people(7, 4))
    const { plan } = await one.preview()
    expect(plan.judged.map(({ hold }) => hold?.guard)).toEqual(['max_deletes_per'])
  })
})
