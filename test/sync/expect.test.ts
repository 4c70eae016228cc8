// A file that is not as expected is held as a whole: nothing of it goes, later files do, and a release lets it go.
import { describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'

const EXPECT: PipelineSettings['expect'] = {
  columns: 'at_least',
  records: { least: 2, change: { share: 0.5 } },
  blank: { phone: { share: 0.2 } },
  values: { first: ['Vorname1', 'Vorname2', 'Vorname3', 'Vorname4', 'New'] },
}

const FULL = { mode: 'full', on_missing: 'delete', guards: { ...GUARDS, max_deletes: { share: 1 } } } as const

const lineOf = (changes: Partial<PipelineSettings> = {}): Line =>
  testLine({ pipeline: { ...FULL, expect: EXPECT, ...changes } })

const table = people(4)
const renamed = (first: string): string[][] =>
  table.map((row, index) => (index === 1 ? row.with(2, first) : row))

async function started(changes: Partial<PipelineSettings> = {}): Promise<Line> {
  const line = lineOf(changes)
  line.source.drop('a.csv', table)
  expect(await line.run()).toMatchObject({ status: 'ok', created: 4 })
  return line
}

describe('a file that is not as expected', () => {
  it.each<[string, string[][], RegExp]>([
    ['lacks a column', table.map((row) => row.toSpliced(4, 1)), /^a\.csv: .*lacks "phone"/],
    ['has too few records', table.slice(0, 2), /at least 2 are expected.*a change of more than 50% /],
    [
      'has another value',
      renamed('Elsewhere'),
      /"first" has 1 value that is not in the list, the first on line 2/,
    ],
    [
      'has blank values',
      table.map((row, index) => (index > 2 ? row.with(4, '') : row)),
      /"phone" is blank in 2 of 4 rows/,
    ],
  ])('that %s is held, and nothing is sent or gone', async (_, given, reason) => {
    const map = { mail: { column: 'mail' }, first_name: { column: 'first' }, family_name: { column: 'last' } }
    const line = await started({
      map,
      expect: { ...EXPECT, blank: _ === 'lacks a column' ? {} : EXPECT.blank! },
    })
    const before = line.service.calls.length
    line.source.drop('a.csv', given)
    const result = await line.run()
    expect(result).toMatchObject({ status: 'held', deleted: 0, updated: 0, files: [{ status: 'held' }] })
    expect(result.files[0]!.error).toMatch(reason)
    expect(line.service.calls.slice(before).filter(({ method }) => method !== 'GET')).toEqual([])
    expect(line.source.archived.at(-1)).toMatchObject({ name: 'a.csv', folder: 'processed' })
  })

  it('waits while a later file goes, which says what counts', async () => {
    const line = await started()
    line.source.drop('b.csv', [
      ...renamed('Elsewhere'),
      ...people(4, 1)
        .slice(2, 3)
        .map((row) => row.with(0, 'K9').with(1, 'k9@example.com')),
    ])
    expect(await line.run()).toMatchObject({ held: 2 })
    expect(await line.state.heldPlans(['shop'])).toMatchObject([
      { guard: 'expect', number: 2, threshold: 'expect.values' },
    ])
    line.source.drop('c.csv', renamed('New'))
    expect(await line.run()).toMatchObject({ status: 'ok', updated: 1, held: 0 })
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'New' })
  })

  it('goes when it is released, and is the measure of the next one', async () => {
    const line = await started({ expect: { columns: 'exact' } })
    const wider = renamed('New').map((row, index) => [...row, index === 0 ? 'fax' : ''])
    line.source.drop('b.csv', wider)
    const held = await line.run()
    expect(held).toMatchObject({ status: 'held', held: 1 })
    await line.state.release(held.run_id, 1)
    expect(await line.run()).toMatchObject({ updated: 1, status: 'ok' })
    line.source.drop('c.csv', wider)
    expect(await line.run()).toMatchObject({ status: 'ok', unchanged: 4 })
    line.source.drop('d.csv', table)
    expect((await line.run()).files[0]!.error).toContain('the file lacks "fax"')
  })

  it('is held though nothing of it would be sent, and a release says that later ones may look like it', async () => {
    const line = await started({ expect: { columns: 'exact' } })
    const wider = table.map((row, index) => [...row, index === 0 ? 'fax' : ''])
    line.source.drop('b.csv', wider)
    const held = await line.run()
    expect(held.files[0]).toMatchObject({
      status: 'held',
      hint: expect.stringContaining(`contact-sync held release ${held.run_id}`) as string,
    })
    expect(await line.state.heldPlans(['shop'])).toMatchObject([{ number: 0, left: 0 }])
    await line.state.release(held.run_id, 1)
    line.source.drop('c.csv', wider)
    expect(await line.run()).toMatchObject({ status: 'ok', unchanged: 4 })
    expect(await line.state.heldPlans(['shop'])).toEqual([])
  })

  it('without changes waits for nobody once another file was accepted', async () => {
    const line = await started({ expect: { columns: 'exact' } })
    line.source.drop(
      'b.csv',
      table.map((row, index) => [...row, index === 0 ? 'fax' : '']),
    )
    await line.run()
    line.source.drop('c.csv', table)
    await line.run()
    expect(await line.state.heldPlans(['shop'])).toEqual([])
  })

  it('is held though nothing of it would be sent, and is no measure', async () => {
    const line = await started({ expect: { columns: 'exact' } })
    line.source.drop(
      'b.csv',
      table.map((row, index) => [...row, index === 0 ? 'fax' : '']),
    )
    expect(await line.run()).toMatchObject({ status: 'held', unchanged: 4, held: 0 })
    line.source.drop('c.csv', table)
    expect(await line.run()).toMatchObject({ status: 'ok' })
  })

  it('is told by the plan, which changes nothing', async () => {
    const line = await started()
    line.source.drop('b.csv', renamed('Elsewhere'))
    const { totals, changes } = await line.preview()
    expect(totals).toMatchObject({ status: 'held', held: 1 })
    expect(changes).toEqual([])
  })
})

it('mended rejects are no file of the source: nothing is expected of them', async () => {
  const line = lineOf()
  line.source.drop('a.csv', [...table, ['K9', 'nonsense', 'New', 'X', '9']])
  expect(await line.run()).toMatchObject({ created: 4, rejected: 1 })
  line.pipeline = { ...line.pipeline, on_invalid: 'drop', hash: 'mapping-2' }
  expect(await line.retry()).toMatchObject({ read: 1, held: 0 })
})

it('an ordinary header in another order is as expected', async () => {
  const line = await started({ expect: { columns: 'exact' } })
  const order = HEADER.map((_, index) => (index + 2) % HEADER.length)
  line.source.drop(
    'b.csv',
    table.map((row) => order.map((place) => row[place] ?? '')),
  )
  expect(await line.run()).toMatchObject({ status: 'ok', unchanged: 4 })
})
