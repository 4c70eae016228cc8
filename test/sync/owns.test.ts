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
