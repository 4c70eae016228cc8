// What may happen to linked contacts later on: `update_method`, and what it keeps back is said in plan, run and sync log.
import { describe, expect, it } from 'vitest'
import { HEADER, type Line, testLine } from '../support/line.ts'

const row = (first: string, phone: string): string[][] => [
  [...HEADER],
  ['K1', 'a@example.com', first, 'B', phone],
]

async function linked(line: Line): Promise<void> {
  line.source.drop('1.csv', row('Ann', '1'))
  expect(await line.run()).toMatchObject({ created: 1 })
}

describe('an update method that keeps something back', () => {
  const adding = async (updateVia: 'id' | 'bulk'): Promise<Line> => {
    const line = testLine({ pipeline: { duplicate_merge_method: 'add', update_via: updateVia } })
    await linked(line)
    line.source.drop('2.csv', row('Ann', '2'))
    return line
  }

  it.each(['id', 'bulk'] as const)('says so in the plan, via %s', async (updateVia) => {
    const line = await adding(updateVia)
    const { changes, totals } = await line.preview()
    expect(changes).toMatchObject([
      { action: 'update', key: 'K1', fields: {}, withheld: { phone: { from: '1', to: '2' } } },
    ])
    expect(totals).toMatchObject({ updated: 0, unchanged: 1, withheld: { phone: 1 } })
  })

  it.each(['id', 'bulk'] as const)('says so in the run and in the sync log, via %s', async (updateVia) => {
    const line = await adding(updateVia)
    const result = await line.run()
    expect(result).toMatchObject({ updated: 0, unchanged: 1, withheld: { phone: 1 } })
    expect(line.service.contacts.get(1)).toMatchObject({ phone: '1' })
    const reasons: unknown[] = []
    for await (const { reason } of line.state.entriesOfRun(result.run_id)) reasons.push(reason)
    expect(reasons.at(-1)).toBe('update_method: add withholds phone')
    // No change, no call, and nothing to say.
    line.source.drop('3.csv', row('Ann', '2'))
    expect(await line.run()).not.toHaveProperty('withheld')
  })

  it('goes by what the contact has, and sends the rest', async () => {
    const line = testLine({ pipeline: { update_method: 'add' } })
    await linked(line)
    line.service.contacts.set(1, { mail: 'a@example.com', first_name: '', family_name: 'B', phone: '1' })
    line.source.drop('2.csv', row('Anna', '2'))
    expect(await line.run()).toMatchObject({ updated: 1, withheld: { phone: 1 } })
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Anna', phone: '1' })
  })

  it.each(['preview', 'run'] as const)(
    'holds another record that has the e-mail address which it keeps back (%s)',
    async (how) => {
      const line = testLine({ pipeline: { update_method: 'add' } })
      await linked(line)
      const next = ['K2', 'a@example.com', 'Gus', 'Gold', '7']
      line.source.drop('2.csv', [[...HEADER], ['K1', 'b@example.com', 'Ann', 'B', '1'], next])
      const result = how === 'run' ? await line.run() : (await line.preview()).totals
      expect(result).toMatchObject({ status: 'held', created: 0, unchanged: 1, held: 1 })
      if (how === 'preview') expect(result).toMatchObject({ held_reasons: { shared_mail: 1 } })
    },
  )

  it('is sent once the method lets it through', async () => {
    const line = testLine({ pipeline: { update_method: 'add' } })
    await linked(line)
    line.source.drop('2.csv', row('Ann', '2'))
    await line.run()
    line.pipeline = { ...line.pipeline, update_method: 'update_add', hash: 'mapping-2' }
    line.source.drop('3.csv', row('Ann', '2'))
    expect(await line.run()).toMatchObject({ updated: 1 })
    expect(line.service.contacts.get(1)).toMatchObject({ phone: '2' })
  })
})

describe('an update method of its own', () => {
  it.each(['id', 'bulk'] as const)(
    'rules updates, and the merge method creates, via %s',
    async (updateVia) => {
      const line = testLine({
        pipeline: { duplicate_merge_method: 'add', update_method: 'update_add', update_via: updateVia },
      })
      const table = (phone: string): string[][] => [
        [...HEADER],
        ['K1', 'a@example.com', 'Ann', 'B', phone],
        ['K2', 'b@example.com', 'Bea', 'C', phone],
      ]
      line.source.drop('1.csv', table('1'))
      await line.run()
      line.source.drop('2.csv', table('2'))
      const result = await line.run()
      expect(result).toMatchObject({ updated: 2 })
      expect(result).not.toHaveProperty('withheld')
      expect([...line.service.contacts.values()]).toMatchObject([{ phone: '2' }, { phone: '2' }])
      const methods = line.service.calls.flatMap(({ options }) => options?.duplicateMergeMethod ?? [])
      expect(methods).toEqual(updateVia === 'bulk' ? ['add', 'update_add'] : ['add'])
    },
  )
})
