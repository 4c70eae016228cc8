// A change as it first stands in the journal, form by form: what the list of changes, the order of sending and a later undo read.
import { describe, expect, it } from 'vitest'
import type { StagedOperation } from '../../../src/core/change/operation.ts'
import { type FirstForm, firstForm, SENDING_ORDER } from '../../../src/core/change/steps.ts'

const TERMS = { add: ['Customer'], remove: [], asserts: ['Customer'] }
const linked = { linkId: 1, contactId: 7 } as const

/** Of a record, planned, with nothing but its kind and its place. */
const EMPTY: Omit<FirstForm, 'kind' | 'order'> = {
  ...{ linkId: undefined, contactId: undefined, mailKey: undefined, fields: {}, terms: undefined },
  ...{ consent: undefined, state: 'planned', reason: undefined, cause: 'record', undoes: undefined },
}

describe('what the journal has first', () => {
  it.each<[string, StagedOperation, FirstForm]>([
    [
      'of a create: its mail in the form that is compared, and all that goes with it',
      { state: 'planned', kind: 'create', fields: { mail: 'A@X.de' }, terms: TERMS, consent: 4 },
      {
        ...{ ...EMPTY, kind: 'create', order: SENDING_ORDER.createWithMail, fields: { mail: 'A@X.de' } },
        ...{ mailKey: 'a@x.de', terms: TERMS, consent: 4 },
      },
    ],
    [
      'of a create without a mail: behind those with one',
      { state: 'planned', kind: 'create', fields: { phone: '1' } },
      { ...EMPTY, kind: 'create', order: SENDING_ORDER.createWithoutMail, fields: { phone: '1' } },
    ],
    [
      'of a create whose contact was found: the contact, and why it will be in doubt',
      { state: 'planned', kind: 'create', fields: { phone: '1' }, contactId: 7, reason: 'x' },
      {
        ...{ ...EMPTY, kind: 'create', order: SENDING_ORDER.createWithoutMail, fields: { phone: '1' } },
        ...{ contactId: 7, reason: 'x' },
      },
    ],
    [
      'of an update: its link and its contact',
      { state: 'planned', kind: 'update', ...linked, fields: { phone: '1' }, terms: TERMS },
      {
        ...EMPTY,
        ...linked,
        kind: 'update',
        order: SENDING_ORDER.update,
        fields: { phone: '1' },
        terms: TERMS,
      },
    ],
    [
      'of an update that begins with a withdrawal: before everything else',
      { state: 'planned', kind: 'update', ...linked, fields: { phone: '1' }, consent: 2 },
      {
        ...{ ...EMPTY, ...linked, kind: 'consent', order: SENDING_ORDER.withdrawal },
        ...{ fields: { phone: '1' }, consent: 2 },
      },
    ],
    [
      'of an update that puts back what a run did: that run, and the cause of a record',
      { state: 'planned', kind: 'update', ...linked, fields: { phone: '1' }, undoes: 'r0' },
      {
        ...{ ...EMPTY, ...linked, kind: 'update', order: SENDING_ORDER.update },
        ...{ fields: { phone: '1' }, undoes: 'r0' },
      },
    ],
    [
      'of a delete that puts back a create: guarded like that of a missing record',
      { state: 'planned', kind: 'delete', ...linked, undoes: 'r0' },
      { ...EMPTY, ...linked, kind: 'delete', order: SENDING_ORDER.delete, cause: 'missing', undoes: 'r0' },
    ],
    [
      'of a change that waits: a place in the lists alone',
      { state: 'waiting' },
      { ...EMPTY, kind: 'create', state: 'waiting', order: SENDING_ORDER.createWithoutMail },
    ],
    [
      'of a change that is held: what it is about, and the reason',
      { state: 'held', ...linked, fields: { phone: '1' }, reason: 'x' },
      {
        ...{ ...EMPTY, ...linked, kind: 'update', state: 'held', order: SENDING_ORDER.update },
        ...{ fields: { phone: '1' }, reason: 'x' },
      },
    ],
    [
      'of a create that stays held: the contact that it was merged into',
      {
        ...{ state: 'held', kind: 'create', contactId: 7, fields: { mail: 'a@x.de' }, reason: 'x' },
        consent: 1,
      },
      {
        ...{ ...EMPTY, kind: 'create', state: 'held', order: SENDING_ORDER.createWithMail, contactId: 7 },
        ...{ mailKey: 'a@x.de', fields: { mail: 'a@x.de' }, consent: 1, reason: 'x' },
      },
    ],
  ])('%s', (_, form, first) => expect(firstForm(form)).toStrictEqual(first))
})
