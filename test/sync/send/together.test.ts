// What small requests write in one turn of the event loop is one transaction; a request leaves, and an end is told, after it only.
import { describe, expect, it } from 'vitest'
import type { Operation, Settled, Settlement } from '../../../src/core/change/operation.ts'
import type { EndedBatch, Marking } from '../../../src/core/run-state.ts'
import type { SyncState } from '../../../src/core/state-store.ts'
import { openTemporaryState } from '../../../src/store/state-store.ts'
import { writingTogether } from '../../../src/sync/send/together.ts'
import { aboutRun, done, person, worldOver } from '../../contracts/state-world.ts'

const operation = (id: number): Operation => ({ id }) as Operation
const operations = (count: number): Operation[] => Array.from({ length: count }, (_, id) => operation(id))
const settled = (id: number): Settled =>
  ({ operation: operation(id), settlement: { kind: 'done', contactId: id } }) as Settled

/** A state that notes what it is asked to write; each settlement comes back as it was given. */
function notingState(fails?: Error) {
  const written: string[] = []
  const endsOf = (ended: EndedBatch | undefined): readonly Settlement[] =>
    ended?.settled.map(({ settlement }) => settlement) ?? []
  const state = {
    markSending: (marked: readonly Operation[]) => {
      written.push(`marks ${marked.length} alone`)
      return Promise.resolve()
    },
    settleBatch: (batch: readonly Settled[]) => {
      written.push(`settles ${batch.length} alone`)
      return Promise.resolve(batch.map(({ settlement }) => settlement))
    },
    markAndSettle: (marks: readonly Marking[], ended: EndedBatch | undefined) => {
      if (fails !== undefined) return Promise.reject(fails)
      const ids = marks.flatMap((mark) => mark.operations.map(({ id }) => id))
      written.push(`marks ${ids.join(' ')}, settles ${endsOf(ended).length} at ${ended?.context.at}`)
      return Promise.resolve(endsOf(ended))
    },
  }
  return { written, state: writingTogether(state as unknown as SyncState) }
}

describe('what is written in one turn', () => {
  it('goes to the state together, and each gets its own ends', async () => {
    const { written, state } = notingState()
    const [, first, , second] = await Promise.all([
      state.markSending([operation(1)]),
      state.settleBatch([settled(7), settled(8)], { ...aboutRun('r1'), at: 5 }),
      state.markSending([operation(2)], { terms: [{ name: 'A', ours: true }] }),
      state.settleBatch([settled(9)], { ...aboutRun('r1'), at: 6 }),
    ])
    expect(written).toEqual(['marks 1 2, settles 3 at 6'])
    expect(first).toEqual([7, 8].map((contactId) => ({ kind: 'done', contactId })))
    expect(second).toEqual([{ kind: 'done', contactId: 9 }])
  })

  it('is not together with what comes in the next', async () => {
    const { written, state } = notingState()
    await state.markSending([operation(1)])
    await state.markSending([operation(2)])
    expect(written).toEqual(['marks 1, settles 0 at undefined', 'marks 2, settles 0 at undefined'])
  })

  it('is on its own where it is about many records', async () => {
    const { written, state } = notingState()
    const many = operations(25)
    await Promise.all([
      state.markSending(operations(24)),
      state.markSending(many),
      state.settleBatch(
        many.map(({ id }) => settled(id)),
        aboutRun('r1'),
      ),
    ])
    expect(written.slice(0, 2)).toEqual(['marks 25 alone', 'settles 25 alone'])
    expect(written).toHaveLength(3)
  })

  it('fails for all where the state fails', async () => {
    const { state } = notingState(new Error('the disk is full'))
    const ends = await Promise.allSettled([
      state.markSending([operation(1)]),
      state.settleBatch([settled(1)], aboutRun('r1')),
    ])
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

it('nothing of it stays where a part of it cannot be written', async () => {
  const store = openTemporaryState()
  const world = worldOver(store)
  await world.plan([person('K1'), person('K2')])
  const [first, second] = await store.takeToSend('r1', undefined, 9)
  if (first === undefined || second === undefined) throw new Error('two creates are planned')
  const ended = { operation: first, request: undefined, ...done(first) } as Settled
  const broken = { ...second, key: null } as unknown as Operation
  const marks = [{ operations: [first] }]
  const batch = [ended, { ...ended, operation: broken }]
  await expect(store.markAndSettle(marks, { settled: batch, context: aboutRun('r1') })).rejects.toThrow()
  expect((await store.known('shop', ['K1']))[0]?.link).toBeUndefined()
  expect((await store.takeToSend('r1', undefined, 9)).map(({ key }) => key)).toEqual(['K1', 'K2'])
  await store.close()
})
