// Why changes are held, as words and in numbers.
import { expect, it } from 'vitest'
import { GONE_REASON, MERGED_IN_CALL_REASON, MERGED_REASON } from '../../../../src/core/change/diff.ts'
import { byNumber, heldCounter, whyHeld } from '../../../../src/core/change/waiting/held-why.ts'

it.each([
  [GONE_REASON, 'contact_deleted'],
  [MERGED_REASON, 'shared_contact'],
  [MERGED_IN_CALL_REASON, 'shared_contact'],
  ['another reason', 'other'],
])('%s is %s', (reason, word) => expect(whyHeld(reason)).toBe(word))

it('counts, takes back and adds, and names the most frequent reason first', () => {
  const [all, part] = [heldCounter(), heldCounter()]
  part.note('shared_mail', 2)
  part.note('brake')
  part.note('brake', -1)
  all.note('max_deletes', 9)
  all.note('shared_mail')
  all.add(part)
  expect(all.totals()).toEqual({ max_deletes: 9, shared_mail: 3 })
  expect(byNumber({ shared_mail: 3, max_deletes: 9 })).toEqual([
    ['max_deletes', 9],
    ['shared_mail', 3],
  ])
})
