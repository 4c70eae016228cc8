// What a merge method lets through, and when the contact has to be read for it.
import { describe, expect, it } from 'vitest'
import {
  allowedFields,
  isWithheldBy,
  needsActual,
  withheldFields,
  withholdsText,
} from '../../../src/core/change/merge-method.ts'

describe('a merge method', () => {
  it.each([
    ['update_add', { a: '1', b: '2' }],
    ['update', { a: '1' }],
    ['add', { b: '2' }],
  ] as const)('%s', (method, expected) => {
    expect(allowedFields({ a: '1', b: '2' }, { a: 'x', b: null }, method)).toEqual(expected)
  })

  it.each(['update_add', 'update', 'add'] as const)('%s keeps no mail_status back', (method) => {
    for (const actual of [{}, { mail_status: 3 }])
      expect(allowedFields({ mail_status: 1 }, actual, method)).toEqual({ mail_status: 1 })
  })

  it('asks for the contact unless everything may be overwritten', () =>
    expect((['update_add', 'update', 'add'] as const).map(needsActual)).toEqual([false, true, true]))

  it('withholds what it does not let through', () =>
    expect(withheldFields({ a: '1', b: '2' }, { a: '1' })).toStrictEqual({ b: '2' }))

  it('is found in the reason of an entry, among others', () => {
    const reason = `x; ${withholdsText('add', ['phone', 'fax'])}; the service does not clear skype`
    const asked = ['phone', 'fax', 'skype', 'ph']
    expect(asked.map((field) => isWithheldBy(reason, field))).toEqual([true, true, false, false])
    expect(isWithheldBy(withholdsText('update', ['phone']), 'phone')).toBe(true)
    expect(isWithheldBy(null, 'phone')).toBe(false)
  })
})
