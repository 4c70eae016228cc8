// What `drift --repair` puts back, and what it leaves: at the look, at the release, and right before it is sent.
import { describe, expect, it } from 'vitest'
import type { KnownLink } from '../../../../src/core/change/diff.ts'
import type { HandEditRule, SentValues } from '../../../../src/core/change/others/hand-edits.ts'
import {
  isRepair,
  repairableNames,
  repairAgain,
  repairChange,
  repairNow,
} from '../../../../src/core/change/others/repair.ts'
import type { Contact } from '../../../../src/core/mapping/contact.ts'

const shown = (fields: Contact) => ({ id: 1, fields }) as never
const rules = (rule: HandEditRule) => ({ any: true, ruleOf: () => rule, termRule: rule })
const term = (name: string, unsure = false) => ({ name, unsure, ours: true, shared: false })
const link = (fields: Contact, more: Partial<KnownLink> = {}): KnownLink => ({
  ...{ id: 7, contactId: 1, fields, unsure: [], terms: undefined, gone: false, merged: false },
  ...more,
})
const sent = (last: Contact, pushed: readonly Contact[] = [last]): SentValues => ({ last, pushed, open: [] })

describe('of what a look found', () => {
  it.each<[string, HandEditRule, Contact, readonly string[]]>([
    ['another value', 'overwrite', { phone: '2' }, ['phone', 'term A']],
    ['another value that is kept or waits', 'ask', { phone: '2' }, []],
    ['an emptied field, whatever the rule', 'ask', {}, ['phone']],
  ])('%s', (_, rule, fields, names) => {
    const drifted = { differing: ['mail_status', 'phone', 'term A'], kept: [] }
    expect(repairableNames(drifted, shown(fields), rules(rule))).toEqual(names)
  })
})

describe('a plan', () => {
  it.each([
    ['has the values that were last sent', link({ phone: '1', fax: '2' }), { fields: { phone: '1' } }],
    ['leaves what is not certain', link({ phone: '1' }, { unsure: ['phone'] }), undefined],
    ['leaves the status', link({ mail_status: 2 }), undefined],
    ['leaves what was never sent', link({ fax: '2' }), undefined],
    [
      'gives terms again that the record still has',
      link({}, { terms: [term('A'), term('B', true), term('C')] }),
      { fields: {}, terms: { add: ['A'], remove: [], asserts: ['A', 'B', 'C'] } },
    ],
  ])('%s', (_, known, change) => {
    const names = ['phone', 'mail_status', 'term A', 'term B', 'term Z']
    expect(repairChange(names, known, { last: {} })).toEqual(change)
  })

  it('leaves a field that another pipeline sent last', () => {
    expect(repairChange(['phone'], link({ phone: '1' }), { last: { phone: '2' } })).toBeUndefined()
    expect(repairChange(['phone'], link({ phone: '1' }), { last: { phone: '1' } })).toBeDefined()
  })
})

describe('after its release', () => {
  const terms = { add: ['A'], remove: [], asserts: ['A'] }
  const planned = { fields: { phone: '1', fax: '2' }, terms, contactId: 1 }
  const again = (known: KnownLink | undefined) => repairAgain(planned, { link: known, inDoubt: false })

  it('keeps only values that nothing newer has replaced', () => {
    const known = link({ phone: '1', fax: '3' }, { terms: [term('A'), term('B')] })
    expect(again(known)).toEqual({
      ...{ linkId: 7, contactId: 1, fields: { phone: '1' } },
      terms: { add: ['A'], remove: [], asserts: ['A', 'B'] },
    })
    expect(again(link({ phone: '9' }, { terms: [term('B')] }))).toBeUndefined()
  })

  it('of fields alone, or of terms that the record has no list of any more, is decided over what is left', () => {
    const alone = { fields: { phone: '1' }, terms: undefined, contactId: 1 }
    const known = { link: link({ phone: '1' }, { terms: [term('A')] }), inDoubt: false }
    expect(repairAgain(alone, known)).toEqual({ linkId: 7, contactId: 1, fields: { phone: '1' } })
    expect(again(link({ phone: '1' }))).toEqual({ linkId: 7, contactId: 1, fields: { phone: '1' } })
  })

  it('ends where its contact is gone, merged, or another one', () => {
    const fields = { phone: '1' }
    for (const one of [{ gone: true }, { merged: true }, { contactId: 2 }])
      expect(again(link(fields, one))).toBeUndefined()
    expect(again(undefined)).toBeUndefined()
  })
})

describe('right before it is sent', () => {
  it.each<[string, HandEditRule, Contact, SentValues, object]>([
    [
      'sends what still differs',
      'overwrite',
      { phone: '2' },
      sent({ phone: '1' }),
      { send: { phone: '1' }, left: [] },
    ],
    [
      'sends nothing that is there again',
      'overwrite',
      { phone: '1' },
      sent({ phone: '1' }),
      { send: {}, left: [] },
    ],
    ['leaves an edit', 'keep', { phone: '2' }, sent({ phone: '1' }), { send: {}, left: ['phone'] }],
    ['fills what is blank', 'keep', {}, sent({ phone: '1' }), { send: { phone: '1' }, left: [] }],
    [
      'leaves what another pipeline sent since',
      'overwrite',
      { phone: '3' },
      sent({ phone: '3' }),
      { send: {}, left: ['phone'] },
    ],
  ])('%s', (_, rule, fields, values, expected) => {
    expect(repairNow({ phone: '1' }, { sent: values, shown: shown(fields) }, rules(rule))).toEqual(expected)
  })
})

it('is told in the journal from the undo of a run, and from what a record asks for', () =>
  expect(['drift', 'r0', undefined].map((undoes) => isRepair({ undoes }))).toEqual([true, false, false]))
