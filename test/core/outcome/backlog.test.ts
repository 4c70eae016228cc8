// What is on its way and what is in doubt: the same rows of the state, told apart by whether a run still waits for them.
import { expect, it } from 'vitest'
import { currentBacklog, NO_BACKLOG } from '../../../src/core/outcome/backlog.ts'

it('counts what is being sent as on its way while the pipeline runs, and as in doubt once nobody waits for the answer', () => {
  const backlog = { ...NO_BACKLOG, linked: 5, inDoubt: 1, onItsWay: 3 }
  expect(currentBacklog(backlog, true)).toEqual(backlog)
  expect(currentBacklog(backlog, false)).toEqual({ ...backlog, inDoubt: 4, onItsWay: 0 })
})
