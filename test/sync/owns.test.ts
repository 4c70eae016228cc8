// Two pipelines with one contact, over whole runs: who writes a field, and who takes over.
import { describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { HEADER, type Line, testLine } from '../support/line.ts'
import { memoryService } from '../support/memory-service.ts'
import { seeded } from '../support/seeded.ts'
import { memoryState, type TestState } from '../support/state/memory-state.ts'
import { temporaryState } from '../support/state/temporary-state.ts'

const file = (phone: string, ...others: string[]): string[][] => [
  [...HEADER],
  ['K1', 'a@example.com', 'Ann', 'B', phone],
  ...others.map((key) => [key, `${key}@example.com`, 'Zoe', 'Z', '7']),
]

const states: readonly (readonly [string, () => TestState])[] = [
  ['on SQLite', temporaryState],
  ['in memory', memoryState],
]

function pair(state: TestState, owners: readonly string[]): { crm: Line; shop: Line } {
  const service = memoryService()
  const phone = owners.map((pipeline) => ({ pipeline, missingIn: 1 }))
  const pipeline: Partial<PipelineSettings> = {
    mode: 'full',
    on_missing: 'delete',
    owners: { phone },
    duplicate_check_method: 'email',
  }
  const line = (name: string): Line => testLine({ state, service, pipeline: { ...pipeline, name } })
  const [crm, shop] = [line('crm'), line('shop')]
  for (const one of [crm, shop])
    one.pipeline = {
      ...one.pipeline,
      guards: {
        ...one.pipeline.guards,
        max_deletes: { share: 1 },
        max_deletes_per: 'off',
      },
    }
  return { crm, shop }
}

let files = 0
async function run(line: Line, phone: string | undefined): Promise<void> {
  files += 1
  const rows = phone === undefined ? [[...HEADER], ['K9', 'z@example.com', 'Z', 'Z', '7']] : file(phone, 'K9')
  line.source.drop(`${files}.csv`, rows)
  line.clock.advance(1000)
  const result = await line.run()
  expect(result.status).toBe('ok')
}

const phoneOf = (line: Line): unknown => line.service.contacts.get(1)?.['phone']
const writes = (line: Line): number => line.service.writes().length

describe.each(states)('owns %s', (_, open) => {
  it('a pipeline that is no owner leaves the field out, of creates too', async () => {
    const { shop } = pair(open(), ['crm'])
    await run(shop, '1')
    expect(shop.service.contacts.get(1)).toMatchObject({ first_name: 'Ann' })
    expect(phoneOf(shop)).toBeUndefined()
  })

  it('the next one fills in what the owner lacks, and yields when it has it again', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    await run(crm, '1')
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('1')
    await run(crm, undefined)
    expect(phoneOf(shop)).toBe('1')
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('2')
    await run(crm, '1')
    expect(phoneOf(shop)).toBe('1')
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('1')
  })

  it('its only owner writes it, also where it becomes that after another pipeline has sent another value', async () => {
    const { crm, shop } = pair(open(), ['crm'])
    const { owners } = crm.pipeline
    for (const line of [crm, shop]) {
      const { owners: _, ...unowned } = line.pipeline
      line.pipeline = { ...unowned, hash: 'unowned' }
    }
    await run(crm, '1')
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('2')
    for (const line of [crm, shop])
      line.pipeline = { ...line.pipeline, ...(owners && { owners }), hash: 'owned' }
    await run(crm, '1')
    expect(phoneOf(shop)).toBe('1')
    const before = writes(shop)
    await run(shop, '2')
    await run(crm, '1')
    expect([writes(shop) - before, phoneOf(shop)]).toEqual([0, '1'])
  })

  it('an owner whose create leaves to the contact what it has writes its value after that', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    crm.pipeline = { ...crm.pipeline, hand_edits: 'keep', duplicate_merge_method: 'add' }
    await run(shop, '2')
    await run(crm, '1')
    expect(phoneOf(shop)).toBe('2')
    await run(crm, '1')
    expect(phoneOf(shop)).toBe('1')
    const before = writes(shop)
    await run(shop, '2')
    await run(crm, '1')
    expect([writes(shop) - before, phoneOf(shop)]).toEqual([0, '1'])
  })

  it('the end of an edit of the next one sends nothing over the value that the first has by then', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    shop.pipeline = { ...shop.pipeline, hand_edits: 'keep', duplicate_merge_method: 'add' }
    await run(crm, '')
    await run(shop, '2')
    shop.service.contacts.set(1, { ...shop.service.contacts.get(1), phone: '9' })
    await run(shop, '3')
    expect(phoneOf(shop)).toBe('9')
    await run(crm, '1')
    const before = writes(shop)
    await run(shop, '3')
    expect([writes(shop) - before, phoneOf(shop)]).toEqual([0, '1'])
    expect(await shop.state.openEdits(['shop'])).toEqual([])
    await run(crm, '')
    await run(shop, '3')
    expect(phoneOf(shop)).toBe('3')
  })

  it.each([
    ['a change', ['', '2'] as const],
    ['a create', [undefined, undefined] as const],
  ])('%s of the next one that was held leaves out what the first has by the release', async (_, first) => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    if (first[1] !== undefined) {
      await run(crm, first[0])
      await run(shop, first[1])
    }
    const { guards } = shop.pipeline
    shop.pipeline = { ...shop.pipeline, guards: { ...guards, max_changes: { count: 0 } } }
    const renamed = file('3', 'K9').map((row) => row.with(2, row[2] === 'Ann' ? 'Anna' : (row[2] ?? '')))
    shop.source.drop('held.csv', renamed)
    const held = await shop.run()
    expect(held).toMatchObject({ status: 'held' })
    await run(crm, '1')
    await shop.state.release(held.run_id, shop.clock.now())
    expect(await shop.run()).toMatchObject({ held: 0, failed: 0 })
    expect(shop.service.contacts.get(1)).toMatchObject({ first_name: 'Anna', phone: '1' })
    shop.pipeline = { ...shop.pipeline, guards }
    await run(crm, '')
    await run(shop, '3')
    expect(phoneOf(shop)).toBe('3')
  })

  it('the next one that empties blanks leaves the value of the first, which it has never written', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    shop.pipeline = { ...shop.pipeline, blank: 'clear' }
    await run(crm, '1')
    await run(shop, '2')
    const before = writes(shop)
    await run(shop, '')
    expect([writes(shop) - before, phoneOf(shop)]).toEqual([0, '1'])
  })

  it('the next one fills in what the owner has blank, and yields when it has the same value again', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    await run(crm, '1')
    await run(shop, '2')
    const before = writes(shop)
    await run(crm, '')
    await run(crm, '')
    expect([writes(shop) - before, phoneOf(shop)]).toEqual([0, '1'])
    await run(shop, '2')
    expect([writes(shop) - before, phoneOf(shop)]).toEqual([1, '2'])
    await run(crm, '')
    await run(shop, '2')
    expect(writes(shop) - before).toBe(1)
    await run(crm, '1')
    await run(shop, '2')
    await run(crm, '1')
    expect([writes(shop) - before, phoneOf(shop)]).toEqual([2, '1'])
  })

  it('a blank is no change in a plan, and its entry in the sync log says what became of the field', async () => {
    const [{ crm }, { crm: planned }] = [pair(open(), ['crm', 'shop']), pair(open(), ['crm', 'shop'])]
    for (const line of [crm, planned]) {
      await run(line, '1')
      line.source.drop('blank.csv', file('', 'K9'))
    }
    const { changes, plan } = await planned.preview()
    expect([changes, plan.counts.unchanged, plan.work.updates]).toEqual([[], 2, 0])
    const result = await crm.run()
    expect(result).toMatchObject({ read: 2, unchanged: 2, updated: 0 })
    const entries: unknown[] = []
    for await (const entry of crm.state.entriesOfRun(result.run_id)) entries.push(entry)
    expect(entries).toMatchObject([
      {
        ...{ key: 'K1', action: 'update', outcome: 'unchanged', fields: {}, request: null },
        reason: 'blank in the record, so left to the next pipeline that owns it: phone',
      },
    ])
  })

  it('the entry of a value that replaces what another pipeline sent says from what', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    await run(crm, '1')
    await run(shop, '2')
    crm.source.drop('blank.csv', file('', 'K9'))
    await crm.run()
    shop.source.drop('after.csv', file('2', 'K9'))
    const { run_id: id } = await shop.run()
    const entries: unknown[] = []
    for await (const entry of shop.state.entriesOfRun(id)) entries.push(entry)
    expect(entries).toMatchObject([
      { key: 'K1', action: 'update', fields: { phone: { from: '1', to: '2' } } },
    ])
  })

  it('a blank beside other changes is given up with them, and not before a held plan is released', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    await run(crm, '1')
    await run(shop, '2')
    const { guards } = crm.pipeline
    crm.pipeline = { ...crm.pipeline, guards: { ...guards, max_changes: { count: 0 } } }
    const renamed = file('').map((row) => row.with(2, row[2] === 'Ann' ? 'Anna' : (row[2] ?? '')))
    crm.source.drop('held.csv', [...renamed, ...file('', 'K9').slice(2)])
    const held = await crm.run()
    expect(held).toMatchObject({ status: 'held', held: 1 })
    crm.pipeline = { ...crm.pipeline, guards }
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('1')
    await crm.state.release(held.run_id, crm.clock.now())
    expect(await crm.run()).toMatchObject({ updated: 1 })
    expect(shop.service.contacts.get(1)).toMatchObject({ first_name: 'Anna', phone: '1' })
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('2')
  })

  it('the same value as before the blank is tried again where its request was not carried out', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    crm.pipeline = { ...crm.pipeline, mode: 'incremental' }
    await run(crm, '1')
    await run(crm, '')
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('2')
    crm.service.fault = ({ method }) => (method === 'GET' ? undefined : { kind: 'not_applied' })
    crm.source.drop('again.csv', file('1', 'K9'))
    expect(await crm.run()).toMatchObject({ failed: 1 })
    crm.service.fault = () => undefined
    expect(await crm.run()).toMatchObject({ updated: 1 })
    expect(phoneOf(shop)).toBe('1')
  })

  it('what a run that ended could not give up any more is given up by the next one', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    crm.pipeline = { ...crm.pipeline, mode: 'incremental' }
    await run(crm, '1')
    crm.source.drop('blank.csv', file('', 'K9'))
    const { settleBatch } = crm.state
    crm.state.settleBatch = () => Promise.reject(new Error('the process ended'))
    await expect(crm.run()).rejects.toThrow('the process ended')
    crm.state.settleBatch = settleBatch
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('1')
    expect(await crm.run()).toMatchObject({ unchanged: 2 })
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('2')
  })

  it('a value that was given up is no edit by hand, and an edit of it is kept', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    for (const line of [crm, shop])
      line.pipeline = { ...line.pipeline, hand_edits: 'keep', duplicate_merge_method: 'add' }
    await run(crm, '1')
    await run(shop, '2')
    await run(crm, '')
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('2')
    await run(crm, '1')
    await run(crm, '')
    shop.service.contacts.set(1, { ...shop.service.contacts.get(1), phone: '9' })
    await run(shop, '3')
    expect(phoneOf(shop)).toBe('9')
    expect(await shop.state.openEdits(['crm', 'shop'])).toMatchObject([
      { pipeline: 'shop', field: 'phone', service: '9', sent: '1', source: '3' },
    ])
  })

  it('an edit of a field that its record has given up since is not overwritten by what that wanted', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    crm.pipeline = { ...crm.pipeline, hand_edits: 'keep', duplicate_merge_method: 'add' }
    await run(crm, '1')
    crm.service.contacts.set(1, { ...crm.service.contacts.get(1), phone: '9' })
    await run(crm, '3')
    await run(crm, '')
    crm.service.contacts.set(1, { ...crm.service.contacts.get(1), phone: '' })
    await run(crm, '')
    expect([phoneOf(crm), await crm.state.openEdits(['crm'])]).toEqual(['', []])
    await run(shop, '2')
    expect(phoneOf(shop)).toBe('2')
  })

  it('over sixty days of blanks, lost answers and requests that fail the first owner with a value has written last', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    const draws = seeded(11)
    const { service } = shop
    const fault: typeof service.fault = ({ method }) => {
      if (method === 'GET' || draws.next() >= 0.3) return undefined
      return draws.next() < 0.5 ? { kind: 'unknown', applied: draws.next() < 0.5 } : { kind: 'not_applied' }
    }
    const value = (): string => (draws.next() < 0.4 ? '' : `${Math.floor(draws.next() * 3)}`)
    const any = async (line: Line, phone: string): Promise<void> => {
      files += 1
      line.source.drop(`${files}.csv`, file(phone, 'K9'))
      line.clock.advance(86_400_000)
      await line.run()
    }
    await run(crm, '1')
    await run(shop, '2')
    let [first, next, expected] = ['1', '2', '1']
    for (let day = 1; day <= 60; day += 1) {
      service.fault = fault
      for (let change = 0; change < 3; change += 1) {
        if (draws.next() < 0.5) await any(crm, (first = value()))
        else await any(shop, (next = value()))
      }
      service.fault = () => undefined
      for (let round = 0; round < 2; round += 1) {
        await run(crm, first)
        await run(shop, next)
      }
      expected = first || next || expected
      if (first !== '' || next !== '')
        expect([day, first, next, phoneOf(shop)]).toEqual([day, first, next, expected])
      const before = writes(shop)
      await run(crm, first)
      await run(shop, next)
      expect(writes(shop) - before).toBe(0)
    }
  })

  it('a year of two sources that disagree makes no write after the first', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    await run(shop, '2')
    await run(crm, '1')
    await run(shop, '2')
    const before = writes(shop)
    for (let day = 0; day < 365; day += 1) {
      await run(crm, '1')
      await run(shop, '2')
    }
    expect([writes(shop) - before, phoneOf(shop)]).toEqual([0, '1'])
  })

  it('over a year with lost answers only the owner writes, and its last value is there', async () => {
    const { crm, shop } = pair(open(), ['crm', 'shop'])
    await run(crm, '1')
    await run(shop, '2')
    const { service } = shop
    const draws = seeded(7)
    const from = writes(shop)
    const quiet = async (line: Line, phone: string): Promise<void> => {
      files += 1
      line.source.drop(`${files}.csv`, file(phone, 'K9'))
      line.clock.advance(86_400_000)
      await line.run()
    }
    service.fault = ({ method }) =>
      method !== 'GET' && draws.next() < 0.4 ? { kind: 'unknown', applied: draws.next() < 0.5 } : undefined
    for (let day = 1; day <= 365; day += 1) {
      await quiet(crm, `1${Math.floor(day / 20)}`)
      await quiet(shop, `2${Math.floor(day / 7)}`)
    }
    const phones = service
      .writes()
      .slice(from)
      .flatMap(({ contacts }) => contacts.flatMap((one) => one['phone'] ?? []))
    expect(phones.filter((phone) => String(phone).startsWith('2'))).toEqual([])
    service.fault = () => undefined
    await quiet(crm, '118')
    const before = writes(shop)
    for (let day = 0; day < 5; day += 1) {
      await quiet(shop, '299')
      await quiet(crm, '118')
    }
    expect([writes(shop) - before, phoneOf(shop)]).toEqual([0, '118'])
  })
})
