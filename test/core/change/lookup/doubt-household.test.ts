// A doubt about a record whose key is made of fields: the address belongs to several persons.
import { describe, expect, it } from 'vitest'
import { doubtStep, type SentAs } from '../../../../src/core/change/lookup/doubt.ts'

const SENT = { mail: 'lee@example.com', first_name: 'Ann', family_name: 'Lee', phone: '030 1' }
const AS: SentAs = {
  ...{ check: 'none', merge: 'update_add', marker: undefined, ofOthers: new Map() },
  household: ['mail', 'first_name'],
}
const shown = (id: number, fields: Record<string, unknown>) => ({
  id,
  fields: { mail: 'lee@example.com', ...fields },
})
const ben = shown(4, { first_name: 'Ben', family_name: 'Lee', phone: '030 1' })
const ann = (id: number) => shown(id, { first_name: 'ANN', family_name: 'Roth', phone: '040 2' })

describe('a create of which the outcome is unknown', () => {
  it.each([
    ['made the one with the fields of its key, whatever else that shows by now', [ben, ann(5)], 5],
    ['made nobody where the others of the address are other persons', [ben], 'absent'],
  ] as const)('%s', (_, contacts, expected) => {
    expect(doubtStep(SENT, { contacts, others: [] }, AS)).toStrictEqual(
      expected === 'absent' ? { kind: 'absent' } : { kind: 'adopt', contactId: expected },
    )
  })

  it('is for a person to settle where several have the fields of its key', () => {
    expect(doubtStep(SENT, { contacts: [ben, ann(5), ann(6)], others: [] }, AS)).toStrictEqual({
      kind: 'unclear',
      reason:
        'the service has several contacts with the same mail and first_name (2), and any of them may be the right one; merge them there, or name the right one with doubts resolve',
    })
  })

  it('may have made the one whose address the service changed on its way in', () => {
    const others = [{ id: 9, fields: { ...SENT, mail: 'l.ee@example.com' } }]
    expect(doubtStep(SENT, { contacts: [ben], others }, AS)).toStrictEqual({
      kind: 'unclear',
      reason: 'the look-up returned contact 9 with another e-mail address, which shows part of what was sent',
    })
  })
})
