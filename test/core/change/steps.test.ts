// The steps of a change one by one: the first, what each sends, what is left after it, and what its record counts as.
import { describe, expect, it } from 'vitest'
import type {
  OperationKind,
  OperationOutcome,
  Settled,
  Settlement,
  StagedOperation,
} from '../../../src/core/change/operation.ts'
import {
  consentLeft,
  fieldsLeft,
  firstStep,
  judgedEdits,
  LEFT_IN_DOUBT,
  nextStep,
  outcomeAfter,
  SENDING_ORDER,
  sendingOrder,
  stepFields,
  termPolicy,
} from '../../../src/core/change/steps.ts'
import type { Contact } from '../../../src/core/mapping/contact.ts'
import { operationWith } from '../../support/operation.ts'

const TERMS = { add: ['Customer'], remove: [], asserts: ['Customer'] }
const PHONE: Contact = { phone: '1' }
const DONE: Settlement = { kind: 'done', contactId: 7 }
const NOTHING_SENT: Settlement = { kind: 'settled' }
const FOUND: Settlement = { kind: 'settled', contactId: 9 }
const KINDS: readonly OperationKind[] = ['create', 'update', 'terms', 'consent', 'delete']

const update = { state: 'planned', kind: 'update', linkId: 1, contactId: 7 } as const

describe('the first step', () => {
  it.each<[string, StagedOperation, OperationKind]>([
    ['a create', { state: 'planned', kind: 'create', fields: PHONE, consent: 2, terms: TERMS }, 'create'],
    ['a delete', { state: 'planned', kind: 'delete', linkId: 1, contactId: 7, undoes: 'r0' }, 'delete'],
    ['changed fields', { ...update, fields: PHONE, terms: TERMS, consent: 4 }, 'update'],
    ['changed fields and a withdrawal', { ...update, fields: PHONE, consent: 1 }, 'consent'],
    ['terms and a mail_status', { ...update, fields: {}, terms: TERMS, consent: 4 }, 'terms'],
    ['a mail_status alone', { ...update, fields: {}, consent: 4 }, 'consent'],
    ['fields that are given up alone', { ...update, fields: {} }, 'update'],
    ['one that waits, for lists', { state: 'waiting' }, 'create'],
    [
      'one that is held, for lists',
      { state: 'held', linkId: 1, contactId: 7, fields: {}, reason: 'x' },
      'update',
    ],
    [
      'a create that stays held',
      { state: 'held', kind: 'create', contactId: 7, fields: {}, reason: 'x' },
      'create',
    ],
  ])('of %s', (_, form, kind) => expect(firstStep(form)).toBe(kind))
})

describe('what a step sends', () => {
  it.each<[string, Parameters<typeof stepFields>[0], Contact]>([
    [
      'a consent: its mail_status alone',
      { kind: 'consent', fields: PHONE, consent: 4, carried: 2 },
      { mail_status: 4 },
    ],
    [
      'a consent without one: nothing',
      { kind: 'consent', fields: PHONE, consent: undefined, carried: undefined },
      {},
    ],
    [
      'a create: a withdrawal goes along',
      { kind: 'create', fields: PHONE, consent: 2, carried: undefined },
      { ...PHONE, mail_status: 2 },
    ],
    [
      'a create: one to be raised does not',
      { kind: 'create', fields: PHONE, consent: 4, carried: undefined },
      PHONE,
    ],
    [
      'a create: what it was given before goes along',
      { kind: 'create', fields: PHONE, consent: 4, carried: 3 },
      { ...PHONE, mail_status: 3 },
    ],
    [
      'a create: a withdrawal wins over that',
      { kind: 'create', fields: PHONE, consent: 1, carried: 3 },
      { ...PHONE, mail_status: 1 },
    ],
    ['an update: never a mail_status', { kind: 'update', fields: PHONE, consent: 2, carried: 2 }, PHONE],
  ])('%s', (_, operation, fields) => expect(stepFields(operation)).toStrictEqual(fields))
})

describe('what is left', () => {
  it.each(KINDS)('after %s: the mail_status, unless the step has set it', (kind) => {
    const isLeft = kind !== 'consent'
    expect(consentLeft({ kind, consent: 4 }, undefined)).toBe(isLeft ? 4 : undefined)
    expect(consentLeft({ kind, consent: 4 }, 'ignored')).toBe(isLeft ? 4 : undefined)
    expect(consentLeft({ kind, consent: 4 }, 'taken')).toBeUndefined()
  })

  it.each(KINDS)('after %s: the fields, where it found a contact or set a withdrawal', (kind) => {
    expect(fieldsLeft({ kind, fields: PHONE }, DONE)).toEqual(kind === 'consent' ? PHONE : {})
    expect(fieldsLeft({ kind, fields: PHONE }, NOTHING_SENT)).toEqual(kind === 'consent' ? PHONE : {})
    expect(fieldsLeft({ kind, fields: PHONE }, FOUND)).toEqual(PHONE)
  })
})

describe('the next step', () => {
  const of = (
    kind: OperationKind,
    own: { fields?: Contact; terms?: typeof TERMS; consent?: number } = {},
  ) => ({
    ...{ kind, fields: own.fields ?? {}, terms: own.terms, consent: own.consent },
  })
  it.each<
    [
      string,
      Parameters<typeof nextStep>[0],
      Settlement,
      'taken' | 'ignored' | undefined,
      OperationKind | undefined,
    ]
  >([
    ['a create alone', of('create', { fields: PHONE }), DONE, undefined, undefined],
    [
      'a create whose withdrawal is not seen yet',
      of('create', { consent: 2, terms: TERMS }),
      DONE,
      undefined,
      'consent',
    ],
    [
      'a create whose withdrawal was taken',
      of('create', { consent: 2, terms: TERMS }),
      DONE,
      'taken',
      'terms',
    ],
    ['a create with a mail_status to be raised', of('create', { consent: 4 }), DONE, undefined, 'consent'],
    [
      'a create that found its contact',
      of('create', { fields: PHONE, terms: TERMS, consent: 4 }),
      FOUND,
      undefined,
      'update',
    ],
    [
      'a create that found its contact, withdrawn',
      of('create', { fields: PHONE, consent: 1 }),
      FOUND,
      undefined,
      'consent',
    ],
    [
      'an update with terms and a mail_status',
      of('update', { fields: PHONE, terms: TERMS, consent: 4 }),
      DONE,
      undefined,
      'terms',
    ],
    ['terms with a mail_status', of('terms', { terms: TERMS, consent: 4 }), DONE, undefined, 'consent'],
    ['terms alone', of('terms', { terms: TERMS }), DONE, undefined, undefined],
    [
      'a withdrawal with fields',
      of('consent', { fields: PHONE, terms: TERMS, consent: 1 }),
      DONE,
      'taken',
      'update',
    ],
    ['a withdrawal with terms', of('consent', { terms: TERMS, consent: 2 }), DONE, 'ignored', 'terms'],
    ['a withdrawal alone', of('consent', { consent: 2 }), DONE, 'taken', undefined],
    [
      'a mail_status that was raised',
      of('consent', { fields: PHONE, terms: TERMS, consent: 4 }),
      DONE,
      'taken',
      undefined,
    ],
  ])('after %s', (_, operation, settlement, status, kind) =>
    expect(nextStep(operation, { settlement, ...(status === undefined ? {} : { status }) })).toBe(kind),
  )
})

describe('what a record counts as', () => {
  it.each<[OperationKind, OperationOutcome | undefined, 'done' | 'settled', OperationOutcome]>([
    ['create', undefined, 'done', 'created'],
    ['create', undefined, 'settled', 'unchanged'],
    ['update', undefined, 'done', 'updated'],
    ['update', undefined, 'settled', 'unchanged'],
    ['update', 'unchanged', 'done', 'updated'],
    ['terms', 'created', 'done', 'created'],
    ['consent', 'created', 'settled', 'created'],
    ['terms', 'updated', 'settled', 'updated'],
  ])('after %s, being %s before, %s: %s', (kind, outcome, settled, expected) =>
    expect(outcomeAfter({ kind, outcome }, { kind: settled })).toBe(expected),
  )
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

  it('brings nothing forward but the step that sets the withdrawal', () => {
    for (const kind of ['update', 'terms', 'delete'] as const)
      expect(sendingOrder(kind, { consent: 2 })).toBe(SENDING_ORDER[kind])
  })
})

it('a lost answer leaves in doubt what makes or deletes; what sets values may be sent again', () =>
  expect(KINDS.filter((kind) => LEFT_IN_DOUBT.includes(kind))).toEqual(['create', 'delete']))

describe('the edits of a record after a step', () => {
  const about = { pipeline: 'shop', key: 'K1', contactId: 7 }
  const of = (own: Parameters<typeof operationWith>[0], more: Partial<Settled> = {}) =>
    judgedEdits({ operation: operationWith(own), settlement: DONE, request: undefined, ...more })
  it('are those that the contact was looked at for', () => {
    const merged = { judged: ['phone'], edits: [] }
    expect(of({ kind: 'update' }, { merged })).toEqual({ ...about, judged: ['phone'], open: [] })
  })
  it('are none where a value was written without a look', () => {
    const none = { ...about, open: [] }
    expect(of({ kind: 'update', fields: PHONE })).toEqual({ ...none, judged: ['phone'] })
    expect(of({ kind: 'update', fields: PHONE }, { sent: { fax: '2' } })).toEqual({
      ...none,
      judged: ['fax'],
    })
  })
  it.each<[string, Parameters<typeof operationWith>[0], Partial<Settled>]>([
    ['nothing was sent', { kind: 'update', fields: PHONE }, { settlement: NOTHING_SENT }],
    ['an undo sent it', { kind: 'update', fields: PHONE, undoes: 'r0' }, {}],
    ['it was a create', { kind: 'create', fields: PHONE, contactId: undefined }, {}],
    ['it was about terms', { kind: 'terms' }, {}],
    [
      'its contact is not known',
      { kind: 'create', contactId: undefined },
      { merged: { judged: [], edits: [] } },
    ],
  ])('stay where %s', (_, own, more) => expect(of(own, more)).toBeUndefined())
})

describe('the policy for the terms of a change', () => {
  const of = (
    policy: 'add' | 'managed' | 'replace',
    onMissing: 'keep' | 'delete' | 'remove_terms',
    own = {},
  ) =>
    termPolicy(
      { cause: 'record', undoes: undefined, ...own },
      {
        terms: { policy, create_missing: true, assign: [], descriptions: {}, verify: true },
        on_missing: onMissing,
      },
    )

  it('is that of the pipeline for a record', () => {
    for (const policy of ['add', 'managed', 'replace'] as const)
      for (const onMissing of ['keep', 'delete'] as const) expect(of(policy, onMissing)).toBe(policy)
    expect(of('replace', 'remove_terms')).toBe('replace')
    expect(of('managed', 'remove_terms')).toBe('managed')
  })

  it('tells apart what is given under add where it is to be taken back one day', () =>
    expect(of('add', 'remove_terms')).toBe('managed'))

  it.each([{ cause: 'missing' }, { undoes: 'r0' }])('takes back what was given alone: %j', (own) => {
    for (const policy of ['add', 'managed', 'replace'] as const)
      expect(of(policy, 'keep', own)).toBe('managed')
  })
})
