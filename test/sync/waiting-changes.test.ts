// A change of a record that waits, held or after a failure, must not give way to one that only looks at an edit of its contact.
import { describe, expect, it } from 'vitest'
import type { Correction } from '../../src/core/change/others/correction.ts'
import { type Line, testLine } from '../support/line.ts'
import { temporaryState } from '../support/state/temporary-state.ts'

const HEADER = ['no', 'mail', 'first', 'last', 'phone', 'tags']
const row = (first: string, phone: string, tags: string): string[][] => [
  HEADER,
  ['K1', 'a@example.com', first, 'B', phone, tags],
]

/** A record whose phone was edited by hand; the edit is kept, and is to be looked at by the next run that is asked for. */
async function edited(): Promise<Line> {
  const line = testLine({
    pipeline: {
      ...{ hand_edits: 'keep', duplicate_merge_method: 'add', update_method: 'update_add' },
      terms: {
        policy: 'managed',
        create_missing: true,
        assign: [{ column: 'tags', split: ',' }],
        descriptions: {},
        verify: true,
      },
    },
  })
  line.source.drop('1.csv', row('Ann', '1', 'old'))
  await line.run()
  line.service.contacts.set(1, { ...line.service.contacts.get(1), phone: '9' })
  line.source.drop('2.csv', row('Ann', '2', 'old'))
  expect(await line.run()).toMatchObject({ kept_edits: 1 })
  return line
}

const release = (line: Line) => line.state.releaseEdits({ pipeline: 'shop', key: 'K1', field: 'phone' })

const rules = ({ pipeline: { guards } }: Line) => guards

describe('while a change of the record waits, the value of an edit that has ended is not sent before it', () => {
  it('held by a guard: it is still there to be released, and the edit is looked at after it', async () => {
    const line = await edited()
    const allowed = rules(line)
    line.pipeline = { ...line.pipeline, guards: { ...allowed, max_changes: { count: 0 } } }
    line.source.drop('3.csv', row('Anna', '2', 'new'))
    await release(line)
    const held = await line.run()
    expect(held).toMatchObject({ status: 'held', held: 1, updated: 0 })
    line.pipeline = { ...line.pipeline, guards: allowed }
    await line.run()
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Ann', phone: '9' })
    await line.state.release(held.run_id, line.clock.now())
    await line.run()
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Anna' })
    expect(line.service.termsOf(1)).toEqual(['new'])
    await line.run()
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Anna', phone: '2' })
    expect(await line.state.openEdits(['shop'])).toEqual([])
  })

  it('failed in the same run: it is tried again', async () => {
    const line = await edited()
    line.source.drop('3.csv', row('Anna', '2', 'new'))
    await release(line)
    let puts = 0
    line.service.fault = ({ method }) =>
      method === 'PUT' && ++puts === 1 ? { kind: 'unknown', applied: false } : undefined
    expect(await line.run()).toMatchObject({ failed: 1 })
    await line.run()
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Anna' })
    expect(line.service.termsOf(1)).toEqual(['new'])
    await line.run()
    expect(line.service.contacts.get(1)).toMatchObject({ phone: '2' })
  })
})

describe('while a change of the record waits, a correction does not replace it', () => {
  const CORRECTION: Correction = {
    ...{ id: 1, pipeline: 'shop', key: 'K1', field: 'first_name', value: 'Anna', at: 0, isPending: true },
    ...{ by: 'Admin', role: undefined, note: undefined },
    ...{ raw: undefined, was: 'Ann', file: '1.csv', line: 2, ended: undefined },
  }

  it('failed again in the same run: both are sent, one after the other', async () => {
    const pending: Correction[] = []
    const state = { ...temporaryState(), openCorrections: () => Promise.resolve(pending) }
    const line = testLine({ state })
    line.source.drop('1.csv', row('Ann', '1', ''))
    await line.run()
    line.source.drop('2.csv', row('Ann', '2', ''))
    line.service.fault = ({ method }) => (method === 'PUT' ? { kind: 'unknown', applied: false } : undefined)
    expect(await line.run()).toMatchObject({ failed: 1 })
    pending.push(CORRECTION)
    let puts = 0
    line.service.fault = ({ method }) =>
      method === 'PUT' && ++puts === 1 ? { kind: 'unknown', applied: false } : undefined
    await line.run()
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Ann', phone: '1' })
    await line.run()
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Anna', phone: '2' })
  })
})
