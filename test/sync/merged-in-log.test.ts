// A create that the service merges into the contact of another pipeline: the sync log says from what each value was changed, and
// names no value as set that the contact did not take.
import { describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { HEADER, type Line, testLine } from '../support/line.ts'
import { memoryService } from '../support/memory-service.ts'
import { memoryState, type TestState } from '../support/state/memory-state.ts'
import { temporaryState } from '../support/state/temporary-state.ts'

const states: readonly (readonly [string, () => TestState])[] = [
  ['on SQLite', temporaryState],
  ['in memory', memoryState],
]

async function merged(state: TestState, second: Partial<PipelineSettings>): Promise<Line> {
  const service = memoryService()
  const line = (name: string, more: Partial<PipelineSettings> = {}): Line =>
    testLine({ state, service, pipeline: { name, duplicate_check_method: 'email', ...more } })
  const [shop, crm] = [line('shop'), line('crm', second)]
  shop.source.drop('a.csv', [[...HEADER], ['K1', 'a@example.com', 'Ann', 'B', '']])
  await shop.run()
  crm.source.drop('b.csv', [[...HEADER], ['C1', 'a@example.com', 'Anna', 'B', '7']])
  expect(await crm.run()).toMatchObject({ created: 1 })
  expect(service.contacts.size).toBe(1)
  return crm
}

async function entered({ state }: Line): Promise<unknown[]> {
  const entries = await state.logPage({}, { order: 'oldest', limit: 10 })
  return entries.filter(({ key }) => key === 'C1').map(({ fields, outcome }) => [outcome, fields])
}

const SAME = {
  mail: { from: 'a@example.com', to: 'a@example.com' },
  family_name: { from: 'B', to: 'B' },
}

const sentLast = async ({ state }: Line): Promise<unknown> => (await state.sentValues([1]))[0]?.last

describe.each(states)('a merged create %s', (_, open) => {
  it('is entered with what was sent to the contact before, by whichever pipeline', async () => {
    const crm = await merged(open(), {})
    const changed = { ...SAME, first_name: { from: 'Ann', to: 'Anna' }, phone: { from: null, to: '7' } }
    expect(await entered(crm)).toEqual([['done', changed]])
  })

  it.each<[string, Partial<PipelineSettings>]>([
    ['add', { duplicate_merge_method: 'add' }],
    ['add, and updates that overwrite', { duplicate_merge_method: 'add', update_method: 'update_add' }],
    [
      'that of hand_edits: keep',
      { duplicate_merge_method: 'add', hand_edits: 'keep', update_method: 'update_add' },
    ],
    ['add, as of updates', { duplicate_merge_method: 'add', update_method: 'add' }],
  ])(
    'has an entry of its own for values that the contact did not take (merge method %s)',
    async (__, second) => {
      const crm = await merged(open(), second)
      expect(crm.service.contacts.get(1)).toMatchObject({ first_name: 'Ann', phone: '7' })
      expect(await entered(crm)).toEqual([
        ['done', { ...SAME, phone: { from: null, to: '7' } }],
        ['unchanged', { first_name: { from: 'Ann', to: 'Anna' } }],
      ])
      expect(await sentLast(crm)).toMatchObject({ first_name: 'Ann', phone: '7' })
    },
  )

  it('names the values that the contact may not have taken, where it only overwrites', async () => {
    const crm = await merged(open(), { duplicate_merge_method: 'update' })
    expect(crm.service.contacts.get(1)).toMatchObject({ first_name: 'Anna' })
    expect(crm.service.contacts.get(1)?.['phone'] ?? '').toBe('')
    const [entry] = (await crm.state.logPage({}, { order: 'newest', limit: 10 })).filter(
      ({ key }) => key === 'C1',
    )
    expect(entry?.reason).toMatch(/set only where the contact had a value .*, and none is known: phone$/)
  })

  it('of which a later update is undone has again what the other pipeline sent, not the blank that its create left out', async () => {
    const [state, service] = [open(), memoryService()]
    const line = (name: string): Line =>
      testLine({ state, service, pipeline: { name, duplicate_check_method: 'email', blank: 'clear' } })
    const [shop, crm] = [line('shop'), line('crm')]
    shop.source.drop('a.csv', [[...HEADER], ['K1', 'a@example.com', 'Ann', 'B', '']])
    await shop.run()
    crm.source.drop('b.csv', [[...HEADER], ['C1', 'a@example.com', '', 'B', '']])
    await crm.run()
    crm.source.drop('c.csv', [[...HEADER], ['C1', 'a@example.com', 'Anna', 'B', '']])
    const { run_id: run } = await crm.run()
    expect(service.contacts.get(1)).toMatchObject({ first_name: 'Anna' })
    expect(await crm.undo(run)).toMatchObject({ updated: 1 })
    expect(service.contacts.get(1)).toMatchObject({ first_name: 'Ann' })
  })

  it('of which a blank was sent by an update has the blank again when a later one is undone', async () => {
    const [state, service] = [open(), memoryService()]
    const line = (name: string): Line =>
      testLine({ state, service, pipeline: { name, duplicate_check_method: 'email', blank: 'clear' } })
    const [shop, crm] = [line('shop'), line('crm')]
    shop.source.drop('a.csv', [[...HEADER], ['K1', 'a@example.com', 'Ann', 'B', '']])
    await shop.run()
    for (const [file, first] of [
      ['b', 'Anne'],
      ['c', ''],
    ] as const) {
      crm.source.drop(`${file}.csv`, [[...HEADER], ['C1', 'a@example.com', first, 'B', '']])
      await crm.run()
    }
    expect(service.contacts.get(1)?.['first_name'] ?? '').toBe('')
    crm.source.drop('d.csv', [[...HEADER], ['C1', 'a@example.com', 'Anna', 'B', '']])
    const { run_id: run } = await crm.run()
    expect(await crm.undo(run)).toMatchObject({ updated: 1 })
    expect(service.contacts.get(1)?.['first_name'] ?? '').toBe('')
  })
})
