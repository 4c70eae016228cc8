// A change as a plan shows it, and the requests that it takes.
import { describe, expect, it } from 'vitest'
import type { PlannedWork } from '../../../src/core/change/estimate.ts'
import type { Operation } from '../../../src/core/change/operation.ts'
import {
  changePlace,
  countryOf,
  partedFields,
  shownChange,
  showsNothing,
  workOf,
} from '../../../src/core/change/plan/planned-change.ts'
import { operationWith } from '../../support/operation.ts'

const SOURCE = { file: 'a.csv', line: 7, sha256: 'abc' }
const NO_TERMS = { add: [], remove: [] }

describe('a change as it is shown', () => {
  it('of a new contact: no id, and nothing that was there before', () => {
    const create = operationWith({
      kind: 'create',
      contactId: undefined,
      fields: { mail: 'a@example.com' },
      consent: 2,
      terms: { add: ['a'], remove: [], asserts: ['a'] },
      source: SOURCE,
    })
    expect(shownChange(create, 'add')).toEqual({
      action: 'create',
      key: 'K1',
      contact_id: null,
      fields: { mail: { from: null, to: 'a@example.com' }, mail_status: { from: null, to: 2 } },
      terms: { add: ['a'], remove: [] },
      source: { file: 'a.csv', line: 7 },
    })
  })

  it('of a new contact is whole, also where a former contact of the record had another value', () => {
    const create = operationWith({
      kind: 'create',
      contactId: undefined,
      fields: { phone: '2' },
      known: { phone: '1' },
    })
    const shown = shownChange(create, 'add')
    expect(shown).toMatchObject({ action: 'create', fields: { phone: { from: '1', to: '2' } } })
    expect(shown).not.toHaveProperty('withheld')
  })

  it('of a new record whose contact was found is an update of that one', () => {
    const found = operationWith({
      kind: 'create',
      fields: { phone: '2', fax: '3' },
      known: { phone: '1' },
      source: SOURCE,
    })
    expect(shownChange(found, 'add')).toEqual({
      action: 'update',
      key: 'K1',
      contact_id: 7,
      fields: { fax: { from: null, to: '3' } },
      withheld: { phone: { from: '1', to: '2' } },
      terms: NO_TERMS,
      source: { file: 'a.csv', line: 7 },
    })
  })

  it('withholds nothing of a step that is neither an update nor before one', () => {
    const step = operationWith({ kind: 'terms', fields: { phone: '2' }, known: { phone: '1' } })
    const shown = shownChange(step, 'add')
    expect(shown.fields).toEqual({ phone: { from: '1', to: '2' } })
    expect(shown).not.toHaveProperty('withheld')
  })

  it('names the edits that stay, and what the source wants in their place', () => {
    const edits = [
      { field: 'phone', rule: 'keep', sent: '1', service: '9', source: '2' },
      { field: 'fax', rule: 'keep', sent: null, service: '8', source: null },
    ] as const
    const shown = shownChange({ ...operationWith({ kind: 'update', source: SOURCE }), edits }, 'update_add')
    expect(shown).toEqual({
      action: 'update',
      key: 'K1',
      contact_id: 7,
      fields: {},
      kept_edits: { phone: { from: '9', to: '2' }, fax: { from: '8', to: '' } },
      terms: NO_TERMS,
      source: { file: 'a.csv', line: 7 },
    })
    expect(showsNothing(shown)).toBe(false)
    const without = shownChange({ ...operationWith({ kind: 'update' }), edits: [] }, 'update_add')
    expect(without).not.toHaveProperty('kept_edits')
  })

  it('names all lines of a record of several rows', () => {
    const source = { ...SOURCE, lines: [7, 9] }
    expect(shownChange(operationWith({ kind: 'update', source }), 'add').source).toStrictEqual({
      file: 'a.csv',
      line: 7,
      lines: [7, 9],
    })
    expect(shownChange(operationWith({ kind: 'update', source: SOURCE }), 'add').source).toStrictEqual({
      file: 'a.csv',
      line: 7,
    })
  })

  it.each([-1, 0])('an id that no service gives (%i) is not shown', (contactId) => {
    expect(shownChange(operationWith({ kind: 'update', contactId }), 'add').contact_id).toBe(null)
  })

  it('of a linked contact: from and to', () => {
    const update = operationWith({
      kind: 'update',
      fields: { phone: '2' },
      known: { phone: '1' },
      source: SOURCE,
    })
    expect(shownChange(update, 'update_add')).toEqual({
      action: 'update',
      key: 'K1',
      contact_id: 7,
      fields: { phone: { from: '1', to: '2' } },
      terms: NO_TERMS,
      source: { file: 'a.csv', line: 7 },
    })
  })

  it.each([
    ['update', undefined],
    ['consent', 1],
  ] as const)('a first step %s shows what the update method withholds', (kind, consent) => {
    const fields = { phone: '2', fax: '3' }
    const update = operationWith({ kind, consent, fields, known: { phone: '1' } })
    const status = consent === undefined ? {} : { mail_status: { from: null, to: consent } }
    expect(shownChange(update, 'add')).toMatchObject({
      action: 'update',
      fields: { fax: { from: null, to: '3' }, ...status },
      withheld: { phone: { from: '1', to: '2' } },
    })
    expect(Object.keys(shownChange(update, 'add').fields)).not.toContain('phone')
    expect(shownChange(update, 'update_add')).not.toHaveProperty('withheld')
  })

  it('terms alone are an update; what undoes a run is sent whole', () => {
    const terms = { add: [], remove: ['b'], asserts: [] }
    expect(shownChange(operationWith({ kind: 'terms', terms }), 'add')).toMatchObject({
      action: 'update',
      fields: {},
      terms: { add: [], remove: ['b'] },
    })
    const undoing = operationWith({
      kind: 'update',
      undoes: 'r0',
      fields: { phone: '2' },
      known: { phone: '1' },
    })
    expect(shownChange(undoing, 'add')).not.toHaveProperty('withheld')
    expect(partedFields(undoing, 'add').sent).toEqual({ phone: '2' })
  })

  it.each<[string, Partial<Operation>, number | null]>([
    ['whose record is missing has no line', { cause: 'missing' }, null],
    ['that undoes a creation has one', { cause: 'missing', undoes: 'r0' }, 7],
    ['of a record has one', {}, 7],
  ])('a delete %s', (_, own, line) => {
    const shown = shownChange(operationWith({ kind: 'delete', source: SOURCE, ...own } as never), 'add')
    expect(shown).toMatchObject({ action: 'delete', source: { file: 'a.csv', line } })
    expect(showsNothing(shown)).toBe(false)
  })

  it('shows nothing where neither a field nor a term is touched', () => {
    const of = (own: Partial<Operation>, method: 'add' | 'update_add' = 'add') =>
      showsNothing(shownChange(operationWith({ kind: 'update', ...own } as never), method))
    expect(of({})).toBe(true)
    expect(of({ terms: { add: [], remove: [], asserts: ['a'] } })).toBe(true)
    expect(of({ terms: { add: ['a'], remove: [], asserts: ['a'] } })).toBe(false)
    expect(of({ terms: { add: [], remove: ['a'], asserts: [] } })).toBe(false)
    expect(of({ fields: { phone: '1' } })).toBe(false)
    expect(of({ fields: { phone: '2' }, known: { phone: '1' } })).toBe(false)
    // What is sent again and was pushed before is as wanted, where the method withholds it.
    expect(of({ fields: { phone: '1' }, known: { phone: '1' } })).toBe(true)
    expect(of({ fields: { phone: '1' }, known: { phone: '1' } }, 'update_add')).toBe(false)
  })
})

describe('the place of a change', () => {
  it.each([
    ['a record that has gone', { line: null }, 'gone from a.csv'],
    ['one of several rows that has gone', { line: null, lines: [7, 9] }, 'gone from a.csv'],
    ['an input without lines', { line: 0 }, 'a.csv'],
    ['one row', { line: 7 }, 'a.csv:7'],
    ['several rows', { line: 7, lines: [7, 9, 12] }, 'a.csv:7,9,12'],
  ])('of %s', (_, source, place) => expect(changePlace({ source: { file: 'a.csv', ...source } })).toBe(place))
})

describe('the fields that a step sends', () => {
  it.each(['create', 'terms', 'consent', 'delete'] as const)('are all of them for a %s', (kind) => {
    const step = operationWith({ kind, fields: { phone: '2' }, known: { phone: '1' } })
    expect(partedFields(step, 'add')).toEqual({ sent: { phone: '2' }, withheld: {} })
  })

  it('are those that the update method lets through for an update', () => {
    const fields = { phone: '2', fax: '3', email: 'a' }
    const step = operationWith({ kind: 'update', fields, known: { phone: '1', email: 'a' } })
    expect(partedFields(step, 'add')).toEqual({ sent: { fax: '3' }, withheld: { phone: '2' } })
    expect(partedFields(step, 'update_add')).toEqual({ sent: fields, withheld: {} })
  })
})

const plan = (add: string[], remove: string[]) => ({ add, remove, asserts: add })

describe('the requests of a change', () => {
  it.each<[string, Partial<Operation>, Partial<PlannedWork>]>([
    [
      'a create with a mail',
      { kind: 'create', contactId: undefined, mailKey: 'a@b' },
      { createsWithMail: 1 },
    ],
    ['a create without one', { kind: 'create', contactId: undefined }, { createsWithoutMail: 1 }],
    ['an update', { kind: 'update', fields: { phone: '1' } }, { updates: 1 }],
    ['one that only gives a field up', { kind: 'update', givesUp: ['phone'] }, {}],
    [
      'one that gives a field up beside others',
      { kind: 'update', fields: { fax: '1' }, givesUp: ['phone'] },
      { updates: 1 },
    ],
    ['a delete', { kind: 'delete' }, { deletes: 1 }],
    ['terms that come', { kind: 'terms', terms: plan(['a', 'b'], []) }, { termAdditions: 1, termChanges: 1 }],
    ['terms that go', { kind: 'terms', terms: plan([], ['a', 'b']) }, { termRemovals: 1, termChanges: 1 }],
    [
      'an update with both',
      { kind: 'update', terms: plan(['a'], ['b']) },
      { updates: 1, termAdditions: 1, termRemovals: 1, termChanges: 1 },
    ],
    [
      'a create with terms',
      { kind: 'create', contactId: undefined, mailKey: 'a@b', terms: plan(['a'], []) },
      { createsWithMail: 1, termAdditions: 1, termChanges: 1, termsOfCreates: 1 },
    ],
    [
      'the terms of a contact that was found',
      { kind: 'create', contactId: 7, mailKey: 'a@b', terms: plan(['a'], []) },
      { updates: 1, termAdditions: 1, termChanges: 1 },
    ],
    ['a mail_status', { kind: 'consent', consent: 4 }, { consents: 1 }],
    ['a mail_status with an update', { kind: 'update', consent: 4 }, { updates: 1, consents: 1 }],
    ['a withdrawal', { kind: 'consent', consent: 1 }, { withdrawals: 1 }],
    [
      'a withdrawal with fields behind it',
      { kind: 'consent', consent: 2, fields: { phone: '1' } },
      { withdrawals: 1, updates: 1 },
    ],
    [
      'a create with a withdrawal',
      { kind: 'create', contactId: undefined, consent: 2, fields: { phone: '1' } },
      { createsWithoutMail: 1, withdrawals: 1 },
    ],
    ['a create whose contact was found', { kind: 'create', mailKey: 'a@x.example' }, { updates: 1 }],
    [
      'fields behind another mail_status',
      { kind: 'consent', consent: 4, fields: { a: '1' } },
      { consents: 1 },
    ],
  ])('%s', (_, own, expected) => {
    const work = workOf(operationWith(own))
    expect(Object.fromEntries(Object.entries(work).filter(([, count]) => count !== 0))).toEqual(expected)
    expect(Object.keys(work)).toHaveLength(11)
  })
})

describe('the country of a change', () => {
  it.each([
    [{ ba_country: 'DE' }, { ba_country: 'AT' }, 'DE'],
    [{}, { ba_country: 'AT' }, 'AT'],
    [{ ba_country: '' }, { ba_country: 'AT' }, undefined],
    [{ ba_country: 7 }, {}, undefined],
    [{}, {}, undefined],
  ])('%j, known %j: %s', (desired, known, country) =>
    expect(countryOf(operationWith({ kind: 'update', desired, known }))).toBe(country),
  )
})
