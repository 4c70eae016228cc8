// Rows of one key are brought together wherever they stand, in little memory.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SourceItem, SourceRecord } from '../../../src/core/mapping/record.ts'
import { recordsAmong, unitedBatches } from '../../../src/sync/plan/united.ts'

const itemsOf = (keys: readonly string[]): SourceItem[] =>
  keys.map((key, index): SourceItem => {
    const place = { values: [key, String(index)], line: index + 2 }
    return key === 'defect'
      ? { kind: 'defect', code: 'RECORD_RAGGED', message: '', ...place }
      : { kind: 'record', ...place }
  })

const keyOf = ({ values: [key = ''] }: SourceItem): string | undefined =>
  key === 'defect' || key === 'skipped' ? undefined : key

async function united(items: readonly SourceItem[], { most = 1000, size = 3 } = {}) {
  let passes = 0
  async function* pass(): AsyncGenerator<readonly SourceItem[]> {
    passes += 1
    for (let at = 0; at < items.length; at += size) {
      await Promise.resolve()
      yield items.slice(at, at + size)
    }
  }
  const all: SourceItem[] = []
  for await (const batch of unitedBatches({ pass, keyOf, most })) all.push(...batch)
  return { all, passes }
}

const linesOf = (item: SourceItem): readonly number[] =>
  (item.kind === 'record' ? item.rows?.map(({ line }) => line) : undefined) ?? [item.line]

describe('rows', () => {
  it('of a key become one record where the last of them stands; the others stay as they are', async () => {
    const { all, passes } = await united(
      itemsOf(['a', 'b', 'a', 'defect', 'c', 'skipped', 'b', 'b', 'skipped']),
    )
    expect(all.map(linesOf)).toEqual([[2, 4], [5], [6], [7], [3, 8, 9], [10]])
    const [a] = all as SourceRecord[]
    expect(a).toEqual({
      kind: 'record',
      line: 4,
      values: ['a', '2'],
      rows: [
        { values: ['a', '0'], line: 2 },
        { values: ['a', '2'], line: 4 },
      ],
    })
    expect(passes).toBe(2)
  })

  it('that are records of several rows already are taken apart', async () => {
    const [x, y, z] = itemsOf(['a', 'a', 'a']) as [SourceRecord, SourceRecord, SourceRecord]
    const rows = [
      { values: x.values, line: x.line },
      { values: y.values, line: y.line },
    ]
    const { all } = await united([{ ...y, rows }, z])
    expect(all.map(linesOf)).toEqual([[2, 3, 4]])
  })

  it('that are too many to wait are united in several passes', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`)
    const { all, passes } = await united(itemsOf([...keys, 'lone', ...keys]), { most: 10 })
    expect(passes).toBeGreaterThan(3)
    expect(all).toHaveLength(41)
    expect(all.filter((item) => linesOf(item).length === 2)).toHaveLength(40)
  })

  it('that were united before others had to wait for a pass of their own are not united again', async () => {
    const { all } = await united(itemsOf(['e', 'e', 'c', 'f', 'd', 'd', 'f', 'c']), { most: 2, size: 4 })
    expect(all.map((item) => linesOf(item).join()).sort()).toEqual(['2,3', '4,9', '5,8', '6,7'])
  })

  it('of one key that are too many refuse the input', async () => {
    await expect(united(itemsOf(new Array<string>(12).fill('n/a')), { most: 10 })).rejects.toMatchObject({
      code: 'INPUT_RECORD_TOO_LARGE',
      message: 'more than 10 rows have the key of the record on line 12',
    })
  })

  it('are each in just one item, together with those of their key, whatever their order and the passes', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'defect', 'skipped')
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (keys, size) => {
          const items = itemsOf(keys)
          const { all } = await united(items, { most: 45, size })
          const expected = new Map<string, number[]>()
          for (const item of items) {
            const name = keyOf(item) ?? `line ${item.line}`
            expected.set(name, [...(expected.get(name) ?? []), item.line])
          }
          // No more than the largest group may wait: nearly every one is united in a pass of its own.
          const few = await united(items, {
            most: Math.max(1, ...[...expected.values()].map((lines) => lines.length)),
            size: 4,
          })
          const wanted = [...expected.values()].map((lines) => lines.join()).sort()
          for (const found of [all, few.all])
            expect(found.map((item) => linesOf(item).join()).sort()).toEqual(wanted)
        },
      ),
    )
  })
})

it('a few rows that were read become records in the same way, where the pipeline unites them', async () => {
  const rows = itemsOf(['a', 'b', 'a', 'defect'])
  const ofUnion = await recordsAmong(rows, keyOf, { on_duplicate_key: 'union' })
  expect(ofUnion.map(linesOf)).toEqual([[3], [2, 4], [5]])
  expect(await recordsAmong(rows, keyOf, { on_duplicate_key: 'last' })).toBe(rows)
})
