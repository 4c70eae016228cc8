// Which 8-bit encoding a text is in. All that Europe and its neighbours use are tried, and what each makes of the words is
// judged by the languages that it was made for. Where two differ on a letter and neither is clearly likelier, there is no
// answer: a wrong one would send wrong names. Pure: bytes in, a verdict out.
import iconv from 'iconv-lite'
import { type Script, wordsLikelihood } from './letter-statistics.ts'

/** In the order that decides between those that read the same letters; how rare they are, in nats. */
const CANDIDATES: readonly (readonly [encoding: string, script: Script, rarity: number])[] = [
  ['windows-1252', 'western', 0],
  ['windows-1250', 'central', 0],
  ['windows-1254', 'turkish', 0],
  ['windows-1257', 'baltic', 1],
  ['windows-1251', 'cyrillic', 5],
  ['windows-1253', 'greek', 5],
  ['iso-8859-15', 'western', 2],
  ['iso-8859-2', 'central', 0],
  ['iso-8859-16', 'central', 12],
  ['iso-8859-9', 'turkish', 1],
  ['iso-8859-13', 'baltic', 2],
  ['iso-8859-4', 'baltic', 15],
  ['iso-8859-5', 'cyrillic', 8],
  ['iso-8859-7', 'greek', 5],
  ['koi8-r', 'cyrillic', 6],
  ['koi8-u', 'cyrillic', 7],
  ['maccyrillic', 'cyrillic', 15],
  ['cp866', 'cyrillic', 15],
  ['cp850', 'western', 10],
  ['cp852', 'central', 10],
  ['macintosh', 'western', 10],
  ['maccenteuro', 'central', 10],
  ['windows-1255', 'hebrew', 5],
  ['iso-8859-8', 'hebrew', 8],
  ['windows-1256', 'arabic', 5],
  ['iso-8859-6', 'arabic', 8],
]

/** Nats by which one reading must be likelier than every other that reads another letter. */
const CLEARLY = 8
/** Enough to be sure, and few enough to be quick. */
const [MOST_WORDS, ENOUGH, MOST_LETTERS] = [600, 5, 40]
const SIGN_FOR_LETTER = 18
/** A word of letters that no language of the candidate has is none. */
const FLOOR_PER_LETTER = -3.6
/** A few rare names may come out below that; what comes out below this is ruled out, and is not proposed either. */
const PROPOSED_PER_LETTER = -4.5

export interface EncodingVerdict {
  /** Undefined where none is clearly likelier. */
  readonly encoding: string | undefined
  /** What speaks for each of two likely encodings: the first word that they read differently. */
  readonly readings: readonly { readonly encoding: string; readonly word: string }[]
}

interface Reading {
  readonly encoding: string
  /** What it makes of each word of the sample, in their order. */
  readonly words: readonly string[]
  readonly score: number
}

/**
 * Collects distinct runs of letters with a byte above 127, part by part: so many, and of each byte some more, since a letter
 * that comes late may be the one that decides.
 */
export function rawWordCollector() {
  const words = new Set<string>()
  const seen = new Map<string, number>()
  return {
    add(part: Buffer): void {
      for (const [word] of part
        .toString('latin1')
        .matchAll(/[A-Za-z'\x80-\xff]*[\x80-\xff][A-Za-z'\x80-\xff]*/g)) {
        if (words.has(word)) continue
        const bytes = word.match(/[\x80-\xff]/g) ?? []
        if (words.size >= MOST_WORDS && bytes.every((byte) => (seen.get(byte) ?? 0) >= ENOUGH)) continue
        for (const byte of bytes) seen.set(byte, (seen.get(byte) ?? 0) + 1)
        // In pieces, so that no byte is left out of what is judged.
        for (let at = 0; at < word.length; at += MOST_LETTERS) {
          const piece = word.slice(at, at + MOST_LETTERS)
          if (/[\x80-\xff]/.test(piece)) words.add(piece)
        }
      }
    },
    words: (): Buffer[] => [...words].map((word) => Buffer.from(word, 'latin1')),
  }
}

const PART = /[\p{L}\p{M}]+|[^\p{L}\p{M}\x00-\x7f]/gu
const isLetter = (text: string | undefined): boolean => text !== undefined && /[\p{L}\p{M}]/u.test(text)

/** What a sign costs, in nats, by where it stands: one within a word stands where a letter was. */
function signCost(sign: string, before: string | undefined, behind: string | undefined): number {
  const [opens, closes] = [isLetter(behind), isLetter(before)]
  if (/\s/u.test(sign)) return opens && closes ? 8 : 1
  if (sign === '’') return opens && !closes ? SIGN_FOR_LETTER : 2
  if (/[‚”]/u.test(sign) && opens) return SIGN_FOR_LETTER
  if (/[‘“„«»‹›‚”]/u.test(sign)) return opens && closes ? SIGN_FOR_LETTER : 2
  if (/[–—…€°§•©®™²³ºª¿¡]/u.test(sign) && !opens && !closes) return 2
  // Signs of Hebrew and Arabic, and what keeps letters of Persian apart.
  if (/[׳״،؛؟]/u.test(sign) && closes) return 2
  if (sign === '\u200c' && opens && closes) return 2
  if (sign === '·' && before === 'l' && behind === 'l') return 1
  if (/[¿¡]/u.test(sign) && !closes) return 2
  if (/[°²³ºª®™…]/u.test(sign) && closes && !opens) return 8
  return SIGN_FOR_LETTER
}

function scoreOf(texts: readonly string[], script: Script): number {
  const words: string[] = []
  let signs = 0
  for (const text of texts)
    for (const { 0: part, index } of text.matchAll(PART))
      if (isLetter(part)) words.push(part)
      else signs += signCost(part, text[index - 1], text[index + part.length])
  return wordsLikelihood(words, script) - signs
}

function readingOf(
  words: readonly Buffer[],
  [encoding, script, rarity]: (typeof CANDIDATES)[number],
): Reading | undefined {
  const read = words.map((word) => iconv.decode(word, encoding))
  if (read.some((word) => /[\ufffd\x80-\x9f]/.test(word))) return undefined
  return { encoding, words: read, score: scoreOf(read, script) - rarity }
}

/** Letters with a comma below and with a cedilla stand in the same place, and are one to those who write them. */
const letters = (word: string): string =>
  word
    .replaceAll(/[^\p{L}\p{M}]/gu, '')
    .replaceAll(/[ȘșȚț]/g, (letter) => ({ Ș: 'Ş', ș: 'ş', Ț: 'Ţ', ț: 'ţ' })[letter] ?? letter)
const isSame = (one: Reading, other: Reading): boolean =>
  one.words.every((word, index) => letters(word) === letters(other.words[index] ?? ''))

/** The encoding of words of a text that is neither ASCII nor UTF-8. */
export function eightBitVerdict(words: readonly Buffer[]): EncodingVerdict {
  const readings = CANDIDATES.flatMap((candidate) => readingOf(words, candidate) ?? [])
  const best = readings.reduce<Reading | undefined>(
    (top, one) => (top === undefined || one.score > top.score ? one : top),
    undefined,
  )
  if (best === undefined) return { encoding: undefined, readings: [] }
  const rival = readings
    .filter((one) => !isSame(one, best))
    .reduce<Reading | undefined>(
      (top, one) => (top === undefined || one.score > top.score ? one : top),
      undefined,
    )
  const length = best.words.reduce((sum, word) => sum + letters(word).length + 1, 0)
  const isLanguage = best.score > FLOOR_PER_LETTER * length
  if (isLanguage && (rival === undefined || best.score - rival.score >= CLEARLY))
    return { encoding: readings.find((one) => isSame(one, best))?.encoding, readings: [] }
  const other = rival ?? best
  const at = best.words.findIndex((word, index) => letters(word) !== letters(other.words[index] ?? ''))
  return {
    encoding: undefined,
    readings: [best, other].flatMap(({ encoding, words: read, score }) => {
      const word = read[at]
      return word === undefined || score <= PROPOSED_PER_LETTER * length ? [] : [{ encoding, word }]
    }),
  }
}
