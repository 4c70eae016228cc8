// How likely a word is in the languages of Europe and its neighbours, by which letter follows which. The statistics come from the names of
// countries, languages and currencies that the platform knows in each of them, some thousand words, and from common names
// of people. Made when first asked for; pure.

import { COMMON_NAMES } from './common-names.ts'

/** Languages whose letters an encoding was made for. */
export const LANGUAGES = {
  western: ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'sv', 'da', 'nb', 'fi', 'is', 'ca', 'ga'],
  central: ['pl', 'cs', 'sk', 'hu', 'sl', 'hr', 'ro', 'sq', 'de'],
  cyrillic: ['ru', 'uk', 'bg', 'sr', 'mk', 'be'],
  greek: ['el'],
  turkish: ['tr', 'de', 'fr'],
  baltic: ['lt', 'lv', 'et', 'pl', 'de'],
  hebrew: ['he'],
  arabic: ['ar', 'fa'],
} as const

export type Script = keyof typeof LANGUAGES

interface Model {
  readonly pairs: ReadonlyMap<string, number>
  readonly firsts: ReadonlyMap<string, number>
  readonly letters: ReadonlyMap<string, number>
  readonly total: number
}

const CURRENCIES = Intl.supportedValuesOf('currency')
const SCRIPTS = [
  'Arab',
  'Armn',
  'Cyrl',
  'Grek',
  'Hang',
  'Hans',
  'Hant',
  'Hebr',
  'Jpan',
  'Latn',
  'Zsym',
  'Zxxx',
  'Zyyy',
  'Zzzz',
]

/** All pairs of letters; the platform knows which of them are codes. */
function codes(): string[] {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
  return letters.flatMap((first) => letters.map((second) => first + second))
}

function* wordsOf(language: string): Generator<string> {
  const named = (type: 'region' | 'language' | 'currency' | 'script') =>
    new Intl.DisplayNames([language], { type, fallback: 'none' })
  const regions = named('region')
  const languages = named('language')
  const currencies = named('currency')
  const scripts = named('script')
  const texts = [
    ...codes().flatMap((code) => [regions.of(code), languages.of(code.toLowerCase())]),
    ...CURRENCIES.map((code) => currencies.of(code)),
    ...SCRIPTS.map((code) => scripts.of(code)),
  ]
  for (const text of texts) for (const [word] of (text ?? '').matchAll(/\p{L}+/gu)) yield folded(word)
}

/**
 * The letters with a comma below and with a cedilla are one, and so are the two forms of yeh, of which Windows-1256 has
 * one; case is judged apart.
 */
const folded = (word: string): string =>
  word.toLowerCase().replaceAll('ș', 'ş').replaceAll('ț', 'ţ').replaceAll('\u06cc', '\u064a').normalize('NFC')

function modelOf(language: string): Model {
  const pairs = new Map<string, number>()
  const firsts = new Map<string, number>()
  const letters = new Map<string, number>()
  let total = 0
  const add = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1)
  const names = (COMMON_NAMES[language] ?? '').split(' ').map(folded)
  for (const word of [...new Set(wordsOf(language)), ...names, ...names, ...names]) {
    const chars = ['^', ...Array.from(word), '$']
    for (let at = 1; at < chars.length; at += 1) {
      add(pairs, `${chars[at - 1]}${chars[at]}`)
      add(firsts, chars[at - 1] ?? '')
      add(letters, chars[at] ?? '')
      total += 1
    }
  }
  return { pairs, firsts, letters, total }
}

const models = new Map<string, Model>()

function model(language: string): Model {
  const known = models.get(language)
  if (known !== undefined) return known
  const made = modelOf(language)
  models.set(language, made)
  return made
}

/** A letter that no word of the language has. */
const STRANGE = 1e-6
const SMOOTHING = 5

function likelihood(chars: readonly string[], { pairs, firsts, letters, total }: Model): number {
  let sum = 0
  for (let at = 1; at < chars.length; at += 1) {
    const char = chars[at] ?? ''
    const before = chars[at - 1] ?? ''
    const alone = Math.max((letters.get(char) ?? 0) / total, STRANGE)
    const pair = pairs.get(before + char) ?? 0
    sum += Math.log((pair + SMOOTHING * alone) / ((firsts.get(before) ?? 0) + SMOOTHING))
  }
  return sum
}

/** A capital behind a small letter is rare, and so is a second capital before one. */
const MISPLACED_CAPITAL = 3

const MISPLACED = /(?<=\p{Ll})\p{Lu}|(?<=\p{Lu})\p{Lu}(?=\p{Ll})/gu
/** A file mostly holds words of one language; each word of another one costs this much. */
const ANOTHER_LANGUAGE = 2

/** The logarithm of how likely words are in the languages of a script: mostly in one, or each in its own. */
export function wordsLikelihood(words: readonly string[], script: Script): number {
  const misplaced = words.reduce((sum, word) => sum + (word.match(MISPLACED)?.length ?? 0), 0)
  const chars = words.map((word) => ['^', ...Array.from(folded(word)), '$'])
  const byLanguage = LANGUAGES[script].map((language) => {
    const known = model(language)
    return chars.map((word) => likelihood(word, known))
  })
  const inOne = Math.max(
    ...byLanguage.map((own) =>
      own.reduce((sum, value, at) => {
        const others = Math.max(...byLanguage.map((values) => values[at] ?? value))
        return sum + Math.max(value, others - ANOTHER_LANGUAGE)
      }, 0),
    ),
  )
  return inOne - misplaced * MISPLACED_CAPITAL
}
