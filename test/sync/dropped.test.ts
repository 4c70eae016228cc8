// Changes that an operator dropped: the same change of a record is not planned again; another form of it, or its absence, ends that.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { droppedOf, printOfForm } from '../../src/core/change/waiting/dropped.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { realState } from '../support/state/temporary-state.ts'
import { HEADER, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'

const row = (no: number, phone: string): string[] => [`K${no}`, `p${no}@example.com`, 'V', 'N', phone]

/** K1 and K2 are linked with phone 1; from then on every change is held. */
async function linkedLine(pipeline: Partial<PipelineSettings> = {}) {
  const state = realState()
  const line = testLine({ state, pipeline: { guards: GUARDS, ...pipeline } })
  let files = 0
  const run = async (...rows: string[][]) => {
    line.source.drop(`${(files += 1)}.csv`, [[...HEADER], ...rows])
    return line.run()
  }
  await run(row(1, '1'), row(2, '1'))
  line.pipeline = { ...line.pipeline, guards: { ...GUARDS, max_changes: { count: 0 } } }
  const drop = async () => {
    const dropped = []
    for await (const operation of state.held(['shop'])) dropped.push(droppedOf(operation))
    await state.concludeDecision(0, { at: 0, effects: [{ do: 'drop', dropped }] })
    return dropped.length
  }
  return { run, drop }
}

describe('a dropped update', () => {
  it('is skipped as long as its record stays as it is, and others go on being held', async () => {
    const { run, drop } = await linkedLine()
    expect(await run(row(1, '2'))).toMatchObject({ held: 1 })
    expect(await drop()).toBe(1)
    expect(await run(row(1, '2'))).toMatchObject({ read: 1, skipped: 1, held: 0, status: 'ok' })
    expect(await run(row(1, '2'), row(2, '2'))).toMatchObject({ skipped: 1, held: 1 })
  })

  it.each([
    ['another form of its record', row(1, '3')],
    ['the form that was sent', row(1, '1')],
  ])('is planned again after %s', async (_, between) => {
    const { run, drop } = await linkedLine()
    await run(row(1, '2'))
    await drop()
    await run(between)
    expect(await run(row(1, '2'))).toMatchObject({ skipped: 0, held: 1 })
  })

  it('is planned again after its record was missing from a full export, not from a part', async () => {
    const full = await linkedLine({ mode: 'full' })
    const part = await linkedLine()
    for (const { run, drop } of [full, part]) {
      await run(row(1, '2'), row(2, '1'))
      await drop()
      await run(row(2, '1'))
    }
    expect(await full.run(row(1, '2'), row(2, '1'))).toMatchObject({ skipped: 0, held: 1 })
    expect(await part.run(row(1, '2'), row(2, '1'))).toMatchObject({ skipped: 1, held: 0 })
  })

  it('counts once where its key comes twice and the last counts', async () => {
    const { run, drop } = await linkedLine({ on_duplicate_key: 'last' })
    await run(row(1, '2'))
    await drop()
    expect(await run(row(1, '2'), row(1, '2'))).toMatchObject({ read: 2, skipped: 2, held: 0 })
    expect(await run(row(1, '2'), row(1, '1'))).toMatchObject({ read: 2, skipped: 1, unchanged: 1 })
  })
})

it('a dropped create makes no contact, and its record is not missing', async () => {
  const { run, drop } = await linkedLine({ mode: 'full', on_missing: 'delete' })
  const all = [row(1, '1'), row(2, '1'), row(3, '1')]
  expect(await run(...all)).toMatchObject({ held: 1 })
  expect(await drop()).toBe(1)
  expect(await run(...all)).toMatchObject({ created: 0, skipped: 1, held: 0, deleted: 0, held_deletes: 0 })
})

it('the form of a change does not depend on the order of fields and terms', () => {
  const contact = fc.dictionary(fc.string(), fc.string())
  const terms = fc.record({ add: fc.array(fc.string()), remove: fc.array(fc.string()) })
  fc.assert(
    fc.property(contact, terms, (fields, { add, remove }) => {
      const turned = Object.fromEntries(Object.entries(fields).toReversed())
      const plan = { add, remove, asserts: add }
      const other = { add: add.toReversed(), remove: remove.toReversed(), asserts: [] }
      expect(printOfForm(turned, other)).toBe(printOfForm(fields, plan))
      expect(printOfForm({ ...fields, more: '1' }, plan)).not.toBe(
        printOfForm({ ...fields, more: '2' }, plan),
      )
    }),
  )
  expect(printOfForm({}, undefined)).not.toBe(printOfForm({}, { add: [], remove: [], asserts: [] }))
})
