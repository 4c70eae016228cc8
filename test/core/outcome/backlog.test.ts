// What is on its way and what is in doubt: the same rows of the state, told apart by whether a run still waits for them.
import { expect, it } from 'vitest'
import { currentBacklog, isRunOfOwner, NO_BACKLOG } from '../../../src/core/outcome/backlog.ts'

it('counts what is being sent as on its way while the pipeline runs, and as in doubt once nobody waits for the answer', () => {
  const backlog = { ...NO_BACKLOG, linked: 5, inDoubt: 1, onItsWay: 3 }
  expect(currentBacklog(backlog, true)).toEqual(backlog)
  expect(currentBacklog(backlog, false)).toEqual({ ...backlog, inDoubt: 4, onItsWay: 0 })
})

it.each([
  ['no run', undefined, 10, false],
  ['one that has ended', { startedAt: 20, endedAt: 30 }, 10, false],
  ['one that no process can make', { startedAt: 20, endedAt: undefined }, undefined, false],
  ['one that began since the process has the state', { startedAt: 20, endedAt: undefined }, 10, true],
  ['one that began before, and was cut off', { startedAt: 20, endedAt: undefined }, 21, false],
  [
    'one of a process that took it by a clock that was ahead',
    { startedAt: 20, endedAt: undefined },
    900,
    true,
  ],
])('says of %s whether it is active', (_, run, since, expected) => {
  expect(isRunOfOwner(run, since, 100)).toBe(expected)
})
