// The e-mail addresses in one column.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressesIn, nthAddress } from '../../../../src/core/mapping/values/addresses.ts'

describe('the addresses in a text', () => {
  it.each([
    ['a@x.example', ['a@x.example']],
    ['Nea <n@x.example>; m@x.example', ['n@x.example', 'm@x.example']],
    ['"Doe, Jane" <jane@x.example>, "Roe, R." <r@x.example>', ['jane@x.example', 'r@x.example']],
    ['Doe, Jane <jane@x.example>', ['jane@x.example']],
    ['"n@home, old" <n@x.example>', ['n@x.example']],
    ['n@x.example <n@x.example>', ['n@x.example']],
    ['old@x.example <new@x.example>', ['new@x.example']],
    ['Nea <n@x.example> m@x.example', ['n@x.example', 'm@x.example']],
    ['<a@x.example><b@x.example>', ['a@x.example', 'b@x.example']],
    ['mailto:n@x.example', ['n@x.example']],
    ['mailto:n@x.example?subject=Hi@you', ['n@x.example']],
    ['mailto:n%2Bnews@x.example', ['n+news@x.example']],
    ['mailto:n%@x.example', ['n%@x.example']],
    ['<a href="mailto:n@x.example">n@x.example</a>', ['n@x.example']],
    ['[Nea](mailto:n@x.example)', ['n@x.example']],
    ['SMTP:n@x.example;smtp:m@x.example', ['n@x.example', 'm@x.example']],
    ['E-Mail: n@x.example', ['n@x.example']],
    ['a@x.example\nb@x.example\r\nc@x.example', ['a@x.example', 'b@x.example', 'c@x.example']],
    ['a@x.example | b@x.example', ['a@x.example', 'b@x.example']],
    ['a@x.example/b@x.example', ['a@x.example', 'b@x.example']],
    ['a@x.example / b@x.example', ['a@x.example', 'b@x.example']],
    ['a/b@x.example', ['a/b@x.example']],
    ["o'neil@x.example", ["o'neil@x.example"]],
    ["'n@x.example'", ['n@x.example']],
    ['n@x.example.', ['n@x.example']],
    ['.n@x.example; m@x.example', ['.n@x.example', 'm@x.example']],
    ['a@x.example, A@X.example', ['a@x.example']],
    ['a@bücher.example; a@xn--bcher-kva.example', ['a@bücher.example']],
    ['nothing here', []],
    ['a@', ['a@']],
    ['', []],
  ])('%j', (text, expected) => {
    expect(addressesIn(text)).toEqual(expected)
  })

  it('are counted from 1; fewer are blank, and none are no list of addresses', () => {
    const text = 'Nea <n@x.example>; m@x.example'
    expect([1, 2, 3].map((place) => nthAddress(text, place))).toEqual(['n@x.example', 'm@x.example', ''])
    expect(nthAddress('by telephone', 1)).toEqual({ problem: 'contains no e-mail address' })
    expect(nthAddress('by telephone', 2)).toBe('')
  })

  it('are parts of the text, each once, whatever stands around them', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'a@x.example',
        'B@y.example',
        '<',
        '>',
        '"',
        ';',
        ',',
        ' ',
        '/',
        'mailto:',
        '@',
        '(',
        "'",
      ),
      fc.string({ maxLength: 4 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        const found = addressesIn(text)
        expect(new Set(found.map((one) => one.toLowerCase())).size).toBe(found.length)
        for (const one of found) {
          expect(one).toContain('@')
          expect(one).not.toMatch(/[<>"\s;,|]/)
          // A link may hold encoded signs.
          if (!/mailto:/i.test(text)) expect(text).toContain(one)
        }
        expect(addressesIn(found.join('; ')).length).toBeLessThanOrEqual(found.length)
      }),
      { numRuns: 500 },
    )
  })

  it('take time in proportion to the text', () => {
    for (const sign of ['<', '"', '@', '" ', '<a@', "'", 'a@x/'])
      expect(addressesIn(sign.repeat(100_000)).length).toBeLessThanOrEqual(100_000)
  })
})
