// A held repair in both states: a record that is unchanged leaves it, a newer change and a missing record end it.
import { describe, expect, it } from 'vitest'
import { DRIFT_REPAIR } from '../../src/core/change/others/repair.ts'
import { openTemporaryState } from '../../src/store/state-store.ts'
import { AT, person, worldOver } from '../contracts/state-world.ts'
import { memoryState } from '../support/state/memory-state.ts'

const ANNA = person('K1', { phone: '1' })
const FULL = { isLast: true, at: AT, apartMs: 0 } as const

describe.each([
  ['on disk', openTemporaryState],
  ['in memory', memoryState],
])('%s', (_, open) => {
  async function withRepair() {
    const state = open()
    const world = worldOver(state)
    await state.endInput(await world.plan([ANNA]), { as: 'processed' })
    await world.send()
    const input = { name: 'repair', version: 'repair', bytes: 0 }
    const staged = await state.beginInput({ runId: 'r2', pipeline: 'shop', input, header: [] })
    const [known] = await state.known('shop', ['K1'])
    const { id: linkId = 0, contactId = 0 } = known?.link ?? {}
    const record = { source: { file: 'repair', line: 0 }, values: [], text: undefined, fingerprint: '' }
    const operation = {
      ...({ state: 'planned', kind: 'update', undoes: DRIFT_REPAIR } as const),
      ...{ linkId, contactId, fields: { phone: '1' } },
    }
    const desired = { contact: ANNA.contact, terms: undefined }
    await state.stageBatch(staged, {
      entries: [{ kind: 'operation', key: 'K1', record, desired, operation }],
    })
    const hold = {
      guard: 'drift',
      holds: 'all',
      number: 1,
      threshold: 'drift --repair',
      reason: 'r',
    } as const
    await state.holdPlan(staged, hold, { at: AT, configHash: 'h' })
    await state.commitPlan(staged, '')
    await state.endInput(staged, { as: 'processed' })
    await state.release('r2', AT)
    const left = async () =>
      (await state.leftOpen('released', 'shop')).map(({ key, undoes }) => [key, undoes])
    return { state, world, left }
  }

  it.each([
    ['the same record', [ANNA], undefined, 1],
    ['the same record of a full export', [ANNA], FULL, 1],
    ['another form of the record', [person('K1', { phone: '2' })], undefined, 0],
    ['a full export without it', [person('K9')], FULL, 0],
  ])('%s', async (__, people, full, left) => {
    const { state, world, left: leftOpen } = await withRepair()
    expect(await leftOpen()).toEqual([['K1', DRIFT_REPAIR]])
    await world.plan(people, { run: 'r3', ...(full === undefined ? {} : { full }) })
    expect(await leftOpen()).toHaveLength(left)
    await state.close()
  })
})
