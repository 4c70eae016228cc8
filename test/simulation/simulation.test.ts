// A few dozen seeds, so that what breaks the program's promises is noticed at once.
// `npm run simulate` plays many more, `npm run simulate:mutants` shows that it would notice.
import { expect, it } from 'vitest'
import { work } from './jobs.ts'
import { makeStateFolder } from './program.ts'
import { REGRESSIONS } from './regressions.ts'
import { simulate } from './simulation.ts'

const names = (failures: readonly { replay: string }[]): string[] => failures.map(({ replay }) => replay)

// Five seconds of one processor; several times as long where others work beside it.
it('keeps every promise whatever goes wrong', { timeout: 180_000 }, async () => {
  const { failures, courses, crashes } = await work({
    first: 1,
    seeds: 60,
    part: 0,
    of: 1,
    withSingleFaults: false,
  })
  expect(names(failures)).toEqual([])
  // One in four is played with sources that are asked for their records, too, one with users who edit contacts; one in eight with undos, one with erasures, one with corrections.
  expect(courses).toBe(112)
  // Otherwise nothing would have been disturbed.
  expect(crashes).toBeGreaterThan(25)
})

it('does not fall back into what it once did', { timeout: 60_000 }, async () => {
  const folder = makeStateFolder()
  try {
    for (const { seed, schedule, why } of REGRESSIONS)
      expect((await simulate(seed, folder, schedule)).violations, why).toEqual([])
  } finally {
    folder.remove()
  }
})
