// What becomes of a change when one step of it has ended, ending by ending: what is known, what is put aside and what is
// put back. The whole decision is compared, so that nothing else comes of it.
import { describe, expect, it } from 'vitest'
import { MERGED_REASON } from '../../../src/core/change/diff.ts'
import type { Operation, Settled, Settlement } from '../../../src/core/change/operation.ts'
import { SENDING_ORDER } from '../../../src/core/change/steps.ts'
import type { Contact } from '../../../src/core/mapping/contact.ts'
import type { AssertedTerm } from '../../../src/core/mapping/terms.ts'
import { after, operationWith } from '../../support/operation.ts'

const TERMS = { add: ['Customer'], remove: [], asserts: ['Customer'] }
const DONE: Settlement = { kind: 'done', contactId: 7 }

const linkAfter = (operation: Operation, settlement: Settlement, more: Partial<Settled> = {}) => {
  const decision = after(operation, settlement, more)
  if (decision.kind !== 'linked') throw new Error(decision.kind)
  return decision.link
}

describe('a step that is done', () => {
  it.each([
    ['of a missing record', operationWith({ kind: 'terms', cause: 'missing', terms: TERMS }), false],
    [
      'that puts something back',
      operationWith({ kind: 'update', undoes: 'r0', fields: { phone: '1' } }),
      false,
    ],
    ['of a record', operationWith({ kind: 'update', fields: { phone: '1' } }), true],
  ])('%s: settled in its form?', (_, operation, isSettled) =>
    expect(after(operation, { kind: 'done', contactId: 7 }, { sent: { phone: '1' } })).toMatchObject({
      ...{ kind: 'linked', next: undefined, isSettled },
      settlement: { kind: 'done', contactId: 7 },
    }),
  )

  it('puts back only what was sent, and knows nothing else by it', () => {
    const operation = operationWith({ kind: 'update', undoes: 'r0', desired: { phone: '1', title: 'x' } })
    expect(linkAfter(operation, DONE, { sent: { phone: '1' } }).known).toStrictEqual({ phone: '1' })
    expect(linkAfter(operation, DONE).known).toStrictEqual({})
  })

  it('marks what its record gives up as often as it was pushed, and knows what that was', () => {
    const known = { phone: '1', fax: '2', skype: '' }
    const givesUp = ['phone', 'fax', 'skype', 'mobile']
    const unsure = ['title', 'given up fax', 'given up phone']
    for (const kind of ['update', 'terms'] as const) {
      const operation = operationWith({ kind, known, unsure: unsure.slice(0, 2), givesUp })
      expect(linkAfter(operation, { kind: 'settled' })).toMatchObject({ known, unsure })
    }
  })

  it('ends the mark of what its record sends again, though it was withheld, but not by an undo', () => {
    const own = {
      ...{ fields: { phone: '1', fax: '' }, desired: { phone: '1', fax: '', skype: '3' } },
      unsure: ['given up phone', 'given up fax', 'given up skype'],
    }
    const ended = { unsure: ['given up fax', 'given up skype'] }
    const update = operationWith({ kind: 'update', ...own })
    expect(linkAfter(update, DONE)).toMatchObject(ended)
    const withheld = { sent: {}, withheld: ['phone'] }
    expect(linkAfter(update, { kind: 'settled' }, withheld)).toMatchObject(ended)
    const undo = operationWith({ kind: 'update', ...own, undoes: 'r0' })
    expect(linkAfter(undo, DONE, { sent: { phone: '1' } })).toMatchObject({ unsure: own.unsure })
    const consent = operationWith({ kind: 'consent', ...own, consent: 2 })
    expect(linkAfter(consent, DONE)).toMatchObject({ unsure: own.unsure })
  })

  it('knows neither what was withheld nor a mail_status that was ignored', () => {
    const operation = operationWith({
      ...{ kind: 'update', fields: { phone: '1', title: 'x' } },
      ...{ desired: { phone: '1', title: 'x', mail_status: 4 }, unsure: ['phone', 'title', 'mobile'] },
    })
    const done = after(
      operation,
      { kind: 'done', contactId: 7 },
      { sent: { phone: '1' }, withheld: ['title'] },
    )
    expect(done).toMatchObject({ link: { known: { phone: '1' }, unsure: ['mobile'] } })
    const ignored = after(
      operationWith({ kind: 'consent', consent: 4, unsure: ['phone', 'mail_status'] }),
      { kind: 'settled', reason: 'not taken' },
      { status: 'ignored' },
    )
    expect(ignored).toMatchObject({ link: { known: {}, unsure: ['phone', 'mail_status'] } })
  })

  const contact = { mail: 'a@x.de', phone: '1' }
  const desired: Contact = { ...contact, mail_status: 4 }
  it.each<[string, Operation, Settlement, Partial<Settled>, Contact]>([
    [
      'a create: all but a mail_status that was not seen',
      operationWith({ kind: 'create', desired, consent: 4 }),
      DONE,
      {},
      contact,
    ],
    [
      'a create with a mail_status that was taken',
      operationWith({ kind: 'create', desired, consent: 4 }),
      DONE,
      { status: 'taken' },
      desired,
    ],
    [
      'a create without a mail_status, whatever was taken',
      operationWith({ kind: 'create', desired: contact }),
      DONE,
      { status: 'taken' },
      contact,
    ],
    [
      'a create that found its contact: the mail',
      operationWith({ kind: 'create', desired }),
      { kind: 'settled', contactId: 9 },
      {},
      { mail: 'a@x.de' },
    ],
    [
      'one that found it without a mail: nothing',
      operationWith({ kind: 'create', desired: { phone: '1' } }),
      { kind: 'settled', contactId: 9 },
      {},
      {},
    ],
    [
      'an update of which nothing had to be sent: all',
      operationWith({ kind: 'update', desired: contact }),
      { kind: 'settled' },
      {},
      contact,
    ],
    [
      'an update: not what was withheld',
      operationWith({ kind: 'update', desired: contact }),
      DONE,
      { withheld: ['mail'] },
      { phone: '1' },
    ],
    ['terms: nothing', operationWith({ kind: 'terms', desired, terms: TERMS, consent: 4 }), DONE, {}, {}],
    [
      'a consent: its mail_status alone',
      operationWith({ kind: 'consent', desired, consent: 4 }),
      DONE,
      { status: 'taken' },
      { mail_status: 4 },
    ],
    [
      'a consent that was ignored: nothing',
      operationWith({ kind: 'consent', desired, consent: 4 }),
      { kind: 'settled' },
      { status: 'ignored' },
      {},
    ],
  ])('settles of the contact after %s', (_, operation, settlement, more, known) => {
    const before = { ...operation, known: { fax: '9' } }
    expect(linkAfter(before, settlement, more).known).toStrictEqual({ fax: '9', ...known })
  })

  it('leaves unsure what it did not settle, and a mail_status that was ignored', () => {
    const unsure = ['phone', 'fax']
    const update = operationWith({ kind: 'update', unsure, desired: { phone: '1' } })
    expect(linkAfter(update, DONE).unsure).toEqual(['fax'])
    expect(linkAfter(update, DONE, { withheld: ['fax'] }).unsure).toEqual([])
    const consent = operationWith({ kind: 'consent', unsure, consent: 4 })
    expect(linkAfter(consent, DONE, { status: 'taken' }).unsure).toEqual(unsure)
    expect(linkAfter(consent, { kind: 'settled' }, { status: 'ignored' }).unsure).toEqual([
      ...unsure,
      'mail_status',
    ])
  })

  it('knows a contact as fresh only where its own create says so', () => {
    const create = operationWith({ kind: 'create', contactId: undefined })
    expect(linkAfter(create, DONE, { isFresh: true }).isFresh).toBe(true)
    expect(linkAfter(create, DONE).isFresh).toBe(false)
  })

  it('hands on what became of the terms, and the mail of the contact in its form for comparison', () => {
    const terms = { added: ['Customer'], removed: [], asserts: [] }
    const known = { mail: 'A@X.de' }
    const link = linkAfter(operationWith({ kind: 'terms', terms: TERMS, known }), DONE, { terms })
    expect(link).toStrictEqual({
      ...{ contactId: 7, known, mailKey: 'a@x.de', bringsMail: false, unsure: [], isFresh: false, terms },
    })
  })

  it.each<[string, Operation, Settlement, Settlement]>([
    ['done, by itself', operationWith({ kind: 'update' }), DONE, DONE],
    [
      'done, of a missing record, by itself',
      operationWith({ kind: 'terms', cause: 'missing' }),
      { kind: 'settled' },
      { kind: 'settled' },
    ],
    [
      'settled, by what was done before',
      operationWith({ kind: 'terms', outcome: 'created' }),
      { kind: 'settled', reason: 'x' },
      { kind: 'settled', reason: 'x', outcome: 'created' },
    ],
    [
      'settled at once, unchanged',
      operationWith({ kind: 'update' }),
      { kind: 'settled' },
      { kind: 'settled', outcome: 'unchanged' },
    ],
  ])('counts where it was the last one and %s', (_, operation, settlement, counted) => {
    const decision = after(operation, settlement)
    expect(decision.settlement).toStrictEqual(counted)
    expect(decision.logged).toStrictEqual(counted)
  })

  it('plans its next step with all that the step needs', () => {
    const fields = { mail: 'A@x.de' }
    const operation = operationWith({ kind: 'consent', fields, consent: 1, terms: TERMS })
    const next = { ...DONE, next: 'update' }
    expect(after(operation, DONE, { status: 'taken' })).toStrictEqual({
      kind: 'linked',
      link: linkAfter(operation, DONE, { status: 'taken' }),
      next: {
        ...{ kind: 'update', contactId: 7, mailKey: 'a@x.de', fields, consent: undefined },
        ...{ outcome: 'updated', order: SENDING_ORDER.update },
      },
      ...{ isSettled: false, settlement: next, logged: next },
    })
  })

  it.each([
    ['a create', operationWith({ kind: 'create', fields: {} }), undefined, true],
    ['an update with a mail', operationWith({ kind: 'update', fields: { mail: 'a@x.de' } }), undefined, true],
    ['one whose mail was not sent', operationWith({ kind: 'update', fields: { mail: 'a@x.de' } }), {}, false],
    ['one without a mail', operationWith({ kind: 'update', fields: { phone: '1' } }), undefined, false],
    ['terms', operationWith({ kind: 'terms', fields: { mail: 'a@x.de' }, terms: TERMS }), undefined, false],
    [
      'a withdrawal before an update',
      operationWith({ kind: 'consent', fields: { mail: 'a@x.de' }, consent: 1 }),
      undefined,
      false,
    ],
  ])('%s: has the contact the mail now?', (_, operation, sent, bringsMail) =>
    expect(
      after(operation, { kind: 'done', contactId: 7 }, sent === undefined ? {} : { sent }),
    ).toMatchObject({ link: { bringsMail } }),
  )

  const edit = (field: string) => ({ field, rule: 'keep', sent: 'a', service: 'c', source: 'b' }) as const
  it.each<[string, Contact, Partial<Settled>, boolean]>([
    ['the look has shown it there', { mail: 'b@x.de' }, {}, true],
    ['nothing of it was planned', { phone: '1' }, {}, false],
    ['it was withheld', { mail: 'b@x.de' }, { withheld: ['mail'] }, false],
    ['another field was withheld', { mail: 'b@x.de' }, { withheld: ['phone'] }, true],
    [
      'a user has written another',
      { mail: 'b@x.de' },
      { merged: { judged: [], edits: [edit('mail')] } },
      false,
    ],
    [
      'a user has written elsewhere',
      { mail: 'b@x.de' },
      { merged: { judged: [], edits: [edit('phone')] } },
      true,
    ],
  ])('where edits are kept, and %s: has the contact the mail now?', (_, fields, more, bringsMail) => {
    const operation = operationWith({ kind: 'update', fields, desired: fields })
    const merged = { judged: [], edits: [] }
    expect(after(operation, DONE, { sent: {}, merged, ...more })).toMatchObject({ link: { bringsMail } })
  })

  it('at a contact of another key is held, and names it', () =>
    expect(
      after(
        operationWith({ kind: 'create' }),
        { kind: 'done', contactId: 9 },
        {},
        { isAnothers: (id) => id === 9 },
      ),
    ).toMatchObject({
      kind: 'parked',
      parked: { state: 'held', reason: MERGED_REASON, contactId: 9 },
      settlement: { kind: 'held', reason: MERGED_REASON, contactId: 9 },
    }))

  it('finds a contact instead of creating it: linked by its mail alone, and its fields go next', () => {
    const contact = { mail: 'a@x.de', phone: '1' }
    const operation = operationWith({
      kind: 'create',
      contactId: undefined,
      fields: contact,
      desired: contact,
    })
    const found = after({ ...operation, consent: 2 }, { kind: 'settled', contactId: 9 })
    expect(found).toMatchObject({
      link: { contactId: 9, known: { mail: 'a@x.de' } },
      next: { kind: 'consent', fields: contact, mailKey: 'a@x.de', contactId: 9, outcome: 'unchanged' },
      settlement: { kind: 'settled', next: 'consent' },
    })
    expect(after(operation, { kind: 'settled', contactId: 9 }, {}, { isAnothers: () => true })).toMatchObject(
      {
        kind: 'parked',
      },
    )
    expect(() => after(operation, { kind: 'settled' })).toThrow('settled without a contact')
  })
})

const asserted = (name: string, more: Partial<AssertedTerm> = {}): AssertedTerm => ({
  ...{ name, ours: false, shared: false, unsure: false },
  ...more,
})

describe('a step that is not done', () => {
  const update = operationWith({ kind: 'update', unsure: ['phone'] })
  const terms = operationWith({ kind: 'terms', terms: TERMS, asserted: [] })

  it.each([
    ['an update', update, { kind: 'failed', reason: 'x' }, {}, { unsure: ['phone'] }],
    ['a consent', operationWith({ kind: 'consent' }), { kind: 'failed', reason: 'x' }, {}, { unsure: [] }],
    ['one that may have been applied', update, { kind: 'failed', reason: 'x', unknown: true }, {}, {}],
    ['terms', terms, { kind: 'failed', reason: 'x' }, {}, { terms: [] }],
    [
      'terms of which some were given',
      operationWith({
        kind: 'terms',
        terms: { add: ['New', 'a'], remove: ['Old'], asserts: ['New', 'A', 'Stays'] },
        asserted: [asserted('A', { ours: true, unsure: true }), asserted('Old'), asserted('Stays')],
      }),
      { kind: 'failed', reason: 'x', unknown: true },
      {
        given: [
          { name: 'New', ours: true },
          { name: 'a', ours: false },
        ],
      },
      {
        terms: [
          asserted('Old', { unsure: true }),
          asserted('Stays'),
          asserted('New', { ours: true }),
          asserted('a', { ours: true }),
        ],
      },
    ],
    [
      'the first terms, of which some were given',
      operationWith({ kind: 'terms' }),
      { kind: 'failed', reason: 'x' },
      { given: [{ name: 'New', ours: true }] },
      { terms: [asserted('New', { ours: true })] },
    ],
    [
      'the first terms',
      operationWith({ kind: 'terms' }),
      { kind: 'failed', reason: 'x' },
      {},
      { terms: null },
    ],
    ['a create', operationWith({ kind: 'create' }), { kind: 'failed', reason: 'x' }, {}, {}],
    [
      'a rejected update',
      update,
      { kind: 'rejected', code: 'REFUSED', reason: 'x' },
      {},
      { unsure: ['phone'] },
    ],
  ] as const)('%s: what is known again', (_, operation, settlement, more, restored) => {
    const parked = {
      ...{ state: 'failed', reason: 'x', notBefore: 0, absentReads: 0 },
      ...{ contactId: undefined, isSwallowed: false, isGone: false },
    }
    const kind =
      settlement.kind === 'failed'
        ? { kind: 'parked', parked }
        : { kind: 'rejected', code: settlement.code, reason: 'x' }
    expect(after(operation, settlement, more)).toStrictEqual({
      ...kind,
      restored,
      settlement,
      logged: settlement,
    })
  })

  it.each([
    ['POST', 200, true],
    ['POST', 204, true],
    ['POST', 199, false],
    ['POST', 300, false],
    ['POST', undefined, false],
    ['GET', 200, false],
  ] as const)('in doubt after a %s answered by %s: counted as swallowed?', (method, status, isSwallowed) => {
    const request = { method, path: '/contact', status, attempts: 1 }
    const settlement = { kind: 'in_doubt', reason: 'x', notBefore: 5, absentReads: 2 } as const
    expect(after(operationWith({ kind: 'create' }), settlement, { request })).toStrictEqual({
      kind: 'parked',
      parked: {
        ...{ state: 'in_doubt', reason: 'x', notBefore: 5, absentReads: 2 },
        ...{ contactId: undefined, isSwallowed, isGone: false },
      },
      ...{ restored: {}, settlement, logged: settlement },
    })
  })

  it('in doubt without a request: neither missing nor swallowed once more', () =>
    expect(
      after(operationWith({ kind: 'create' }), { kind: 'in_doubt', reason: 'x', notBefore: 5 }),
    ).toMatchObject({ parked: { absentReads: 0, isSwallowed: false } }))

  it('is held with what it is about, and marks a contact that is gone', () => {
    expect(after(update, { kind: 'held', reason: 'x', gone: true })).toMatchObject({
      kind: 'parked',
      parked: { state: 'held', reason: 'x', isGone: true, isSwallowed: false, contactId: undefined },
    })
    expect(after(update, { kind: 'held', reason: 'x', contactId: 3 })).toMatchObject({
      parked: { contactId: 3, isGone: false },
    })
  })

  it('is taken back where it says so', () =>
    expect(after(update, { kind: 'failed', reason: 'x', next: 'delete' })).toMatchObject({
      ...{ kind: 'taken_back', reason: 'x', order: SENDING_ORDER.delete },
      restored: { unsure: ['phone'] },
    }))
})

describe('a delete that is done', () => {
  const done = { kind: 'done', contactId: 7, reason: 'its status was not taken' } as const
  const taken = operationWith({ kind: 'delete' })

  it.each([
    ['of a missing record', operationWith({ kind: 'delete', cause: 'missing' })],
    ['of an undo', operationWith({ kind: 'delete', undoes: 'r0' })],
  ])('%s leaves nothing', (_, operation) =>
    expect(after(operation, done)).toEqual({ kind: 'unlinked', settlement: done, logged: done }),
  )

  it.each([true, false])('takes a create back; its record is missing: %s', (isMissing) =>
    expect(after(taken, done, {}, { isMissing: () => isMissing })).toEqual({
      ...{ kind: 'retracted', reason: done.reason, isTriedAgain: !isMissing },
      ...{ settlement: { kind: 'failed', reason: done.reason }, logged: { ...done, next: 'create' } },
    }),
  )

  it('says so where nothing else is said', () =>
    expect(after(taken, { kind: 'done', contactId: 7 })).toMatchObject({
      reason: 'its create was reverted',
    }))
})

describe('a delete that was not done', () => {
  it('is parked like any other step, and nothing is known again by it', () =>
    expect(after(operationWith({ kind: 'delete' }), { kind: 'failed', reason: 'x' })).toMatchObject({
      kind: 'parked',
      parked: { state: 'failed' },
    }))
})
