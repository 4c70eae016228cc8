import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parsedJson } from '../../../src/sources/json/values.ts'

it('numbers of a whole text keep the form in which they were written', () => {
  const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,24})$/)
  const number = fc
    .tuple(
      fc.constantFrom('', '-'),
      digits,
      fc.stringMatching(/^(\.[0-9]{1,9})?$/),
      fc.stringMatching(/^([eE][+-]?[0-9]{1,2})?$/),
    )
    .map((parts) => parts.join(''))
  const blank = fc.constantFrom('', ' ', '\n\t')
  fc.assert(
    fc.property(number, number, number, blank, (one, two, three, space) => {
      const text = `{"a":${space}${one},"b":[${space}${two},${space}${three}],"c":"1, ${one}"}`
      expect(JSON.stringify(parsedJson(text))).toBe(`{"a":${one},"b":[${two},${three}],"c":"1, ${one}"}`)
    }),
  )
})
