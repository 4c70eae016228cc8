// Evidence of a consent: what may be raised, and what the sync log says of it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  evidenceText,
  lackOf,
  lackText,
  withoutConsent,
} from '../../../../src/core/change/consents/evidence.ts'
import { isConsent } from '../../../../src/core/mapping/values/consent.ts'
import { DAY_MS } from '../../../../src/core/words/duration.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
const WITHDRAWN = Date.UTC(2026, 4, 1, 23, 30)

describe('a contact', () => {
  it.each([
    ['is not raised without evidence', undefined, undefined, 'missing'],
    ['is raised with it', '2026-05-01', undefined, undefined],
    ['is raised by evidence of today', '2026-11-23', undefined, undefined],
    ['is raised by evidence of a day that has begun further east', '2026-11-24', undefined, undefined],
    ['is not raised by evidence of a day to come', '2026-11-25', undefined, 'future'],
    ['is not raised by evidence of the day of the withdrawal', '2026-05-01', WITHDRAWN, 'earlier'],
    ['is not raised by evidence from before it', '2019-01-01', WITHDRAWN, 'earlier'],
    ['is raised by evidence of the day after', '2026-05-02', WITHDRAWN, undefined],
  ])('%s', (_, at, withdrawnAt, lack) => {
    const evidence = at === undefined ? undefined : { at }
    expect(lackOf(evidence, { withdrawnAt, now: NOW })).toBe(lack)
  })

  it('is judged by the days of the source', () => {
    // In Berlin it is the second of May already.
    const asked = { withdrawnAt: WITHDRAWN, now: NOW, zone: 'Europe/Berlin' }
    expect(lackOf({ at: '2026-05-02' }, asked)).toBe('earlier')
    expect(lackOf({ at: '2026-05-03' }, asked)).toBeUndefined()
  })

  it('that was withdrawn at any time is raised by later evidence alone', () => {
    const day = fc.integer({ min: 0, max: 3000 }).map((days) => NOW - days * DAY_MS)
    fc.assert(
      fc.property(day, day, (given, withdrawnAt) => {
        const at = new Date(given).toISOString().slice(0, 10)
        const isLater = at > new Date(withdrawnAt).toISOString().slice(0, 10)
        expect(lackOf({ at }, { withdrawnAt, now: NOW })).toBe(isLater ? undefined : 'earlier')
      }),
    )
  })
})

it('only 4 and 7 are consents, and only they are left out', () => {
  expect([undefined, 1, 2, 3, 4, 5, 6, 7].filter(isConsent)).toEqual([4, 7])
  expect(withoutConsent({ mail: 'a@b.example', mail_status: 7 })).toStrictEqual({ mail: 'a@b.example' })
  expect(withoutConsent({ mail: 'a@b.example', mail_status: 2 })).toStrictEqual({
    mail: 'a@b.example',
    mail_status: 2,
  })
  expect(withoutConsent({ mail: 'a@b.example' })).toStrictEqual({ mail: 'a@b.example' })
})

it.each([
  ['missing', 'the record has no evidence of a consent (require_evidence)'],
  ['future', 'the evidence of its consent is of a day that has not come yet'],
  ['earlier', 'the evidence of its consent is not later than the day on which a 1 or 2 was first seen'],
] as const)('a person is told what is wrong with the evidence: %s', (lack, text) => {
  expect(lackText(lack)).toBe(text)
})

it.each([
  [{ at: '2026-05-01' }, 'consent of 2026-05-01'],
  [{ at: '2026-05-01', source: 'fair' }, 'consent of 2026-05-01, fair'],
  [{ at: '2026-05-01', source: 'fair', text: 'Yes' }, 'consent of 2026-05-01, fair: "Yes"'],
])('%j reads %s', (evidence, text) => {
  expect(evidenceText(evidence)).toBe(text)
})
