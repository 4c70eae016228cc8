// The sets of states, by what a change of each may do.
import { describe, expect, it } from 'vitest'
import {
  JUDGED_AGAIN,
  OPERATION_STATES,
  OVERTAKABLE,
  REMAINING,
  RETRIED,
  SETTLED_SO_FAR,
  UNCERTAIN,
} from '../../../src/core/change/states.ts'

const SETS: Readonly<Record<string, readonly string[]>> = {
  ...{ UNCERTAIN, OVERTAKABLE, SETTLED_SO_FAR, RETRIED, JUDGED_AGAIN, REMAINING },
}

describe('the sets of states', () => {
  it.each([
    ['planned', ['SETTLED_SO_FAR', 'REMAINING']],
    ['sending', ['UNCERTAIN', 'REMAINING']],
    ['in_doubt', ['UNCERTAIN']],
    ['held', ['OVERTAKABLE', 'SETTLED_SO_FAR', 'JUDGED_AGAIN']],
    ['failed', ['OVERTAKABLE', 'SETTLED_SO_FAR', 'RETRIED', 'JUDGED_AGAIN']],
    ['waiting', ['OVERTAKABLE', 'SETTLED_SO_FAR', 'RETRIED']],
  ])('a change that is %s belongs to %j', (state, sets) => {
    expect(OPERATION_STATES).toContain(state)
    expect(Object.keys(SETS).filter((name) => SETS[name]?.includes(state))).toEqual(sets)
  })

  it('part what may be under way from what is not, and leave none out', () => {
    expect([...UNCERTAIN, ...SETTLED_SO_FAR].sort()).toEqual([...OPERATION_STATES].sort())
    expect(OVERTAKABLE).not.toContain('planned')
  })
})
