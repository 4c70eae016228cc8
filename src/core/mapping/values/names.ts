// A full name in one column, taken apart: salutation, title, first name, family name. What may be read in two ways is invalid
// with a reason, and `on_invalid` decides about the record. Reasons hold nothing of the name.
import { type NameSplit, splitAtComma, splitWords } from './name-order.ts'
import {
  apartFromTitles,
  isConjunctionAt,
  isDoctoral,
  isOfBirthName,
  isOfNoPerson,
  isSuffix,
  isSuffixWithoutComma,
  isTitleOutOfPlace,
  titleAt,
  type TitleMeaning,
} from './name-words.ts'
import type { NamePart } from './text-schema.ts'

interface NameReading {
  readonly meanings: readonly TitleMeaning[]
  readonly split: NameSplit
}

type Problem = { readonly problem: string }

const TITLE_OUT_OF_PLACE = 'has a title in the middle, or one that is not apart from the name'

/** No name is longer. */
const LONGEST = 200
const WORD = /^[\p{L}\p{M}'’‘ʼ`´.\-‐‑–ªº]*\p{L}[\p{L}\p{M}'’‘ʼ`´.\-‐‑–ªº]*$/u
/** Letters of other alphabets: where words end, and which comes first, is another matter there. */
const OTHER_ALPHABET = /[^\P{L}\p{Script=Latin}\p{Script=Common}]/u

/** What takes no part in the name, at its beginning and at its end. */
interface Stripped {
  readonly words: readonly string[]
  readonly meanings: readonly TitleMeaning[]
}

function withoutTitles(words: readonly string[]): Stripped {
  const meanings: TitleMeaning[] = []
  for (let place = 0; place < words.length; place += 1) {
    const found = titleAt(words, place)
    if (found === undefined) return { words: words.slice(place), meanings }
    meanings.push(...found)
  }
  return { words: [], meanings }
}

function withoutSuffixes(words: readonly string[]): Stripped {
  let end = words.length
  while (end > 1 && isSuffixWithoutComma(words[end - 1] ?? '', end - 1)) end -= 1
  return { words: words.slice(0, end), meanings: words.slice(end).some(isDoctoral) ? ['dr'] : [] }
}

/** The words of one part between commas, without what stands around the name. */
function bare(part: readonly string[]): Stripped {
  const front = withoutTitles(part)
  const whole = withoutSuffixes(front.words)
  return { words: whole.words, meanings: [...front.meanings, ...whole.meanings] }
}

const isAllSuffixes = (part: readonly string[]): boolean =>
  part.every((word, place) => isSuffix(word) || titleAt(part, place) !== undefined)

/** `, PhD` and `, Dr.` behind a name, and what they say. */
function behindName(
  parts: readonly (readonly string[])[],
): Pick<Stripped, 'meanings'> & { readonly count: number } {
  let count = parts.length
  while (count > 1 && isAllSuffixes(parts[count - 1] ?? [])) count -= 1
  const words = parts.slice(count).flat()
  const meanings = words.flatMap((word, place): readonly TitleMeaning[] =>
    isDoctoral(word) ? ['dr'] : isSuffix(word) ? [] : (titleAt(words, place) ?? []),
  )
  return { count, meanings }
}

/** Why a text is no full name of one person. */
function refusal(text: string, words: readonly string[]): string | undefined {
  if (OTHER_ALPHABET.test(text)) return 'is written in an alphabet in which names are not split'
  if (text.length > LONGEST) return 'is too long for a name'
  if (words.some(isOfNoPerson)) return 'looks like a company, a family or a department'
  if (words.some(isOfBirthName)) return 'contains a birth name beside the name'
  if (words.some((_, place) => isConjunctionAt(words, place)) || /[&+/;]/.test(text))
    return 'names several people'
  return words.every((word) => WORD.test(word)) ? undefined : 'contains characters that no name has'
}

const wordsOf = (text: string): string[] =>
  text
    .split(/\s+/u)
    .filter((word) => word !== '')
    .flatMap(apartFromTitles)

function readName(text: string): NameReading | Problem {
  const parts = text
    .split(',')
    .map(wordsOf)
    .filter((part) => part.length > 0)
  const problem = refusal(text, parts.flat())
  if (problem !== undefined) return { problem }
  const behind = behindName(parts)
  const [one, other, ...more] = parts.slice(0, behind.count).map(bare)
  if (one === undefined || more.length > 0) return { problem: 'has commas in places where a name has none' }
  const meanings = [...one.meanings, ...(other?.meanings ?? []), ...behind.meanings]
  const left = [...one.words, ...(other?.words ?? [])]
  if (one.words.length === 0) return { problem: 'contains a title but no name' }
  if (left.some(isTitleOutOfPlace)) return { meanings, split: { problem: TITLE_OUT_OF_PLACE } }
  const hasTitle = meanings.length > 0
  const split =
    other === undefined ? splitWords(one.words, hasTitle) : splitAtComma(one.words, other.words, hasTitle)
  return { meanings, split }
}

/** The salutation as the field `title` has it; blank where the name has none. */
function salutation(meanings: readonly TitleMeaning[]): string | Problem {
  const said = new Set(
    meanings.filter((meaning) => meaning === 'm' || meaning === 'f' || meaning === 'unclear'),
  )
  if (said.size > 1) return { problem: 'has salutations that contradict each other' }
  if (said.has('unclear')) return { problem: 'has a salutation with several meanings' }
  return [...said][0] ?? ''
}

/** Of two titles the higher one, as it stands first in a letter. */
const academic = (meanings: readonly TitleMeaning[]): string =>
  meanings.includes('prof') ? 'prof' : meanings.includes('dr') ? 'dr' : ''

/** One part of a full name; blank where the name has none, a problem where it is not sure. */
export function namePart(text: string, part: NamePart): string | Problem {
  const read = readName(text.trim())
  if ('problem' in read) return read
  if (part === 'title') return salutation(read.meanings)
  if (part === 'title2') return academic(read.meanings)
  return 'problem' in read.split ? read.split : read.split[part]
}
