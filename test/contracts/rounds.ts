// What every state remembers of work that goes on over many runs: rounds of looks for drift, and how far the sync log was handed
// over.
import { beforeEach, describe, expect, it } from 'vitest'
import type { DriftRound } from '../../src/core/change/others/drift-rounds.ts'
import type { TestState } from '../support/state/memory-state.ts'
import { AT, done, person, worldOver } from './state-world.ts'

const COUNTS = { checked: 2, differing: 1, gone: 0, kept: 0, unanswered: 0, by_field: { phone: 1 } }

const round = (more: Partial<DriftRound>): DriftRound => ({
  ...{ pipeline: 'shop', startedAt: AT, endedAt: undefined, after: '', counts: COUNTS },
  ...more,
})

export function roundsContract(name: string, open: () => TestState): void {
  describe(`the state ${name}`, () => {
    let state: TestState
    beforeEach(async () => {
      state = open()
      const world = worldOver(state)
      await world.plan([person('K1'), person('K2')])
      await world.send(done)
    })

    it('keeps how far the latest round of each pipeline has come', async () => {
      expect(await state.driftRound('shop')).toBeUndefined()
      await state.noteDriftRound(round({}))
      expect(await state.driftRound('shop')).toEqual(round({}))
      await state.noteDriftRound(round({ after: 'K1' }))
      await state.noteDriftRound(round({ after: 'K2', counts: { ...COUNTS, checked: 3 } }))
      expect(await state.driftRound('shop')).toEqual(
        round({ after: 'K2', counts: { ...COUNTS, checked: 3 } }),
      )
      expect(await state.driftRound('crm')).toBeUndefined()
      expect(await state.driftRounds('shop', 9)).toEqual([])
    })

    it('keeps nothing of a key without a link, also one of another pipeline', async () => {
      await state.noteDriftRound(round({ after: 'K1' }))
      await state.noteDriftRound(round({ after: 'K9', counts: { ...COUNTS, checked: 9 } }))
      await state.noteDriftRound(round({ pipeline: 'crm', after: 'K1' }))
      expect(await state.driftRound('shop')).toEqual(round({ after: 'K1' }))
      expect(await state.driftRound('crm')).toBeUndefined()
    })

    it('lists rounds that have ended, newest first, each once, and drops the oldest of more than 400', async () => {
      const ended = (number: number) => round({ startedAt: AT + number, endedAt: AT + number + 1 })
      for (let number = 0; number < 402; number += 1) await state.noteDriftRound(ended(number))
      await state.noteDriftRound({ ...ended(401), counts: { ...COUNTS, gone: 1 } })
      await state.noteDriftRound({ ...ended(5), pipeline: 'crm' })
      // The key goes with its link, what the round has found does not.
      await state.noteDriftRound({ ...ended(402), after: 'K9' })
      expect(await state.driftRound('shop')).toEqual({ ...ended(401), counts: { ...COUNTS, gone: 1 } })
      const rounds = await state.driftRounds('shop', 1000)
      expect(rounds).toHaveLength(400)
      expect(rounds.slice(0, 2)).toEqual([ended(402), { ...ended(401), counts: { ...COUNTS, gone: 1 } }])
      expect(rounds.at(-1)).toEqual(ended(3))
      expect(await state.driftRounds('shop', 2)).toEqual(rounds.slice(0, 2))
      expect(await state.driftRounds('crm', 9)).toEqual([{ ...ended(5), pipeline: 'crm' }])
    })

    it('keeps where the sync log was handed over to last, and how far', async () => {
      expect(await state.handedOver()).toBeUndefined()
      await state.noteHandedOver({ to: 'syslog://one', seq: 7 })
      expect(await state.handedOver()).toEqual({ to: 'syslog://one', seq: 7 })
      await state.noteHandedOver({ to: 'file:two', seq: 3 })
      expect(await state.handedOver()).toEqual({ to: 'file:two', seq: 3 })
    })
  })
}
