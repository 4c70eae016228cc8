// Undoing a run whose work is put back only later: once a person releases it, or after a failure.
import { expect, it } from 'vitest'
import { runAccount } from '../../src/core/log/run-account.ts'
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

const row = (name: string, phone: string): string[][] => [
  [...HEADER],
  ['K1', 'person1@example.com', 'Vorname1', name, phone],
]

it('two undos of one record that failed are sent one after the other, and what the source says comes back', async () => {
  const line = testLine()
  line.source.drop('a.csv', row('Berg', '1'))
  await line.run()
  line.source.drop('b.csv', row('Tal', '1'))
  const { run_id: name } = await line.run()
  line.source.drop('c.csv', row('Tal', '2'))
  const { run_id: phone } = await line.run()
  line.service.fault = ({ method }) => (method === 'PUT' ? { kind: 'not_applied' } : undefined)
  expect(await line.undo(phone)).toMatchObject({ failed: 1 })
  expect(await line.undo(name)).toMatchObject({ failed: 1 })
  line.service.fault = () => undefined
  expect(await line.run()).toMatchObject({ read: 1, updated: 1 })
  expect(line.service.contacts.get(1)).toMatchObject({ family_name: 'Tal', phone: '1' })
  expect(await line.run()).toMatchObject({ read: 1, updated: 1 })
  expect(line.service.contacts.get(1)).toMatchObject({ family_name: 'Berg', phone: '1' })
  line.source.drop('d.csv', row('Tal', '2'))
  expect(await line.run()).toMatchObject({ updated: 1 })
  expect(line.service.contacts.get(1)).toMatchObject({ family_name: 'Tal', phone: '2' })
})

it('a record that was put back while a change of it had failed is compared again as a whole', async () => {
  const { terms } = pipelineSettings()
  const assign = [{ column: 'tags', split: ',' }]
  const line = testLine({ pipeline: { terms: { ...terms, policy: 'managed', assign } } })
  const drop = (file: string, phone: string): void =>
    line.source.drop(file, [
      ['no', 'mail', 'first', 'last', 'phone', 'tags'],
      ['K1', 'k1@example.com', 'A', 'B', phone, 'news'],
    ])
  line.source.drop('a.csv', [
    ['no', 'mail', 'first', 'last', 'phone', 'tags'],
    ['K1', 'k1@example.com', 'A', 'B', '1', ''],
  ])
  await line.run()
  drop('b.csv', '1')
  drop('c.csv', '2')
  line.service.fault = ({ contacts }) => (contacts[0]?.['phone'] === '2' ? { kind: 'unknown' } : undefined)
  const { run_id: given } = await line.run()
  expect(line.service.termsOf(1)).toEqual(['news'])
  line.service.fault = () => undefined
  await line.undo(given)
  expect(line.service.termsOf(1)).toEqual([])
  await line.run()
  drop('d.csv', '2')
  await line.run()
  expect(line.service.contacts.get(1)).toMatchObject({ phone: '2' })
  expect(line.service.termsOf(1)).toEqual(['news'])
})

it('terms that are given back to those whose record has gone count as updates, in the sync log, too', async () => {
  const { terms } = pipelineSettings()
  const line = testLine({
    pipeline: {
      mode: 'full',
      on_missing: 'remove_terms',
      guards: { ...GUARDS, max_deletes: { share: 1 }, deletes_missing_in: 1 },
      terms: { ...terms, policy: 'managed', assign: [{ name: 'news' }] },
    },
  })
  line.source.drop('a.csv', people(2))
  await line.run()
  line.source.drop('b.csv', people(1))
  const { run_id: gone } = await line.run()
  expect(line.service.termsOf(2)).toEqual([])
  const result = await line.undo(gone)
  expect(result).toMatchObject({ updated: 1, deleted: 0 })
  expect(line.service.termsOf(2)).toEqual(['news'])
  const account = await runAccount(line.state.entriesOfRun(result.run_id))
  expect(account).toMatchObject({ updated: 1, deleted: 0 })
})

it('an undo that cannot be planned changes nothing, and counts nothing', async () => {
  const { terms } = pipelineSettings()
  const assign = [{ column: 'tags', split: ',' }]
  const guards = { ...GUARDS, max_new_terms: 0 }
  const line = testLine({ pipeline: { guards, terms: { ...terms, policy: 'managed', assign } } })
  line.service.terms.set(7, { id: 7, name: 'news', description: '' })
  const drop = (file: string, tags: string): void =>
    line.source.drop(file, [
      ['no', 'mail', 'first', 'last', 'phone', 'tags'],
      ['K1', 'k1@example.com', 'A', 'B', '1', tags],
    ])
  drop('a.csv', 'news')
  await line.run()
  drop('b.csv', '')
  const { run_id: taken } = await line.run()
  line.service.fault = ({ path }) => (path === '/terms' ? { kind: 'not_applied' } : undefined)
  expect(await line.undo(taken)).toMatchObject({ status: 'failed', read: 0, failed: 0 })
  expect(await line.state.backlog('shop')).toMatchObject({ retriable: 0 })
  line.service.fault = () => undefined
  expect(await line.undo(taken)).toMatchObject({ read: 1, updated: 1 })
  expect(line.service.termsOf(1)).toEqual(['news'])
})

it('a released update and a released delete of one record go one after the other', async () => {
  const line = testLine({
    pipeline: { guards: { ...GUARDS, max_changes: { count: 0 }, max_deletes: { count: 0 } } },
  })
  const release = async (run: string): Promise<void> => line.state.release(run, line.clock.now())
  line.source.drop('a.csv', row('Berg', '1'))
  const { run_id: made } = await line.run()
  await release(made)
  await line.run()
  const { run_id: created } = (await line.state.logPage({}, { order: 'newest', limit: 1 }))[0] ?? {}
  line.source.drop('b.csv', row('Berg', '2'))
  const { run_id: held } = await line.run()
  await release(held)
  const { run_id: changed } = await line.run()
  const { run_id: back } = await line.undo(changed)
  const { run_id: away } = await line.undo(created ?? '', { deleteCreated: true })
  await release(back)
  await release(away)
  expect(await line.run()).toMatchObject({ updated: 1, deleted: 0 })
  expect(line.service.contacts.get(1)).toMatchObject({ phone: '1' })
  expect(await line.run()).toMatchObject({ deleted: 1 })
  expect(line.service.contacts.size).toBe(0)
})

it('a contact that it does not delete because another pipeline has it too is named with the reason', async () => {
  const crm = testLine({ pipeline: { name: 'crm', guards: { ...GUARDS, max_deletes: { share: 1 } } } })
  const { state, service } = crm
  const shop = testLine({ pipeline: { name: 'shop' }, state, service })
  for (const line of [crm, shop]) line.source.drop('a.csv', people(1))
  const { run_id: run } = await crm.run()
  await shop.run()
  expect(await crm.undo(run, { deleteCreated: true })).toMatchObject({ status: 'ok', deleted: 0 })
  expect(service.contacts.size).toBe(1)
  const [entry] = await state.logPage({}, { order: 'newest', limit: 1 })
  expect(entry).toMatchObject({ action: 'delete', outcome: 'unchanged' })
  expect(entry?.reason).toContain('another pipeline')
})
