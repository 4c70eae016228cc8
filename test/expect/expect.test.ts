// How much `expect` holds, measured: of sixty faults put into ordinary exports at least 58 are stopped before anything is
// sent; of the ordinary exports of a year none is.
import { afterEach, expect, it } from 'vitest'
import { FAULTS } from './faults.ts'
import { year } from './members.ts'
import { csv, openWorld, type World } from './world.ts'

const MEMBERS = 150
const DAYS = 365

let world: World
afterEach(async () => world.close())

it('of sixty faults at least 58 are stopped before anything is sent', { timeout: 60_000 }, async () => {
  world = await openWorld()
  const days = year(MEMBERS, 1)
  for (let day = 0; day < 3; day += 1)
    expect((await world.run(csv(days.next()))).files).toMatchObject([{ status: 'done' }])
  const today = days.next()
  expect(await world.plan(csv(today))).toMatchObject({ status: 'done' })
  expect(new Set(FAULTS.map(([name]) => name)).size).toBe(60)
  const missed: string[] = []
  let refused = 0
  for (const [name, fault] of FAULTS) {
    const { status, changes } = await world.plan(fault(today))
    if (status === 'done') missed.push(name)
    else expect([name, changes]).toEqual([name, 0])
    // A file without a column that its mapping needs cannot be read as contacts at all.
    if (status === 'refused') refused += 1
  }
  // Of the first neither keys nor mails are anybody's: each of its records is rejected. The second is read right: a row that
  // repeats the header is no record.
  expect(missed).toEqual(['number and mail are swapped', 'the header once more in the middle'])
  expect(refused).toBe(5)
})

it('of the ordinary exports of a year none is held', { timeout: 120_000 }, async () => {
  world = await openWorld()
  const days = year(MEMBERS, 2)
  const held: string[] = []
  let changes = 0
  for (let day = 0; day < DAYS; day += 1) {
    const { files, created, updated } = await world.run(csv(days.next()))
    changes += day === 0 ? 0 : created + updated
    for (const { status, error } of files) if (status !== 'done') held.push(`day ${day}: ${error ?? status}`)
  }
  expect(held.slice(0, 1)).toEqual([])
  // It is no year in which nothing happens.
  expect(changes).toBeGreaterThan(1000)
})
