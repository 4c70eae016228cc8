import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { archivedName, displayName, rawName } from '../../src/sources/file-name.ts'

describe('displayName', () => {
  it.each([
    ['contacts 2024.csv', 'contacts 2024.csv'],
    ['Müller & Söhne 😀.csv', 'Müller & Söhne 😀.csv'],
    ['a\nb.csv', 'a\\u{a}b.csv'],
    ['a\u001b[31m.csv', 'a\\u{1b}[31m.csv'],
    ['a\\b.csv', 'a\\u{5c}b.csv'],
    ['a\u2028\u202e.csv', 'a\\u{2028}\\u{202e}.csv'],
  ])('%j', (name, shown) => {
    expect(displayName(Buffer.from(name))).toBe(shown)
  })

  it('leads back to the bytes, whatever they are', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 80 }).map((array) => Buffer.from(array))
    const text = fc.string({ unit: 'binary', minLength: 1 }).map((value) => Buffer.from(value))
    const possible = fc.oneof(bytes, text).filter((raw) => !/[/\0]/.test(raw.toString('latin1')))
    fc.assert(
      fc.property(possible, (raw) => {
        if (['.', '..'].includes(raw.toString('latin1'))) return
        expect(displayName(raw)).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u)
        expect(rawName(displayName(raw))).toEqual(raw)
      }),
    )
  })
})

describe('rawName', () => {
  it.each(['', '.', '..', 'a/b', '\\x2e\\x2e', '..\\x2fpasswd', '\\u{2f}', 'a\\x00'])(
    'has no file for %j',
    (shown) => {
      expect(rawName(shown)).toBeUndefined()
    },
  )
})

describe('archivedName', () => {
  it.each([
    ['a.csv', undefined, 'a.r1.csv'],
    ['a.b.csv', '.rejects.csv', 'a.b.r1.rejects.csv'],
    ['noending', undefined, 'noending.r1'],
    ['.hidden', '.txt', '.hidden.r1.txt'],
  ])('%s and %s', (name, ending, expected) => {
    expect(archivedName(Buffer.from(name), 'r1', ending).toString()).toBe(expected)
  })

  it('keeps names within 255 bytes and characters whole', () => {
    const name = archivedName(Buffer.from(`${'ü'.repeat(125)}.csv`), 'run-1', '.rejects.csv')
    expect(name.length).toBeLessThanOrEqual(255)
    expect(name.toString()).toMatch(/^ü+\.run-1\.rejects\.csv$/)
  })
})
