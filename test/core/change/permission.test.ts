// Which mail_status a contact, or the law, has asked for.
import { expect, it } from 'vitest'
import { isWithdrawn, UNKNOWN_STATUS } from '../../../src/core/change/permission.ts'

it('blocked and unsubscribed are withdrawals, and nothing else is', () => {
  const all = [undefined, 0, 1, 2, UNKNOWN_STATUS, 4, 7]
  expect(all.filter(isWithdrawn)).toEqual([1, 2])
  expect(isWithdrawn(undefined)).toBe(false)
})
