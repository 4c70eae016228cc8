// Most texts are seen to be sound at a glance: what is made of them is what the long way makes, for each character that there is.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { characterCount, isPlainText, mailKey } from '../../../../src/core/mapping/contact.ts'
import { checkText, cleanText } from '../../../../src/core/mapping/fields/field-check.ts'

const INVISIBLE = /[\u{feff}\u{200b}\u{200e}\u{200f}\u{061c}\u{2060}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu
const cleaned = (text: string): string => text.normalize('NFC').replace(INVISIBLE, '').trim()
const counted = (text: string): number => Array.from(text.normalize('NFC')).length

/** Every unit of UTF-16, halves of characters among them, each within a word. */
const WORDS = Array.from({ length: 0x1_0000 }, (_, unit) => `a${String.fromCharCode(unit)}e`)

it('each character is cleaned, counted and found damaged as it was without a glance', () => {
  const isDamaged = (text: string): boolean => 'code' in checkText(text, (value) => ({ value }))
  const wrong = WORDS.filter(
    (word) =>
      cleanText(word) !== cleaned(word) ||
      characterCount(word) !== counted(word) ||
      // What is plain is never damaged.
      (isPlainText(word) && (!word.isWellFormed() || /[\p{Cc}\uFFFD]/u.test(word))),
  )
  expect(wrong).toEqual([])
  const damaged = WORDS.filter(isDamaged).map((word) => word.charCodeAt(1))
  expect(damaged.filter((unit) => unit < 0x100)).toEqual([
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12],
    ...Array.from({ length: 18 }, (_, index) => 14 + index),
    127,
  ])
  expect(damaged.filter((unit) => unit >= 0x100)).toEqual([
    ...Array.from({ length: 0x800 }, (_, index) => 0xd800 + index),
    0xfffd,
  ])
})

it('so are whole texts', () => {
  const letters = fc.constantFrom(
    'a',
    'Z',
    ' ',
    '\u00a0',
    'ß',
    'é',
    'e\u0301',
    '\u200b',
    '😀',
    '\t',
    'ﬁ',
    'ÿ',
  )
  fc.assert(
    fc.property(
      fc.array(letters).map((all) => all.join('')),
      (text) => {
        expect(cleanText(text)).toBe(cleaned(text))
        expect(characterCount(text)).toBe(counted(text))
        const mail = `${text}@Example.com`
        expect(mailKey(mail)).toBe(mailKey(mail.normalize('NFC')))
      },
    ),
  )
})
