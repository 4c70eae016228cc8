// What the header of a column says, by the words of eight languages. It is evidence and no proof: values count more.
import { foldedSpellings } from '../mapping/values/folded-words.ts'
import {
  HEADER_LANGUAGES,
  type HeaderLanguage,
  type HeaderWords,
  type Meaning,
  type Qualifier,
} from './words/meaning.ts'
import { EMPTY_WORDS, FOREIGN_WORDS, OTHER_WORDS, QUALIFIERS } from './words/other-words.ts'
import { PERSON_WORDS } from './words/person-words.ts'
import { REACH_WORDS, WHOLE_ADDRESS_WORDS } from './words/reach-words.ts'

export interface HeaderReading {
  /** `other` also where the words are about another person. */
  readonly meaning: Meaning | undefined
  readonly languages: readonly HeaderLanguage[]
  readonly qualifiers: readonly Qualifier[]
  /** exact: the whole header; qualified: with a word like "work" beside it; part: it stands in a longer one. */
  readonly how: 'exact' | 'qualified' | 'part' | 'none'
  /** It may be the street, or all of the address in one. */
  readonly isWholeAddress?: boolean
}

interface Known {
  readonly meaning: Meaning
  readonly languages: Set<HeaderLanguage>
}

const listed = (words: HeaderWords): [HeaderLanguage, string][] =>
  HEADER_LANGUAGES.flatMap((language) =>
    (words[language] ?? '').split(',').flatMap((phrase): [HeaderLanguage, string][] => {
      const text = phrase.trim()
      return text === '' ? [] : [[language, text]]
    }),
  )

/** Words are compared without the blanks between them: firstname, first_name and First Name are one. */
const squeezed = (folded: string): string => folded.replaceAll(' ', '')

const singleWords = (words: HeaderWords): Set<string> =>
  new Set(listed(words).flatMap(([, word]) => foldedSpellings(word)))

function knownPhrases(): ReadonlyMap<string, Known> {
  const found = new Map<string, Known>()
  const tables = { ...OTHER_WORDS, ...REACH_WORDS, ...PERSON_WORDS }
  const phrases = (Object.entries(tables) as [Meaning, HeaderWords][]).flatMap(([meaning, words]) =>
    listed(words).flatMap(([language, phrase]) =>
      foldedSpellings(phrase).map((form) => ({ meaning, language, form: squeezed(form) })),
    ),
  )
  for (const { meaning, language, form } of phrases) {
    // The first table that names a phrase decides its meaning; another language may use it for the same.
    const known = found.get(form) ?? { meaning, languages: new Set() }
    if (known.meaning === meaning) found.set(form, { meaning, languages: known.languages.add(language) })
  }
  return found
}

const PHRASES = knownPhrases()
const WHOLE = new Set(
  listed(WHOLE_ADDRESS_WORDS).flatMap(([, phrase]) => foldedSpellings(phrase).map(squeezed)),
)
const FOREIGN = singleWords(FOREIGN_WORDS)
const EMPTY = singleWords(EMPTY_WORDS)
const QUALIFIER_OF = new Map(
  (Object.keys(QUALIFIERS) as Qualifier[]).flatMap((qualifier) =>
    [...singleWords(QUALIFIERS[qualifier])].map((word) => [word, qualifier] as const),
  ),
)

/** Where a small letter meets a capital one, a word begins: FirstName. */
const apart = (header: string): string => header.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')

const NOTHING: HeaderReading = { meaning: undefined, languages: [], qualifiers: [], how: 'none' }

function exactly(form: string): Pick<HeaderReading, 'meaning' | 'languages' | 'isWholeAddress'> | undefined {
  const known = PHRASES.get(form)
  if (known !== undefined) return { meaning: known.meaning, languages: [...known.languages] }
  return WHOLE.has(form) ? { meaning: 'street', languages: [], isWholeAddress: true } : undefined
}

/** Without words that say which of several it is, or nothing. */
function qualified(words: readonly string[]): HeaderReading | undefined {
  const qualifiers = words.flatMap((word) => QUALIFIER_OF.get(word) ?? [])
  const plain = words.filter((word) => !QUALIFIER_OF.has(word))
  const bare = plain.filter((word) => !EMPTY.has(word))
  for (const rest of [plain, bare]) {
    const found = rest.length === words.length ? undefined : exactly(squeezed(rest.join(' ')))
    if (found !== undefined) return { ...found, qualifiers, how: 'qualified' }
  }
  return undefined
}

/** The longest run of words that means something. */
function partly(words: readonly string[]): HeaderReading | undefined {
  for (let length = words.length - 1; length > 0; length -= 1)
    for (let from = 0; from + length <= words.length; from += 1) {
      const found = exactly(squeezed(words.slice(from, from + length).join(' ')))
      const isField = found !== undefined && found.meaning !== 'id' && found.meaning !== 'tags'
      if (isField) return { ...found, qualifiers: [], how: 'part' }
    }
  return undefined
}

function readSpelling(folded: string): HeaderReading | undefined {
  const whole = exactly(squeezed(folded))
  const words = folded.split(' ')
  if (whole !== undefined) return { ...whole, qualifiers: [], how: 'exact' }
  if (words.some((word) => FOREIGN.has(word)))
    return { meaning: 'other', languages: [], qualifiers: [], how: 'qualified' }
  return qualified(words) ?? partly(words)
}

/** Columns of vCards that do not say what they are in words. */
const CARD_WORDS: Readonly<Record<string, string>> = {
  FN: 'full name',
  'N.prefix': 'academic title',
  'ADR.code': 'postal code',
  'TEL;TYPE=CELL': 'mobile',
}
const CARD = /^([A-Z]+);TYPE=([A-Z]+)(?:\.([a-z]+))?$|^ADR\.([a-z]+)$/
/** `address.city`, `emails[0].value`. */
const PATH = /^[\w-]+(\[[^\]]*\])?(\.[\w-]+(\[[^\]]*\])?)+$/

/** A column that is a path, or of a vCard, in words; the more telling first. */
function spoken(header: string): readonly string[] {
  const plain = CARD_WORDS[header.replace(/;TYPE=(HOME|WORK)/, '')]
  if (plain !== undefined) return [plain]
  const card = CARD.exec(header)
  if (card !== null) {
    const [, name = '', type = '', part, own] = card
    return [own ?? `${type} ${part ?? name}`]
  }
  if (!PATH.test(header)) return []
  const names = header.replaceAll(/\[[^\]]*\]/g, '').split('.')
  const telling = names.at(-1) === 'value' ? names.slice(0, -1) : names
  const last = telling.at(-1) ?? ''
  return [telling.slice(-2).join(' '), last, last.replace(/s$/, '')]
}

export function readHeader(header: string): HeaderReading {
  for (const text of new Set([...spoken(header), header, apart(header)]))
    for (const spelling of foldedSpellings(text)) {
      const found = spelling === '' ? undefined : readSpelling(spelling)
      if (found !== undefined && found.how !== 'part') return found
    }
  const [spelling = ''] = foldedSpellings(apart(header))
  return (spelling === '' ? undefined : readSpelling(spelling)) ?? NOTHING
}

/** The languages of a header, the most frequent first. */
export function headerLanguages(header: readonly string[]): readonly HeaderLanguage[] {
  const counts = new Map<HeaderLanguage, number>()
  for (const name of header) {
    const { languages } = readHeader(name)
    for (const language of languages) counts.set(language, (counts.get(language) ?? 0) + 1 / languages.length)
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([language]) => language)
}
