// What is proposed in place of a value: only what may have been meant.
import { expect, it } from 'vitest'
import { nearName, suggestion } from '../../../src/core/words/nearest.ts'

it.each([[' '], [''], [':'], ['  ']])('proposes no other sign in place of %j', (value) => {
  expect(nearName(value, ['auto', ',', ';', '\t', '|'])).toBeUndefined()
})

it('proposes nothing that shares no letter with it', () => {
  expect(nearName('::', ['auto', ',', ';'])).toBeUndefined()
  expect(suggestion('timout', ['timeout', 'retry'])).toBe('did you mean timeout?')
})
