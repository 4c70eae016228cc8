// Who looked at whose data: kept, filtered, removed by age; after an erasure whose it was is gone.
import { expect, it } from 'vitest'
import { openTemporaryState } from '../../src/store/state-store.ts'

const read = (at: number, by: string | undefined, contactId: number | undefined) => ({
  ...{ at, by, contactId, page: 'contacts' },
  role: by === undefined ? undefined : ('operator' as const),
})

it('lists them newest first, by user, contact and time, and removes the oldest', async () => {
  const state = openTemporaryState()
  const all = [read(1, 'anna', 7), read(2, undefined, 8), read(3, 'ben', 7), read(4, 'anna', undefined)]
  await state.noteReads(all)
  expect(await state.notedReads({}, 10)).toEqual(all.toReversed())
  expect(await state.notedReads({ contactIds: [7] }, 10)).toEqual([all[2], all[0]])
  expect(await state.notedReads({ by: 'anna', since: 2 }, 10)).toEqual([all[3]])
  expect(await state.notedReads({ until: 3 }, 1)).toEqual([all[1]])
  expect([await state.removeReads(3, 1), await state.removeReads(3, 9)]).toEqual([1, 1])
  expect(await state.notedReads({}, 10)).toEqual([all[3], all[2]])
  await state.close()
})
