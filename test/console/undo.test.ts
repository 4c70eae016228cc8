// What reverts another run is seen to be an undo: in the list of runs, on its page, beside its entries.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { undoneRun } from '../../src/core/log/audit.ts'
import { openState } from '../../src/store/state-store.ts'
import { people, testLine } from '../support/line.ts'
import { type Desk, openDesk } from './desk.ts'

let desk: Desk
let undo = ''
beforeAll(async () => {
  desk = await openDesk(undefined, async (path) => {
    const state = openState(path, { pid: 1, since: 0, thorough: false })
    const line = testLine({ state })
    line.source.drop('monday.csv', people(9))
    await line.run()
    const changed = people(9).map((row, index) => (index >= 1 && index <= 3 ? row.with(2, 'Other') : row))
    line.source.drop('tuesday.csv', changed)
    const second = await line.run()
    expect(second.updated).toBe(3)
    undo = (await line.undo(second.run_id)).run_id
    await state.close()
  })
})
afterAll(async () => desk.close())

const badges = (body: string): number => body.split('undo<span').length - 1

it('in the list of runs it alone has the sign', async () => {
  const { body } = await desk.page('/runs')
  expect(badges(body)).toBe(1)
  expect(body).toContain('title="of run shop-run-2"')
})

it('its page and each of its entries have it, and lead to what was reverted', async () => {
  const { body } = await desk.page(`/runs/${undo}`)
  expect(badges(body)).toBe(1 + 3)
  expect(body).toContain('href="/runs/shop-run-2"')
  expect(badges((await desk.page('/runs/shop-run-2')).body)).toBe(0)
})

it.each([
  ['undoes run 20261123-122224-6hm7sa', '20261123-122224-6hm7sa'],
  ['undoes run r1; the contact is gone', 'r1'],
  ['run r1 is put back', undefined],
  [null, undefined],
])('the reason %j names the run %j', (reason, run) => {
  expect(undoneRun({ reason })).toBe(run)
})
