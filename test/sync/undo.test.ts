// Undoing a run whose work is put back only once a person releases it.
import { expect, it } from 'vitest'
import { HEADER, people, testLine } from '../support/line.ts'
import { GUARDS, pipelineSettings } from '../support/pipeline.ts'

const FIRST = ['K1', 'person1@example.com', 'Vorname1']

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

it('an undo that was held puts back what it named, and nothing that another undo has put back since', async () => {
  const line = testLine({ pipeline: { guards: { ...GUARDS, max_changes: { share: 0.5 } } } })
  line.source.drop('a.csv', people(2))
  await line.run()
  line.source.drop('b.csv', [[...HEADER], [...FIRST, 'Nachname1', '040 1']])
  line.source.drop('c.csv', [[...HEADER], ['K2', 'person2@example.com', 'Vorname2', 'Nachname2', '040 2']])
  const { run_id: phones } = await line.run()
  line.source.drop('d.csv', [[...HEADER], [...FIRST, 'Berg', '040 1']])
  const { run_id: name } = await line.run()
  const { run_id: held, status } = await line.undo(phones)
  expect(status).toBe('held')
  await line.undo(name)
  await line.state.release(held, line.clock.now())
  await line.run()
  expect(line.service.contacts.get(1)).toMatchObject({ family_name: 'Nachname1', phone: '030 1' })
  expect(line.service.contacts.get(2)).toMatchObject({ phone: '030 2' })
})

it.each(['add', 'managed', 'replace'] as const)(
  'an undo that was held takes terms away that it named, under the policy %s as well',
  async (policy) => {
    const { terms } = pipelineSettings()
    const line = testLine({
      pipeline: {
        guards: { ...GUARDS, max_changes: { share: 0.5 } },
        terms: { ...terms, policy, assign: [{ column: 'tags', split: ',' }] },
      },
    })
    const drop = (file: string, no: string, tags: string): void =>
      line.source.drop(file, [
        ['no', 'mail', 'first', 'last', 'phone', 'tags'],
        [no, `${no}@example.com`, 'A', 'B', '1', tags],
      ])
    drop('a.csv', 'K1', 'old')
    drop('b.csv', 'K2', 'old')
    await line.run()
    drop('c.csv', 'K1', 'old,new')
    drop('d.csv', 'K2', 'old,new')
    const { run_id: run } = await line.run()
    const { run_id: held, status } = await line.undo(run, { addedTerms: true })
    expect(status).toBe('held')
    await line.state.release(held, line.clock.now())
    expect(await line.run()).toMatchObject({ updated: 2, held: 0 })
    expect([line.service.termsOf(1), line.service.termsOf(2)]).toEqual([['old'], ['old']])
  },
)
