// What undoing a run means for one contact: situation by situation, and as a property.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { LoggedEntry } from '../../../src/core/log/audit-chain.ts'
import type { KnownLink } from '../../../src/core/change/diff.ts'
import type { Operation } from '../../../src/core/change/operation.ts'
import { type RunEffect, runEffects, undoAgain, undoDecision } from '../../../src/core/log/undo.ts'

const effect = (more: Partial<RunEffect> = {}): RunEffect => ({
  key: 'K1',
  contactId: 7,
  fields: {},
  terms: { add: [], remove: [] },
  isCreated: false,
  isFound: false,
  isDeleted: false,
  source: { file: 'a.csv', line: 2 },
  ...more,
})
const link = (more: Partial<KnownLink> = {}): KnownLink => ({
  id: 1,
  contactId: 7,
  fields: { phone: '2', mail: 'a@example.com' },
  unsure: [],
  terms: [],
  gone: false,
  merged: false,
  ...more,
})
const plain = { deleteCreated: false, addedTerms: false, highestBefore: 0 }
const decide = (given: RunEffect, at: KnownLink | undefined = link(), options = plain) =>
  undoDecision(given, { link: at, inDoubt: false }, options)

describe('one field', () => {
  test.each([
    ['is put back', { from: '1', to: '2' }, '2', [], { phone: '1' }, undefined],
    ['is cleared where it was blank before', { from: null, to: '2' }, '2', [], { phone: '' }, undefined],
    ['is filled again where it was cleared', { from: '1', to: '' }, '', [], { phone: '1' }, undefined],
    [
      'stays where a later run changed it',
      { from: '1', to: '2' },
      '3',
      [],
      undefined,
      'a later run changed it',
    ],
    ['is nothing to do where it is as before', { from: '1', to: '2' }, '1', [], undefined, undefined],
    [
      'that nobody is sure of is looked at',
      { from: '1', to: '2' },
      '1',
      ['phone'],
      { phone: '1' },
      undefined,
    ],
  ] as const)('%s', (_, change, known, unsure, fields, why) => {
    const { step, left } = decide(
      effect({ fields: { phone: change } }),
      link({ fields: { phone: known }, unsure }),
    )
    expect(step).toMatchObject(fields === undefined ? { kind: 'nothing' } : { kind: 'update', fields })
    expect(left.map((one) => one.why)).toEqual(why === undefined ? [] : [why])
  })

  it('of consent is named, and never put back by itself', () => {
    const { step, left } = decide(
      effect({ fields: { mail_status: { from: 3, to: 2 } } }),
      link({ fields: { mail_status: 2 } }),
    )
    expect(step.kind).toBe('nothing')
    expect(left).toMatchObject([{ what: 'mail_status' }])
  })

  it('with several values is emptied as a list', () => {
    const { step } = decide(
      effect({ fields: { sizes: { from: null, to: ['S', 'M'] } } }),
      link({ fields: { sizes: ['S', 'M'] } }),
    )
    expect(step).toMatchObject({ fields: { sizes: [] } })
  })
})

test('a term that the run took from an address on the suppression list is left, and named', () => {
  const suppressed = { edition: 1, has: (mail: string) => mail === 'a@example.com' }
  const given = effect({ terms: { add: ['B'], remove: ['A'] } })
  const at = link({ terms: [{ name: 'B', ours: true, shared: false, unsure: false }] })
  const { step, left } = undoDecision(given, { link: at, inDoubt: false }, { ...plain, suppressed })
  expect(step).toMatchObject({ kind: 'update', terms: { add: [], remove: ['B'], asserts: [] } })
  expect(left.map(({ what, why }) => `${what}: ${why}`)).toEqual([
    'term A: the address is on the suppression list (consents.suppress)',
  ])
})

describe('a contact as a whole', () => {
  test.each([
    ['deleted by the run', effect({ isDeleted: true }), undefined, 'the run deleted it'],
    ['no longer linked', effect(), undefined, 'no longer linked'],
    ['linked to another contact', effect(), link({ contactId: 8 }), 'no longer linked'],
    ['gone at the service', effect(), link({ gone: true }), 'deleted at the service'],
    ['merged with another', effect(), link({ merged: true }), 'merged another record into it'],
    ['created by the run', effect({ isCreated: true }), link(), '--delete-created'],
  ])('%s is left', (_, given, at, why) => {
    const { step, left } = undoDecision(given, { link: at, inDoubt: false }, plain)
    expect(step.kind).toBe('nothing')
    expect(left).toMatchObject([{ key: 'K1', contactId: 7, what: 'contact' }])
    expect(left[0]?.why).toContain(why)
  })

  it('with a change in doubt is left', () => {
    expect(undoDecision(effect(), { link: link(), inDoubt: true }, plain).left[0]?.why).toContain('in doubt')
  })

  it('created by the run is deleted where that was asked for, whatever it changed of it later', () => {
    const given = effect({ isCreated: true, fields: { phone: { from: null, to: '2' } } })
    expect(decide(given, link(), { ...plain, deleteCreated: true }).step.kind).toBe('delete')
  })

  test.each([
    ['its id was known before the run began', effect({ isCreated: true }), 7, 'had given its id before'],
    ['its create was settled by a look', effect({ isCreated: true, isFound: true }), 6, 'found later'],
  ])('created by the run is kept where %s', (_, given, highestBefore, why) => {
    // Not offered where it would not be done.
    for (const deleteCreated of [true, false]) {
      const { step, left } = decide(given, link(), { ...plain, deleteCreated, highestBefore })
      expect(step.kind).toBe('nothing')
      expect(left[0]?.why).toContain(why)
    }
  })

  it('that a create was merged into gets back what is known of it from before, and nothing else', () => {
    const given = effect({
      isCreated: true,
      fields: { phone: { from: '1', to: '2' }, city: { from: null, to: 'Bonn' } },
      terms: { add: ['A'], remove: [] },
    })
    const at = link({
      fields: { phone: '2', city: 'Bonn' },
      terms: [{ name: 'A', ours: true, shared: false, unsure: false }],
    })
    const { step, left } = decide(given, at, { ...plain, deleteCreated: true, highestBefore: 7 })
    expect(step).toEqual({ kind: 'update', link: at, fields: { phone: '1' }, terms: undefined })
    expect(left.map(({ what }) => what)).toEqual(['contact'])
  })
})

describe('terms', () => {
  const term = (name: string, more = {}) => ({ name, ours: true, shared: false, unsure: false, ...more })
  const given = effect({ terms: { add: ['New'], remove: ['Old'] } })

  it('ours are taken back, those taken are given again, others stay asserted', () => {
    const { step } = decide(given, link({ terms: [term('new'), term('Kept')] }))
    expect(step).toMatchObject({ terms: { add: ['Old'], remove: ['new'], asserts: ['Kept', 'Old'] } })
  })

  test.each([
    ['no longer asserted', [], plain, 'no longer asserted'],
    ['asserted by another record, too', [term('New', { shared: true })], plain, 'another record asserts it'],
    ['given without a look', [term('New', { ours: false })], plain, '--added-terms'],
  ])('%s stay', (_, terms, options, why) => {
    const { left } = decide(effect({ terms: { add: ['New'], remove: [] } }), link({ terms }), options)
    expect(left[0]).toMatchObject({ what: 'term New' })
    expect(left[0]?.why).toContain(why)
  })

  it('given without a look go where that was asked for', () => {
    const at = link({ terms: [term('New', { ours: false })] })
    const { step } = decide(effect({ terms: { add: ['New'], remove: [] } }), at, {
      ...plain,
      addedTerms: true,
    })
    expect(step).toMatchObject({ terms: { remove: ['New'], asserts: [] } })
  })
})

const entry = (more: Partial<LoggedEntry>): LoggedEntry => ({
  seq: 1,
  person: 'p',
  values: 'open',
  field_names: [],
  prev: '',
  hash: '',
  proof: { entry: '' },
  at: '2026-01-01T00:00:00.000Z',
  run_id: 'r',
  pipeline: 'shop',
  key: 'K1',
  contact_id: 7,
  action: 'update',
  fields: {},
  terms: { add: [], remove: [] },
  request: null,
  outcome: 'done',
  reason: null,
  source: { file: 'a.csv', line: 2 },
  config_hash: 'h',
  ...more,
})

async function effects(entries: readonly LoggedEntry[], erased = () => {}): Promise<RunEffect[]> {
  async function* given() {
    for (const one of entries) yield await Promise.resolve(one)
  }
  const all: RunEffect[] = []
  for await (const one of runEffects(given(), erased)) all.push(one)
  return all
}

describe('what a run did', () => {
  it('is from before its first step to after its last', async () => {
    const [only] = await effects([
      entry({ fields: { phone: { from: '1', to: '2' } } }),
      entry({ action: 'terms', terms: { add: ['A'], remove: ['B'] } }),
      entry({ fields: { phone: { from: '2', to: '3' }, fax: { from: null, to: '9' } } }),
      entry({ action: 'terms', terms: { add: ['B'], remove: [] } }),
    ])
    expect(only).toMatchObject({
      fields: { phone: { from: '1', to: '3' }, fax: { from: null, to: '9' } },
      terms: { add: ['A'], remove: [] },
      isCreated: false,
    })
  })

  it('tells a create that was answered from one that was found', async () => {
    const all = await effects([
      entry({ action: 'create' }),
      entry({ key: 'K2', contact_id: 8, action: 'create', reason: 'found at the service' }),
    ])
    expect(all.map(({ isFound }) => isFound)).toEqual([false, true])
  })

  it('is told apart by contact, and leaves out what was not done and what was no contact', async () => {
    const all = await effects([
      entry({ action: 'create' }),
      entry({ key: 'K2', contact_id: 8, outcome: 'rejected' }),
      entry({ key: 'K3', contact_id: 9, action: 'delete' }),
      entry({ key: null, contact_id: null, action: 'create_term' }),
      entry({ key: 'K4', contact_id: 10, outcome: 'in_doubt' }),
    ])
    expect(all.map(({ key, isCreated, isDeleted }) => [key, isCreated, isDeleted])).toEqual([
      ['K1', true, false],
      ['K3', false, true],
    ])
  })

  it('of somebody who was erased is told once, and is no effect', async () => {
    let erased = 0
    const gone = { person: 'q', values: 'erased', key: null, contact_id: null } as const
    const all = await effects([entry(gone), entry(gone), entry({})], () => (erased += 1))
    expect([all.length, erased]).toEqual([1, 1])
  })

  test('put back over what was pushed last gives what was there before', () => {
    const value = fc.option(fc.constantFrom('1', '2', '3'), { nil: null })
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.tuple(value, value)), (changes) => {
        const pairs = Object.entries(changes)
        const known = Object.fromEntries(pairs.map(([field, [, to]]) => [field, to ?? '']))
        const fields = Object.fromEntries(pairs.map(([field, [from, to]]) => [field, { from, to: to ?? '' }]))
        const { step, left } = decide(effect({ fields }), link({ fields: known }))
        const back = step.kind === 'update' ? { ...known, ...step.fields } : known
        expect(left).toEqual([])
        expect(back).toEqual(Object.fromEntries(pairs.map(([field, [from]]) => [field, from ?? ''])))
      }),
    )
  })
})

describe('an undo that is taken up again', () => {
  const term = (name: string, more = {}) => ({ name, ours: true, shared: false, unsure: false, ...more })
  const again = (of: Partial<Pick<Operation, 'fields' | 'terms'>>, at: KnownLink | undefined) =>
    undoAgain({ contactId: 7, fields: {}, terms: undefined, ...of }, { link: at, inDoubt: false })
  const phone = { fields: { phone: '1' } }
  const terms = { terms: { add: ['back'], remove: ['new'], asserts: ['old', 'back'] } }
  const linked = { linkId: 1, contactId: 7 }

  test.each([
    ['has its own fields alone', phone, link(), { ...linked, fields: { phone: '1' } }],
    ['has nothing left that is put back already', phone, link({ fields: { phone: '1' } }), undefined],
    [
      'sends again what is not known to have arrived',
      phone,
      link({ fields: { phone: '1' }, unsure: ['phone'] }),
      { ...linked, fields: { phone: '1' } },
    ],
    ['leaves a contact that is gone', phone, link({ gone: true }), undefined],
    ['leaves a contact that was merged', phone, link({ merged: true }), undefined],
    ['leaves another contact', phone, link({ contactId: 8 }), undefined],
    ['leaves a record without a contact', phone, undefined, undefined],
    [
      'has its own terms, and keeps the others',
      terms,
      link({ terms: [term('New'), term('later')] }),
      { ...linked, fields: {}, terms: { add: ['back'], remove: ['New'], asserts: ['later', 'back'] } },
    ],
    [
      'leaves a term that another record asserts by now',
      terms,
      link({ terms: [term('new', { shared: true }), term('back')] }),
      undefined,
    ],
    [
      'gives a term again that is not known to have arrived',
      terms,
      link({ terms: [term('back', { unsure: true })] }),
      { ...linked, fields: {}, terms: { add: ['back'], remove: [], asserts: ['back'] } },
    ],
    [
      'has no terms where nothing is known of them',
      terms,
      link({ terms: undefined }),
      {
        ...linked,
        fields: {},
        terms: { add: ['back'], remove: [], asserts: ['back'] },
      },
    ],
  ])('%s', (_, of, at, expected) => {
    expect(again(of, at)).toEqual(expected)
  })
})
