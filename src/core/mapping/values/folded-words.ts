// Words as they are compared across languages and keyboards: small letters, no accents, no punctuation, one blank between.

/** Letters that do not fall apart into a plain letter and an accent. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  '&': ' and ',
}

/** `Côte d’Ivoire` and `COTE D'IVOIRE` are both `cote divoire`. */
export const foldedWords = (words: string): string =>
  words
    .toLowerCase()
    .replace(/[ßæœøłđðþı&]/gu, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFKD')
    .replace(/[\p{M}'’ʼ‘`´.]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const SPELT_OUT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' }

/** The same words as a keyboard without these letters writes them: `Österreich` is `oesterreich`, too. */
export const foldedSpellings = (words: string): readonly string[] => {
  const spelt = words.toLowerCase().replace(/[äöüåø]/gu, (letter) => SPELT_OUT[letter] ?? letter)
  return [...new Set([foldedWords(words), foldedWords(spelt)])]
}
