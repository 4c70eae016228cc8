// One decision for a doubt, by all that it depends on.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CheckMethod,
  doubtDecision,
  type DoubtFacts,
  doubtStep,
  isRepeatable,
  NOT_DONE_REASON,
  type SentAs,
} from '../../../../src/core/change/lookup/doubt.ts'

const ABSENT = { step: { kind: 'absent' }, matches: 0 } as const
const UNCLEAR = { step: { kind: 'unclear', reason: 'two of them' }, matches: 1 } as const
const WAITING = 'no look-up has settled it yet'

const facts = (own: Partial<DoubtFacts> = {}): DoubtFacts => ({
  ...{ operation: { sent: 1, swallowed: 0, absentReads: 0, notBefore: 100 }, seen: ABSENT, now: 100 },
  ...{ isRepeatable: false, mayResend: false, isHopeless: false, owner: undefined, isStopped: false },
  ...own,
})
const sent = (own: Partial<DoubtFacts['operation']>): Pick<DoubtFacts, 'operation'> => ({
  operation: { ...facts().operation, ...own },
})

const RESEND = { kind: 'resend' }
const OWNED =
  'the look-up did not find it, and it is not sent again while key K7 of this pipeline has its e-mail address, or may have it since an answer was lost'
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
      { isRepeatable: true, owner: 'K7', mayResend: true },
      park(OWNED, 1),
    ],
    [
      "no usable answer, its mail is another key's",
      { isRepeatable: true, owner: 'K7', seen: undefined },
      park(WAITING),
    ],
    [
      "one match that is unclear, its mail is another key's",
      { isRepeatable: true, owner: 'K7', seen: UNCLEAR },
      park('two of them'),
    ],
    ["not repeatable, its mail is another key's", { owner: 'K7', mayResend: true }, RESEND],
    ["not repeatable, not absent often enough, its mail is another key's", { owner: 'K7' }, park(WAITING, 1)],
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
      park('it was sent 20 times, but the service never showed it; it is not sent again automatically', 1),
    ],
    ['swallowed twice', { ...sent({ swallowed: 2 }), mayResend: true }, RESEND],
    [
      'swallowed three times',
      { ...sent({ swallowed: 3 }), mayResend: true },
      park('it was sent once, but the service never showed it; it is not sent again automatically', 1),
    ],
  ])('%s', (_, own, decision) => expect(doubtDecision(facts(own))).toEqual(decision))

  it('adopts what is surely ours, whatever else is so', () =>
    fc.assert(
      fc.property(
        fc.record({
          ...{ isRepeatable: fc.boolean(), mayResend: fc.boolean(), isHopeless: fc.boolean() },
          ...{ owner: fc.option(fc.string(), { nil: undefined }), isStopped: fc.boolean(), now: fc.nat(200) },
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

describe('a look-up about a doubt', () => {
  const sent = { mail: 'a@x.de', first_name: 'A', date_of_birth: '1980-01-01T12:00:00+00:00', mail_status: 4 }
  const shown = (id: number, changes: Record<string, unknown> = {}) => ({
    id,
    fields: {
      mail: 'A@X.de',
      first_name: 'A',
      date_of_birth: '1980-01-01T13:00:00+01:00',
      mail_status: 3,
      ...changes,
    },
  })
  it.each([
    ['nothing there', [], 'none', { kind: 'absent' }],
    ['just ours', [shown(5)], 'none', { kind: 'adopt', contactId: 5 }],
    ['ours among others', [shown(5), shown(6, { first_name: 'B' })], 'none', { kind: 'adopt', contactId: 5 }],
    ['two that look alike', [shown(5), shown(6)], 'none', { kind: 'unclear' }],
    [
      'others only, under none',
      [shown(6, { first_name: 'B', date_of_birth: '1981-02-02' })],
      'none',
      { kind: 'absent' },
    ],
    ['perhaps ours, renamed since', [shown(6, { first_name: 'B' })], 'none', { kind: 'unclear' }],
    ['perhaps ours, changed since', [shown(6, { date_of_birth: '1981-02-02' })], 'none', { kind: 'unclear' }],
    [
      'another, of whom nothing is known',
      [{ id: 6, fields: { mail: 'a@x.de' } }],
      'none',
      { kind: 'absent' },
    ],
    ['others only, under auto', [shown(6, { first_name: 'B' })], 'auto', { kind: 'unclear' }],
  ] as const)('%s', (_, found, check, expected) => {
    const as = { check, merge: 'update_add', marker: undefined, ofOthers: new Map() } as const
    expect(doubtStep(sent, { contacts: found, others: [] }, as)).toMatchObject(expected)
  })

  it('about a contact of which names alone were sent: whoever has the mail may be ours, renamed', () => {
    const as = { check: 'none', merge: 'update_add', marker: undefined, ofOthers: new Map() } as const
    const seen = { contacts: [shown(6, { first_name: 'B' })], others: [] }
    expect(doubtStep({ mail: 'a@x.de', first_name: 'A' }, seen, as)).toMatchObject({ kind: 'unclear' })
  })

  it.each([
    [
      'shows part of what was sent',
      { first_name: 'A' },
      { none: 'unclear', auto: 'unclear', email: 'absent' },
    ],
    ['shows nothing of it', { first_name: 'B' }, { none: 'absent', auto: 'absent', email: 'absent' }],
  ] as const)('where a contact of another mail %s', (_, fields, expected) => {
    for (const check of ['none', 'auto', 'email'] as const) {
      const as = { check, merge: 'update_add', marker: undefined, ofOthers: new Map() } as const
      const seen = { contacts: [], others: [{ id: 6, fields: { mail: 'ab@x.de', ...fields } }] }
      expect([check, doubtStep(sent, seen, as).kind]).toEqual([check, expected[check]])
    }
  })

  it.each([
    ['with what that one sent', { first_name: 'A', date_of_birth: '1980-01-01T12:00:00+00:00' }, 'absent'],
    ['with more than that one sent', { first_name: 'A' }, 'unclear'],
  ] as const)('about a contact that another pipeline has, %s', (_, pushed, kind) => {
    const ofOthers = new Map([[6, pushed]])
    const seen = { contacts: [shown(6, { mail: 'a@x.de', mail_status: 1, phone: '1' })], others: [] }
    const as = { check: 'none', merge: 'update_add', marker: undefined, ofOthers } as const
    expect(doubtStep({ ...sent, phone: '2' }, seen, as)).toMatchObject({ kind })
    // A merge takes the marker away.
    const marked = { ...as, marker: { key: 'sync_marker', text: 'i.r.1' } }
    expect(doubtStep({ ...sent, phone: '2' }, seen, marked)).toMatchObject({ kind })
  })

  const marker = { key: 'sync_marker', text: 'i.r.1' }
  const marked = (id: number, text: string) => shown(id, { sync_marker: text, first_name: 'changed since' })
  it.each([
    [
      'ours, though it was changed since',
      [marked(5, 'i.r.1')],
      'email',
      'update_add',
      { kind: 'adopt', contactId: 5 },
    ],
    [
      'ours among several of that mail',
      [marked(5, 'i.r.2'), marked(6, 'i.r.1')],
      'email',
      'add',
      { kind: 'adopt', contactId: 6 },
    ],
    ['made by another operation', [marked(5, 'i.r.2')], 'none', 'add', { kind: 'absent' }],
    ['not merged into, for that would have left it', [shown(5)], 'email', 'update_add', { kind: 'absent' }],
    ['perhaps merged into without leaving it', [shown(5)], 'email', 'add', { kind: 'adopt', contactId: 5 }],
    ['twice', [marked(5, 'i.r.1'), marked(6, 'i.r.1')], 'none', 'add', { kind: 'unclear' }],
  ] as const)('by its marker: %s', (_, found, check, merge, expected) => {
    expect(
      doubtStep(sent, { contacts: found, others: [] }, { check, merge, marker, ofOthers: new Map() }),
    ).toMatchObject(expected)
  })

  it('may be sent again at once only with a mail under email', () => {
    expect(isRepeatable({ mail: 'a@x.de' }, 'email')).toBe(true)
    expect(isRepeatable({ mail: 'a@x.de' }, 'none')).toBe(false)
    expect(isRepeatable({ mail: 'a@x.de' }, 'auto')).toBe(false)
    expect(isRepeatable({ first_name: 'A' }, 'email')).toBe(false)
  })

  it('may not be sent again at once where its mail is blank', () =>
    expect(isRepeatable({ mail: '' }, 'email')).toBe(false))

  const step = (
    check: CheckMethod,
    contacts: readonly ReturnType<typeof shown>[],
    as: Partial<SentAs> = {},
  ) => doubtStep(sent, { contacts, others: [] }, { ...AS, check, ...as })
  const AS: SentAs = { check: 'none', merge: 'update_add', marker: undefined, ofOthers: new Map() }
  const OTHER = { first_name: 'B', date_of_birth: '1981-02-02' }

  it.each<[string, unknown, string]>([
    [
      'several of the mail under email',
      step('email', [shown(5), shown(6, OTHER)]),
      'the service has 2 contacts with this e-mail address',
    ],
    [
      'two that look alike',
      step('auto', [shown(5), shown(6)]),
      '2 contacts at the service look exactly like it',
    ],
    [
      'one that shows nothing of it, where it may have been merged',
      step('auto', [shown(5, OTHER)]),
      'the service has contacts with this e-mail address, and none of them shows all that was sent',
    ],
    [
      'two with the marker',
      step('none', [marked(5, 'i.r.1'), marked(6, 'i.r.1')], { marker }),
      '2 contacts at the service carry the marker of this operation',
    ],
    [
      'one of another mail',
      doubtStep(sent, { contacts: [], others: [shown(6)] }, AS),
      'the look-up returned contact 6 with another e-mail address, which shows part of what was sent',
    ],
  ])('says why it is unclear: %s', (_, found, reason) => expect(found).toEqual({ kind: 'unclear', reason }))

  it('under none, one among several that shows part of what was sent may be ours', () =>
    expect(step('none', [shown(5, OTHER), shown(6, { first_name: 'B' })])).toMatchObject({ kind: 'unclear' }))

  it('with a marker, a contact of another mail may be ours all the same', () =>
    expect(doubtStep(sent, { contacts: [], others: [shown(6)] }, { ...AS, marker })).toMatchObject({
      kind: 'unclear',
    }))

  it('under email or auto a contact without the marker is not ours, whoever has it', () => {
    const ofOthers = new Map([[6, {}]])
    for (const check of ['email', 'auto'] as const)
      expect(step(check, [shown(6)], { marker, ofOthers })).toEqual({ kind: 'absent' })
    expect(step('none', [shown(6)], { marker, ofOthers })).toEqual({ kind: 'adopt', contactId: 6 })
  })
})

it('what an operator says of a doubt stands as its reason', () =>
  expect(NOT_DONE_REASON).toBe('resolved as not done by an operator; it is tried again'))
