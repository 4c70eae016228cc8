// The life of a change, played step by step against a small model: whatever its parts are and however its steps end, each
// part is sent once, in order, and what is known in the end is what was taken.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterStep, type AfterStep, type Questions } from '../../../src/core/change/after-step.ts'
import type { Operation, OperationKind, Settled, Settlement } from '../../../src/core/change/operation.ts'
import { OPERATION_STATES, OVERTAKABLE, SETTLED_SO_FAR, UNCERTAIN } from '../../../src/core/change/states.ts'
import { firstStep, SENDING_ORDER, sendingOrder, stepFields } from '../../../src/core/change/steps.ts'
import type { Contact } from '../../../src/core/mapping/contact.ts'

const TERMS = { add: ['Customer'], remove: [], asserts: ['Customer'] }

const operationWith = (own: Partial<Operation> & { kind: OperationKind }): Operation => ({
  ...{ id: 1, runId: 'r', pipeline: 'shop', key: 'K1', mailKey: undefined, contactId: 7 },
  ...{ fields: {}, desired: {}, known: {}, unsure: [], terms: undefined, asserted: undefined },
  ...{ consent: undefined, isFresh: false, carried: undefined, outcome: undefined, cause: 'record' },
  ...{ undoes: undefined, source: { file: 'a.csv', line: 2 }, state: 'sending', sent: 1, swallowed: 0 },
  ...{ guard: undefined, absentReads: 0, notBefore: 0, reason: undefined },
  ...own,
})

const NOBODY: Questions = { isAnothers: () => false, hasNewer: () => false, isMissing: () => false }

const after = (
  operation: Operation,
  settlement: Settlement,
  more: Partial<Settled> = {},
  questions: Partial<Questions> = {},
): AfterStep => afterStep({ operation, settlement, request: undefined, ...more }, { ...NOBODY, ...questions })

interface Parts {
  readonly isCreate: boolean
  readonly fields: Contact
  readonly hasTerms: boolean
  readonly consent: number | undefined
}

const parts: fc.Arbitrary<Parts> = fc
  .record({
    isCreate: fc.boolean(),
    fields: fc.constantFrom<Contact>({}, { phone: '1' }, { mail: 'a@x.de', phone: '1' }),
    hasTerms: fc.boolean(),
    consent: fc.constantFrom(undefined, 1, 2, 4, 7),
  })
  .filter(
    (one) => one.isCreate || Object.keys(one.fields).length > 0 || one.hasTerms || one.consent !== undefined,
  )

/** The steps that such a change takes, by the manual. */
function modelOf({ isCreate, fields, hasTerms, consent }: Parts, isTakenByCreate: boolean): OperationKind[] {
  const isWithdrawal = consent === 1 || consent === 2
  const terms: OperationKind[] = hasTerms ? ['terms'] : []
  const status: OperationKind[] = consent === undefined ? [] : ['consent']
  if (isCreate && isTakenByCreate) return ['create', ...terms]
  if (isCreate) return isWithdrawal ? ['create', ...status, ...terms] : ['create', ...terms, ...status]
  const update: OperationKind[] = Object.keys(fields).length > 0 ? ['update'] : []
  return isWithdrawal ? [...status, ...update, ...terms] : [...update, ...terms, ...status]
}

/** Plays the change to its end, each step being done; gives its steps and the last decision. */
function play(
  change: Parts,
  isTakenByCreate: boolean,
): { steps: OperationKind[]; known: Contact; last: AfterStep } {
  const { isCreate, fields, hasTerms, consent } = change
  const terms = hasTerms ? TERMS : undefined
  const form = {
    ...{ state: 'planned', fields, ...(terms === undefined ? {} : { terms }) },
    ...(consent === undefined ? {} : { consent }),
    ...(isCreate ? { kind: 'create' } : { kind: 'update', linkId: 1, contactId: 7 }),
  } as Parameters<typeof firstStep>[0]
  const steps: OperationKind[] = []
  let known: Contact = {}
  const desired = { ...fields, ...(consent === undefined ? {} : { mail_status: consent }) }
  let operation = operationWith({ kind: firstStep(form), fields, terms, consent, desired })
  for (;;) {
    steps.push(operation.kind)
    expect(steps.length).toBeLessThan(6)
    const isTaken = operation.kind === 'create' ? isTakenByCreate : operation.kind === 'consent'
    const status = isTaken && consent !== undefined ? { status: 'taken' as const } : {}
    const last = after(operation, { kind: 'done', contactId: 7 }, { sent: stepFields(operation), ...status })
    if (last.kind !== 'linked') throw new Error(last.kind)
    known = { ...known, ...last.link.known }
    if (last.next === undefined) return { steps, known, last }
    expect(last.isSettled).toBe(false)
    expect(last.next.order).toBe(sendingOrder(last.next.kind, last.next))
    operation = { ...operation, ...last.next, known: last.link.known }
  }
}

describe('the life of a change', () => {
  it('takes the steps of the manual, each once, and ends settled with all that was taken', () =>
    fc.assert(
      fc.property(parts, fc.boolean(), (change, isTakenByCreate) => {
        const isTaken = isTakenByCreate && change.consent !== undefined
        const { steps, known, last } = play(change, isTaken)
        expect(steps).toEqual(modelOf(change, isTaken))
        expect(last).toMatchObject({ kind: 'linked', isSettled: true })
        const status = change.consent === undefined ? {} : { mail_status: change.consent }
        const shown = steps.some((step) => step === 'create' || step === 'update') ? change.fields : {}
        expect(known).toEqual({ ...shown, ...status })
      }),
    ))

  it('ends at any step where a newer record of the key has come, and leaves the record to be compared again', () =>
    fc.assert(
      fc.property(parts, (change) => {
        const kind = change.isCreate ? 'create' : 'update'
        const terms = change.hasTerms ? TERMS : undefined
        const operation = operationWith({ kind, fields: change.fields, terms, consent: change.consent })
        const done: Settlement = { kind: 'done', contactId: 7 }
        const alone = after(operation, done)
        const overtaken = after(operation, done, {}, { hasNewer: () => true })
        expect(overtaken).toMatchObject({ kind: 'linked', next: undefined, settlement: done })
        if (alone.kind === 'linked' && alone.next !== undefined)
          expect(overtaken).toMatchObject({ isSettled: false })
      }),
    ))
})

describe('the order of sending', () => {
  it.each([
    [
      'a mail_status of 1 or 2 before everything',
      sendingOrder('consent', { consent: 2 }),
      sendingOrder('update'),
    ],
    ['updates before creates', sendingOrder('update'), sendingOrder('create', { mailKey: 'a@x.de' })],
    ['creates with a mail first', sendingOrder('create', { mailKey: 'a@x.de' }), sendingOrder('create')],
    ['creates before terms', sendingOrder('create'), sendingOrder('terms')],
    ['terms before any other mail_status', sendingOrder('terms'), sendingOrder('consent', { consent: 4 })],
    ['deletes last', sendingOrder('consent', { consent: 7 }), sendingOrder('delete')],
  ])('%s', (_, before, behind) => expect(before).toBeLessThan(behind))

  it('has a place for each step', () =>
    expect(new Set(Object.values(SENDING_ORDER)).size).toBe(Object.keys(SENDING_ORDER).length))
})

describe('the sets of states', () => {
  it('part what may be under way from what is not, and leave none out', () => {
    expect([...UNCERTAIN, ...SETTLED_SO_FAR].sort()).toEqual([...OPERATION_STATES].sort())
    expect(OVERTAKABLE).not.toContain('planned')
  })
})

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
    const done = after(operation, { kind: 'done', contactId: 7 }, { sent: { phone: '1' } })
    expect(done).toMatchObject({ link: { known: { phone: '1' } } })
    expect(after(operation, { kind: 'done', contactId: 7 })).toMatchObject({ link: { known: {} } })
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

  it.each([
    ['a create', operationWith({ kind: 'create', fields: {} }), undefined, true],
    ['an update with a mail', operationWith({ kind: 'update', fields: { mail: 'a@x.de' } }), undefined, true],
    ['one whose mail was not sent', operationWith({ kind: 'update', fields: { mail: 'a@x.de' } }), {}, false],
    ['one without a mail', operationWith({ kind: 'update', fields: { phone: '1' } }), undefined, false],
    ['terms', operationWith({ kind: 'terms', terms: TERMS }), undefined, false],
  ])('%s: has the contact the mail now?', (_, operation, sent, bringsMail) =>
    expect(
      after(operation, { kind: 'done', contactId: 7 }, sent === undefined ? {} : { sent }),
    ).toMatchObject({ link: { bringsMail } }),
  )

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
      parked: { state: 'held', contactId: 9 },
      settlement: { kind: 'held' },
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

describe('a step that is not done', () => {
  const update = operationWith({ kind: 'update', unsure: ['phone'] })
  const terms = operationWith({ kind: 'terms', terms: TERMS, asserted: [] })

  it.each([
    ['an update', update, { kind: 'failed', reason: 'x' }, {}, { unsure: ['phone'] }],
    ['a consent', operationWith({ kind: 'consent' }), { kind: 'failed', reason: 'x' }, {}, { unsure: [] }],
    ['one that may have been applied', update, { kind: 'failed', reason: 'x', unknown: true }, {}, {}],
    ['terms', terms, { kind: 'failed', reason: 'x' }, {}, { terms: [] }],
    ['terms of which some were given', terms, { kind: 'failed', reason: 'x' }, { partly: true }, {}],
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
  ] as const)('%s: what is known again', (_, operation, settlement, more, restored) =>
    expect(after(operation, settlement, more)).toMatchObject({ restored, settlement }),
  )

  it.each([
    [200, true],
    [204, true],
    [199, false],
    [300, false],
    [undefined, false],
  ])('in doubt after an answer of %s: counted as swallowed?', (status, isSwallowed) => {
    const request = { method: 'POST', path: '/contact', status, attempts: 1 } as const
    const settlement = { kind: 'in_doubt', reason: 'x', notBefore: 5, absentReads: 2 } as const
    expect(after(operationWith({ kind: 'create' }), settlement, { request })).toMatchObject({
      parked: { ...{ state: 'in_doubt', reason: 'x', notBefore: 5, absentReads: 2 }, isSwallowed },
      restored: {},
    })
  })

  it('is held with what it is about, and marks a contact that is gone', () => {
    expect(after(update, { kind: 'held', reason: 'x', gone: true })).toMatchObject({
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
      reason: 'its create was taken back',
    }))
})
