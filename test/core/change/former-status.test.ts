// The table of the file's header, whole.
import { expect, it } from 'vitest'
import { statusOfNew } from '../../../src/core/change/consents/former-status.ts'

const SAID = [undefined, 1, 2, 3, 4, 7] as const

it.each<[former: number | undefined, mayRaise: boolean, expected: (number | undefined)[]]>([
  [undefined, false, [undefined, 1, 2, 3, 4, 7]],
  [undefined, true, [undefined, 1, 2, 3, 4, 7]],
  [1, false, [1, 1, 1, 1, 1, 1]],
  [2, false, [2, 1, 2, 2, 2, 2]],
  [1, true, [1, 1, 1, 3, 4, 7]],
  [2, true, [2, 1, 2, 3, 4, 7]],
])('after %s, raising allowed: %s', (former, mayRaise, expected) =>
  expect(SAID.map((said) => statusOfNew(said, former, { mayRaise }))).toEqual(expected),
)
