// The pace of a run, and what it says of the rest of its stage.
import { describe, expect, it } from 'vitest'
import { beginsPhase, NOT_BEGUN, paceOf } from '../../../src/core/outcome/run-progress.ts'

const reading = { ...NOT_BEGUN, phase: 'read', file: 2, files: 3, bytesTotal: 1000 } as const
const sending = { ...NOT_BEGUN, phase: 'apply', planned: 100 } as const

describe('the pace', () => {
  it('of reading goes by the bytes of the file, and counts the records since the file began', () => {
    const first = { ...reading, read: 400 }
    const now = { ...reading, read: 600, bytesRead: 250, requests: 10 }
    expect(paceOf({ now, first, elapsedMs: 2000 })).toEqual({
      perSecond: 100,
      requestsPerSecond: 5,
      share: 0.25,
      leftMs: 6000,
    })
  })

  it('of sending goes by the changes that have an outcome', () => {
    const first = { ...sending, applied: 20, requests: 30 }
    const now = { ...sending, applied: 60, requests: 50 }
    expect(paceOf({ now, first, elapsedMs: 4000 })).toEqual({
      perSecond: 10,
      requestsPerSecond: 5,
      share: 0.6,
      leftMs: 4000,
    })
  })

  it.each([
    ['nothing was done yet', { now: sending, first: sending, elapsedMs: 500 }, 0],
    ['no time has passed', { now: { ...sending, applied: 50 }, first: sending, elapsedMs: 0 }, 0.5],
    [
      'the size of the file is not known',
      { now: { ...reading, bytesTotal: 0 }, first: reading, elapsedMs: 9 },
      undefined,
    ],
    [
      'doubts are waited for',
      { now: { ...sending, phase: 'settle' as const }, first: sending, elapsedMs: 9 },
      undefined,
    ],
  ])('is not known where %s', (_, watched, share) => {
    expect(paceOf(watched)).toMatchObject({ share, leftMs: undefined })
  })

  it('never says that less than nothing is left, or more than all is done', () => {
    const now = { ...reading, bytesRead: 1200, read: 1 }
    expect(paceOf({ now, first: reading, elapsedMs: 10 })).toMatchObject({ share: 1, leftMs: 0 })
  })
})

it('a stage begins with another phase, or with the next file', () => {
  expect(beginsPhase({ phase: 'apply' }, reading)).toBe(true)
  expect(beginsPhase({ phase: 'read', file: 3 }, reading)).toBe(true)
  expect(beginsPhase({ phase: 'read', read: 9 }, reading)).toBe(false)
  expect(beginsPhase({ requests: 1 }, reading)).toBe(false)
})
