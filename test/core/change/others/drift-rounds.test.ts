import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LookOutcome } from '../../../../src/core/change/others/drift.ts'
import {
  type DriftRound,
  dueRound,
  isAboveShare,
  roundWith,
} from '../../../../src/core/change/others/drift-rounds.ts'

const NOTHING = { checked: 0, differing: 0, gone: 0, kept: 0, unanswered: 0, by_field: {} }
const round = (more: Partial<DriftRound> = {}): DriftRound => ({
  ...{ pipeline: 'shop', startedAt: 1000, endedAt: undefined, after: 'K3', counts: NOTHING, ...more },
})
const due = (last: DriftRound | undefined, now: number) =>
  dueRound(last, { pipeline: 'shop', every: 100, now })

describe('a round', () => {
  const ended = round({ endedAt: 1010, after: '', counts: { ...NOTHING, checked: 9 } })
  const begun = (now: number) => round({ startedAt: now, after: '' })
  it.each<[string, DriftRound | undefined, number, DriftRound | undefined]>([
    ['begins where there was none', undefined, 5, begun(5)],
    ['is continued where it was interrupted, however late', round(), 9999, round()],
    ['is not due before the time since the last began', ended, 1099, undefined],
    ['is not due in the moment in which the last began', ended, 1000, undefined],
    ['begins after it, with nothing counted', ended, 1100, begun(1100)],
    ['begins where the clock was put back', ended, 999, begun(999)],
  ])('%s', (_, last, now, expected) => {
    expect(due(last, now)).toEqual(expected)
  })

  it('counts each outcome once, however it is cut into steps', () => {
    const outcome = fc.constantFrom<LookOutcome>(
      { kind: 'gone' },
      { kind: 'left' },
      { kind: 'unanswered' },
      { kind: 'seen', drifted: { differing: [], kept: [] } },
      { kind: 'seen', drifted: { differing: ['phone'], kept: ['company'] } },
      { kind: 'seen', drifted: { differing: [], kept: ['phone'] } },
    )
    fc.assert(
      fc.property(fc.array(fc.array(outcome, { maxLength: 4 }), { maxLength: 20 }), (steps) => {
        const stepped = steps.reduce((before, step, n) => roundWith(before, step, `K${n}`), round())
        expect(stepped.counts).toEqual(roundWith(round(), steps.flat(), '').counts)
        const { checked, differing, gone, kept, unanswered } = stepped.counts
        expect(differing + gone + kept).toBeLessThanOrEqual(checked)
        const left = steps.flat().filter(({ kind }) => kind === 'left').length
        expect(checked + unanswered + left).toBe(steps.flat().length)
      }),
    )
  })

  it('adds what a step has found to what the steps before have, field by field', () => {
    const seen = (differing: string[], kept: string[] = []): LookOutcome => ({
      ...{ kind: 'seen', drifted: { differing, kept } },
    })
    const counts = {
      checked: 9,
      differing: 4,
      gone: 2,
      kept: 1,
      unanswered: 3,
      by_field: { phone: 3, fax: 1 },
    }
    const step = [seen(['phone', 'skype']), seen(['phone']), seen([], ['fb']), { kind: 'gone' } as const]
    expect(roundWith(round({ counts }), [...step, { kind: 'unanswered' }], 'K9')).toEqual(
      round({
        after: 'K9',
        counts: {
          ...{ checked: 13, differing: 6, gone: 3, kept: 2, unanswered: 4 },
          by_field: { phone: 5, fax: 1, skype: 1 },
        },
      }),
    )
  })

  it('is above its share only beyond it', () => {
    expect(isAboveShare({ ...NOTHING, checked: 100, differing: 5 }, 0.05)).toBe(false)
    expect(isAboveShare({ ...NOTHING, checked: 100, differing: 6 }, 0.05)).toBe(true)
    expect(isAboveShare(NOTHING, 0)).toBe(false)
  })
})
