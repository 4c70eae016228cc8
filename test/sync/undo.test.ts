// Undoing a run whose work is put back only once a person releases it.
import { expect, it } from 'vitest'
import { people, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'

it('a run that is undone again while its deletes are held is held once, and nothing of it is left after a drop', async () => {
  const line = testLine({ pipeline: { guards: { ...GUARDS, max_deletes: { count: 1 } } } })
  line.source.drop('a.csv', people(4))
  const { run_id: run } = await line.run()
  const undo = () => line.undo(run, { deleteCreated: true })
  expect(await undo()).toMatchObject({ status: 'held' })
  const { run_id: again } = await undo()
  expect(await line.state.heldPlans(['shop'])).toMatchObject([{ runId: again, number: 4, left: 4 }])
  expect(await line.state.backlog('shop')).toMatchObject({ held: 4 })
  await line.state.release(again, line.clock.now())
  await line.run()
  expect(line.service.contacts.size).toBe(0)
  expect(await line.state.backlog('shop')).toMatchObject({ held: 0, linked: 0 })
})
