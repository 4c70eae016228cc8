import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { characterCount } from '../../../../src/core/mapping/contact.ts'
import { compileTransforms, TRANSFORMS } from '../../../../src/core/mapping/fields/transforms.ts'

const apply = (name: string, options?: unknown) => compileTransforms([{ name, options }])

describe('transforms without options', () => {
  it.each([
    ['trim', '  a b\u00a0', 'a b'],
    ['lower', 'ÄRGER I', 'ärger i'],
    ['upper', 'straße i', 'STRASSE I'],
    ['digits', '+49 (0)30 / 12-34', '490301234'],
    ['digits', 'none', ''],
    ['collapse_spaces', ' a \t b\r\n\u00a0c ', 'a b c'],
    ['title_case', 'jean-luc', 'Jean-Luc'],
    ['title_case', "o'neill", "O'Neill"],
    ['title_case', 'D’ANGELO', 'D’Angelo'],
    ['title_case', "THE DRIVER'S SEAT", "The Driver's Seat"],
    ['title_case', 'ÖZGÜR ÇELIK', 'Özgür Çelik'],
    ['title_case', 'McDonald DeVito', 'McDonald DeVito'],
    ['title_case', 'aNNA maria', 'Anna Maria'],
    ['title_case', 'ßtrange', 'Sstrange'],
    ['title_case', 'e\u0301lise', 'E\u0301lise'],
    ['title_case', '2nd street', '2nd Street'],
    ['title_case', '', ''],
  ])('%s makes of %j: %j', (name, value, expected) => {
    expect(apply(name)(value)).toBe(expected)
  })
})

describe('transforms with options', () => {
  it.each([
    ['replace', { find: '$1.', with: '$&' }, 'a$1.b$1.', 'a$&b$&'],
    ['replace', { pattern: '([0-9]+)-([0-9]+)', with: '$2/$1' }, '12-34 5-6', '34/12 6/5'],
    ['replace', { pattern: '(a+)+$', with: '' }, `${'a'.repeat(60)}b`, `${'a'.repeat(60)}b`],
    ['split', { separator: ',', part: 1 }, 'a , b, c', 'a'],
    ['split', { separator: ',', part: -1 }, 'a , b, c', 'c'],
    ['split', { separator: ',', part: 4 }, 'a , b, c', ''],
    ['split', { separator: ',', part: -4 }, 'a , b, c', ''],
    ['split', { separator: ' ::: ', part: 2 }, 'x ::: y', 'y'],
    ['truncate', 3, 'abc', 'abc'],
    ['truncate', 3, 'abcd', 'abc'],
    ['truncate', 2, '😀😀😀', '😀😀'],
    ['truncate', 3, 'ab👩‍👩‍👧', 'ab'],
    ['truncate', 1, 'e\u0301e', 'e\u0301'],
    ['truncate', 3, '🇩🇪🇫🇷', '🇩🇪'],
  ])('%s %j makes of %j: %j', (name, options, value, expected) => {
    expect(apply(name, options)(value)).toBe(expected)
  })

  it.each([
    ['replace', { with: 'x' }, /exactly one of find and pattern/],
    ['replace', { find: 'a', pattern: 'b', with: 'x' }, /exactly one of find and pattern/],
    ['replace', { pattern: '(a', with: 'x' }, /is not an RE2 pattern/],
    ['replace', { pattern: 'a(?=b)', with: 'x' }, /is not an RE2 pattern/],
    ['replace', { pattern: '(a)', with: '$2' }, /names \$2/],
    ['replace', { pattern: '(a', with: '$2' }, /is not an RE2 pattern/],
    ['replace', { find: '', with: 'x' }, /./],
    ['split', { separator: ',', part: 0 }, /1 is the first part/],
    ['truncate', 0, /./],
    ['trim', true, /./],
  ])('%s refuses %j', (name, options, expected) => {
    expect(() => apply(name, options)).toThrow(expected)
  })
})

describe('compileTransforms', () => {
  it('applies in order, and does nothing without calls', () => {
    const calls = [
      { name: 'trim', options: undefined },
      { name: 'upper', options: undefined },
      { name: 'truncate', options: 2 },
    ]
    expect(compileTransforms(calls)('  abc')).toBe('AB')
    expect(compileTransforms([])(' a ')).toBe(' a ')
  })

  it.each(['trimm', 'toString', '__proto__'])('refuses the unknown name %s', (name) => {
    expect(() => apply(name)).toThrow(`there is no transform "${name}"`)
  })

  it('has a help, an example and a fitting schema for every entry', () => {
    for (const [name, { help, example }] of Object.entries(TRANSFORMS)) {
      expect(help).toMatch(/\.$/)
      expect(example).toContain(name)
    }
  })

  it('never fails on any text, and repeating the idempotent ones changes nothing', () => {
    const idempotent = ['trim', 'lower', 'title_case', 'digits', 'collapse_spaces']
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(...idempotent), (text, name) => {
        const once = apply(name)(text)
        if (name !== 'title_case') expect(apply(name)(once)).toBe(once)
        expect(typeof once).toBe('string')
      }),
    )
  })

  it('truncates to at most so many characters, to a beginning of the value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, limit) => {
        const cut = apply('truncate', limit)(text)
        expect(text.startsWith(cut)).toBe(true)
        expect(characterCount(cut)).toBeLessThanOrEqual(limit)
      }),
    )
  })
})
