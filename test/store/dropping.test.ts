// A plan that is not carried out is removed in pieces: others have their turn between two of them, and a process that dies there
// leaves nothing that counts.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { StagedInput } from '../../src/core/state.ts'
import { openState, type OwnedState } from '../../src/store/state-store.ts'

/** More than one piece of each. */
const RECORDS = 10_001

let folder = ''
let state: OwnedState

const opened = (): OwnedState => openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: false })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dropping-'))
  state = opened()
})
afterEach(async () => {
  await state.close()
  await rm(folder, { recursive: true })
})

/** New contacts, and as many rejects. */
async function staged(): Promise<StagedInput> {
  const input = { name: 'a.csv', version: 'a', bytes: 1 }
  const reading = await state.beginInput({ runId: 'r1', pipeline: 'shop', input, header: ['no'] })
  const entries = Array.from({ length: RECORDS }, (_, line) => {
    const key = `K${line}`
    const record = { source: { file: 'a.csv', line }, values: [key], text: undefined, fingerprint: key }
    const contact = { mail: `${key}@x.example` }
    return [
      {
        ...({ kind: 'operation', key, record, desired: { contact, terms: undefined } } as const),
        operation: { state: 'planned', kind: 'create', fields: contact } as const,
      },
      { kind: 'rejected', key: `R${line}`, record, code: 'FIELD_INVALID', reason: 'bad' } as const,
    ]
  })
  await state.stageBatch(reading, { entries: entries.flat() })
  await state.completeStaging(reading, {})
  return reading
}

async function planned(): Promise<StagedInput> {
  const reading = await staged()
  await state.commitPlan(reading, 'sum')
  return reading
}

/** How often others had their turn while it was removed. */
async function turnsDuring(removing: Promise<void>): Promise<number> {
  let [turns, isOver] = [0, false]
  void removing.then(() => (isOver = true))
  while (!isOver) {
    turns += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  return turns
}

it('an input that is read again, with turns for others', async () => {
  const input = await planned()
  expect(await state.countRemaining('r1')).toBe(RECORDS)
  expect(await turnsDuring(state.endInput(input, { as: 'unread' }))).toBeGreaterThan(1)
  expect(await state.countRemaining('r1')).toBe(0)
  expect((await state.rejects(['shop'])[Symbol.asyncIterator]().next()).done).toBe(true)
  expect(await state.unfinishedInputs('shop')).toEqual([])
})

it('an input that was not read to its end', async () => {
  const input = await staged()
  expect(await turnsDuring(state.discardInput(input))).toBeGreaterThan(1)
  expect(await state.unfinishedInputs('shop')).toEqual([])
})

it.each(['unread', 'vanished'] as const)('one whose process ended in between: %s', async (as) => {
  const input = await planned()
  const removing = state.endInput(input, { as: 'unread' })
  await state.close()
  await expect(removing).rejects.toThrow()
  state = opened()
  const left = await state.countRemaining('r1')
  expect([0, RECORDS]).not.toContain(left)
  const [again] = await state.unfinishedInputs('shop')
  if (again === undefined) throw new Error('the input is gone')
  // Nothing of it was promised: also where the file has gone meanwhile.
  await state.endInput(again, { as })
  expect(await state.countRemaining('r1')).toBe(0)
  expect(await state.leftOpen('failed', 'shop')).toEqual([])
})
