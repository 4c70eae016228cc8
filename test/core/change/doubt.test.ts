// One decision for a doubt, by all that it depends on.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { doubtDecision, type DoubtFacts } from '../../../src/core/change/doubt.ts'

const ABSENT = { step: { kind: 'absent' }, matches: 0 } as const
const UNCLEAR = { step: { kind: 'unclear', reason: 'two of them' }, matches: 1 } as const
const WAITING = 'no look-up has settled it yet'

const facts = (own: Partial<DoubtFacts> = {}): DoubtFacts => ({
  ...{ operation: { sent: 1, swallowed: 0, absentReads: 0, notBefore: 100 }, seen: ABSENT, now: 100 },
  ...{ isRepeatable: false, mayResend: false, isHopeless: false, isOwned: false, isStopped: false },
  ...own,
})
const sent = (own: Partial<DoubtFacts['operation']>): Pick<DoubtFacts, 'operation'> => ({
  operation: { ...facts().operation, ...own },
})

const RESEND = { kind: 'resend' }
const park = (reason: string, absentReads = 0) => ({ kind: 'park', reason, absentReads })

describe('a doubt', () => {
  it.each<[string, Partial<DoubtFacts>, unknown]>([
    ['absent often enough', { mayResend: true }, RESEND],
    ['absent, not often enough', {}, park(WAITING, 1)],
    ['absent, looked at too early', { now: 99 }, park(WAITING, 0)],
    ['absent once more', sent({ absentReads: 2 }), park(WAITING, 3)],
    ['no usable answer', { seen: undefined, mayResend: true, isRepeatable: true }, park(WAITING)],
    ['repeatable', { isRepeatable: true }, RESEND],
    ['repeatable, one match', { isRepeatable: true, seen: UNCLEAR }, RESEND],
    [
      'repeatable, several matches',
      { isRepeatable: true, seen: { ...UNCLEAR, matches: 2 } },
      park('two of them'),
    ],
    [
      "repeatable, its mail is another key's",
      { isRepeatable: true, isOwned: true, mayResend: true },
      park(WAITING, 1),
    ],
    ["not repeatable, its mail is another key's", { isOwned: true, mayResend: true }, RESEND],
    ['repeatable, would not be sent', { isRepeatable: true, isHopeless: true }, park(WAITING, 1)],
    [
      'would not be sent, absent often enough',
      { isRepeatable: true, isHopeless: true, mayResend: true },
      RESEND,
    ],
    ['the run has ended', { isStopped: true, mayResend: true }, park(WAITING, 1)],
    ['unclear', { seen: UNCLEAR, mayResend: true }, park('two of them')],
    ['sent 19 times', { ...sent({ sent: 19 }), mayResend: true }, RESEND],
    [
      'sent 20 times',
      { ...sent({ sent: 20 }), mayResend: true },
      park('it was sent 20 times, and the service never showed it; it is not sent again by itself', 1),
    ],
    ['swallowed twice', { ...sent({ swallowed: 2 }), mayResend: true }, RESEND],
    [
      'swallowed three times',
      { ...sent({ swallowed: 3 }), mayResend: true },
      park('it was sent 1 times, and the service never showed it; it is not sent again by itself', 1),
    ],
  ])('%s', (_, own, decision) => expect(doubtDecision(facts(own))).toEqual(decision))

  it('adopts what is surely ours, whatever else is so', () =>
    fc.assert(
      fc.property(
        fc.record({
          ...{ isRepeatable: fc.boolean(), mayResend: fc.boolean(), isHopeless: fc.boolean() },
          ...{ isOwned: fc.boolean(), isStopped: fc.boolean(), now: fc.nat(200) },
        }),
        fc.nat(40),
        (own, times) => {
          const seen = { step: { kind: 'adopt', contactId: 9 }, matches: 1 } as const
          const decision = doubtDecision(facts({ ...own, ...sent({ sent: times }), seen }))
          expect(decision).toEqual({ kind: 'adopt', contactId: 9 })
        },
      ),
    ))
})
