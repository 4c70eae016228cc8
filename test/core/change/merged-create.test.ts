// When a create that the service merged stays held, and when it may go again.
import { describe, expect, it } from 'vitest'
import { MERGED_REASON } from '../../../src/core/change/diff.ts'
import { unlessMerged } from '../../../src/core/change/merged-create.ts'

const PHONE = { mail: 'a@example.com', phone: '1' }
const RULES = { writes: 'all', household: undefined, duplicate_check_method: 'auto' } as const
const merged = { contactId: 7, fields: PHONE, reason: MERGED_REASON }
const known = { link: undefined, inDoubt: false, mergedCreate: merged }
const create = { kind: 'create', fields: { phone: '1', mail: 'a@example.com' } } as const

describe('a create that was merged before', () => {
  it('stays held in the same form, whatever the order of the fields and its terms', () => {
    const held = { kind: 'held', reason: MERGED_REASON, create: merged }
    expect(unlessMerged(create, known, RULES)).toEqual(held)
    const terms = { add: ['A'], remove: [], asserts: ['A'] }
    expect(unlessMerged({ ...create, terms }, known, RULES)).toEqual(held)
  })

  it.each([
    ['another field', { ...create, fields: { ...PHONE, phone: '2' } }, known, RULES],
    ['a mail_status', { ...create, consent: 4 }, known, RULES],
    ['a merge that is over', create, { link: undefined, inDoubt: false }, RULES],
    ['no check for duplicates', create, known, { ...RULES, duplicate_check_method: 'none' } as const],
    ['a look before it', create, known, { ...RULES, writes: 'update' } as const],
    ['a key of fields', create, known, { ...RULES, household: ['mail'] } as const],
  ])('goes again with %s', (_, decided, state, rules) =>
    expect(unlessMerged(decided, state, rules)).toBe(decided),
  )

  it('concerns creates alone', () =>
    expect(unlessMerged({ kind: 'unchanged' }, known, RULES)).toEqual({ kind: 'unchanged' }))
})
