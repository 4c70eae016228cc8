// Comparing secrets.
import { expect, it } from 'vitest'
import { isRightSecret, secretDigest } from '../../../../src/core/words/secrets/secret-digest.ts'

it.each([
  ['secret', 'secret', true],
  ['secret', 'Secret', false],
  ['secre', 'secret', false],
  ['', 'secret', false],
  ['', '', false],
  ['ü', 'u\u0308', false],
])('%j shown for %j: %s', (shown, configured, expected) => {
  expect(isRightSecret(shown, secretDigest(configured))).toBe(expected)
})
