// Secrets in disguise: every form in which a library, a log or a page may write them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedaction } from '../../../../src/core/words/secrets/redact.ts'

const SECRET = 'p+a/ss"wörd"&=1~7fQz'
const bytes = Buffer.from(SECRET)
const hex = bytes.toString('hex')

describe('redaction', () => {
  const redact = createRedaction([SECRET, 'abc', 'Key-0123456789'])

  it.each([
    ['as it is', SECRET],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['URL-encoded in small letters', encodeURIComponent(SECRET).toLowerCase()],
    ['as a form sends it', new URLSearchParams({ q: SECRET }).toString().slice(2)],
    ['as a path is written', encodeURI(SECRET)],
    ['with every byte encoded', [...bytes].map((byte) => `%${byte.toString(16)}`).join('')],
    ['in hexadecimal', hex],
    ['in large hexadecimal', hex.toUpperCase()],
    ['as a fingerprint is written', hex.match(/../g)?.join(':') ?? ''],
    ['as JSON writes it', JSON.stringify(SECRET).slice(1, -1)],
    [
      'as JSON may write it',
      Array.from(SECRET, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    ],
    ['as HTML writes it', SECRET.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
    ['broken over lines', `${SECRET.slice(0, 7)}\n  ${SECRET.slice(7)}`],
    [
      'broken over lines within JSON',
      `${SECRET.slice(0, 3).replaceAll('"', '\\"')}\\n${SECRET.slice(3).replaceAll('"', '\\"')}`,
    ],
    [
      'broken as mails are',
      `${encodeURIComponent(SECRET).slice(0, 9)}=\r\n${encodeURIComponent(SECRET).slice(9)}`,
    ],
    ['in base64 over lines', (bytes.toString('base64').match(/.{1,6}/g) ?? []).join('\n')],
  ])('masks a secret %s', (_, text) => {
    expect(redact(`before ${text} after`)).toBe('before [secret] after')
  })

  it.each([0, 1, 2, 3, 4, 5])(
    'masks it in base64 %i bytes behind its beginning, of both alphabets',
    (offset) => {
      for (const alphabet of ['base64', 'base64url'] as const)
        for (const tail of ['', ':', ':x', ':xy']) {
          const text = Buffer.concat([Buffer.alloc(offset, 'u'), bytes, Buffer.from(tail)]).toString(alphabet)
          const masked = redact(text)
          expect(masked).toContain('[secret]')
          // At its two ends a character holds some bits of a neighbour, and stays.
          const left = masked.split('[secret]').map((part) => part.replace(/=+$/, '').length)
          expect(left[0]).toBeLessThanOrEqual(Math.ceil((offset * 8) / 6))
          expect(left[1]).toBeLessThanOrEqual(Math.ceil(((tail.length + 1) * 8) / 6))
        }
    },
  )

  it('leaves words alone that a short secret would hide', () => {
    expect(redact('abcdef')).toBe('abcdef')
  })

  it('leaves everything alone where there is no secret', () => {
    expect(createRedaction([])('run ended')).toBe('run ended')
    expect(createRedaction([''])('run ended')).toBe('run ended')
  })

  it('is quick on long lines that nearly hold it', () => {
    const text = `${SECRET.slice(0, -1)} `.repeat(5000)
    const started = performance.now()
    expect(redact(text)).toBe(text)
    expect(performance.now() - started).toBeLessThan(2000)
  })

  it('finds hundreds of secrets, and one of thousands of characters, in no more time than a few', () => {
    const keys = Array.from(
      { length: 600 },
      (_, number) => `key-of-tenant-${number}-${'x'.repeat(number % 40)}`,
    )
    const large = Array.from({ length: 4000 }, (_, at) => String.fromCharCode(97 + ((at * 7) % 26))).join('')
    const of = createRedaction([...keys, large])
    const line = `{"message":"request refused","detail":"${keys[599]}","hint":"none of the keys is permitted"}`
    const started = performance.now()
    for (let turn = 0; turn < 1000; turn += 1) expect(of(line)).not.toContain('tenant-599')
    expect(performance.now() - started).toBeLessThan(2000)
    expect(of(`before ${large.slice(0, 2000)}\r\n${large.slice(2000)} after`)).toBe('before [secret] after')
  })

  // The characters of which breaks consist, and few others: what begins, ends or is broken by them is found, too.
  const sign = fc.constantFrom('n', 'r', 't', '\\', '=', ' ', 'a', 'B', '/', '"')
  const secretOf = fc.array(sign, { minLength: 4, maxLength: 9 }).map((all) => all.join(''))
  const gap = fc.constantFrom('', '', '', ' ', '\n', '\\n', '\\t', '=\r\n', '=\\n')
  it('masks what is broken anywhere, among texts that resemble it', () => {
    fc.assert(
      fc.property(
        fc.array(secretOf, { minLength: 1, maxLength: 3 }),
        fc.array(sign, { maxLength: 6 }).map((all) => all.join('')),
        fc.array(gap, { minLength: 9, maxLength: 9 }),
        (secrets, around, gaps) => {
          const broken = Array.from(secrets[0] ?? '')
            .map((one, at) => (at === 0 ? one : `${gaps[at - 1] ?? ''}${one}`))
            .join('')
          const text = createRedaction(secrets)(`${around}<${broken}>${around}`)
          expect(text).toContain('<[secret]>')
        },
      ),
      { numRuns: 2000 },
    )
  })
})
