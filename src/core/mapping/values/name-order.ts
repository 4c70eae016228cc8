// Where the family name begins among the words of a full name that are names. It is decided by particles, capital letters and
// the comma, else by names that are known; what may be read in two ways is not read at all.
import { isMaybePlace } from './place-names.ts'
import { isFamilyInFront, isFamilyOnly, isGivenOnly, isGivenWord } from './given-names.ts'
import {
  isAgnomen,
  isDevotion,
  isInitial,
  isJoinedGiven,
  isJoiner,
  isMaybeHonorific,
  isMaybeDevotion,
  isNoble,
  isWholeWithParticle,
  particleOf,
} from './name-words.ts'

export type NameSplit = { readonly first: string; readonly family: string } | { readonly problem: string }

type Words = readonly string[]
/** The place of the first word of the family name. */
type Start = number | { readonly problem: string }

const REVERSED = { problem: 'may have the family name first; write "Family, First", or map two columns' }
const MIDDLE = { problem: 'has a word in the middle that may be a first or a family name' }
const PARTICLE_LAST = { problem: 'begins or ends with a particle, so the order of its words is not sure' }
const ALONE = { problem: 'is one word, which may be a first or a family name' }
const CAPITALS = { problem: 'has words in capital letters, and the family name is not sure' }
const HONORIFIC = { problem: 'begins with an honorific (M., Don) that may also be a first name' }
const SEVERAL = { problem: 'has too many words for one name' }
const PLACE = { problem: 'has a place behind the comma, or a first name that is also one' }
const COMMA = { problem: 'has a comma, and not in the form "Family, First"' }

/** More words than this are no name. */
const MOST_GIVEN = 4
const MOST_FAMILY = 6

const joined = (words: Words): string => words.join(' ')
const at = (words: Words, place: number): string => words[place] ?? ''

function splitAt(words: Words, start: Start): NameSplit {
  if (typeof start !== 'number') return start
  if (start > MOST_GIVEN || words.length - start > MOST_FAMILY) return SEVERAL
  return { first: joined(words.slice(0, start)), family: joined(words.slice(start)) }
}

const isCapital = (word: string): boolean =>
  /\p{L}{2}/u.test(word) && word === word.toUpperCase() && word !== word.toLowerCase() && !isInitial(word)

/** `DUPONT Jean`, `Jean DUPONT`; undefined where the letters decide nothing. */
function byCapitals(words: Words): NameSplit | undefined {
  const capital = words.map(isCapital)
  const isPlain = (word: string, place: number): boolean => capital[place] !== true && !isInitial(word)
  if (!words.some((word, place) => capital[place] === true && word.length > 2)) return undefined
  if (!words.some(isPlain)) return undefined
  const from = capital.indexOf(true)
  const to = capital.lastIndexOf(true) + 1
  const isOneBlock = capital.slice(from, to).every(Boolean)
  const family = words.slice(from, to)
  if (!isOneBlock || (from > 0 && to < words.length) || family.every(isGivenOnly)) return CAPITALS
  if (from === 0) return { first: joined(words.slice(to)), family: joined(family) }
  let start = from
  while (start > 1 && particleOf(at(words, start - 1), false) !== undefined) start -= 1
  return splitAt(words, start)
}

/** How many words the first given name has. */
function firstGiven(words: Words): number {
  if (!isJoinedGiven(at(words, 0))) return 1
  return ['al', 'el'].includes(at(words, 1).toLowerCase()) ? 3 : 2
}

/** Between the first word and the particle stand given names, or, before a Romance particle, the first family name. */
function beforeParticle(words: Words, place: number, from: number): Start {
  const between = words.slice(from, place).filter((word) => !isInitial(word))
  const last = between.at(-1)
  if (last === undefined) return place
  if (particleOf(at(words, place), false) !== 'romance') return between.some(isFamilyOnly) ? MIDDLE : place
  if (between.every(isGivenOnly)) return place
  return isFamilyOnly(last) && between.slice(0, -1).every(isGivenOnly) ? place - 1 : MIDDLE
}

/** Behind the particles that begin at this place. */
function pastParticles(words: Words, place: number): number {
  let next = place
  while (next < words.length && particleOf(at(words, next), false) !== undefined) next += 1
  return next
}

/** `Ortega y Gasset` begins before its joiner; `Ana y Luis García` are two persons. */
function atJoiner(words: Words, place: number, from: number): Start {
  const before = words.slice(from, place - 1)
  const areGivenNames = before.every((word) => isInitial(word) || isGivenOnly(word))
  return place > from && areGivenNames && !isGivenOnly(at(words, place + 1)) ? place - 1 : MIDDLE
}

/** Names without anything that tells first from family name but the names themselves. `from`: behind the first given name. */
function byNames(words: Words, from: number): Start {
  const count = words.length
  const last = at(words, count - 1)
  const isFirstKnown = isInitial(at(words, 0)) || isGivenWord(at(words, 0))
  if (isInitial(last) || isGivenOnly(last) || (isGivenWord(last) && !isFirstKnown)) return REVERSED
  let start = from
  while (start < count - 1 && (isInitial(at(words, start)) || isGivenOnly(at(words, start)))) start += 1
  if (start === count - 1) return start
  if (start >= count) return ALONE
  return start === count - 2 && isFamilyOnly(at(words, start)) ? start : MIDDLE
}

/** By the first particle that is not part of a devotion; else by the names. */
function startOfFamily(words: Words): Start {
  if (isFamilyInFront(at(words, 0)) || isWholeWithParticle(at(words, 0))) return REVERSED
  let from = firstGiven(words)
  for (let place = from; place < words.length; place += 1) {
    const isLast = place === words.length - 1
    const word = at(words, place)
    if (isJoiner(word)) return atJoiner(words, place, from)
    const isNatural = isLast && words.length === 2 && word !== word.toLowerCase()
    if (particleOf(word, isLast) === undefined || isNatural) continue
    if (isLast && !isWholeWithParticle(word)) return PARTICLE_LAST
    const name = pastParticles(words, place)
    const before = at(words, place - 1)
    if (isMaybeDevotion(before, at(words, name))) return MIDDLE
    if (!isDevotion(before, at(words, name))) return beforeParticle(words, place, from)
    from = name + 1
    place = name
  }
  return byNames(words, from)
}

/** A title or a salutation before the words says that a word alone is a family name. */
export function splitWords(words: Words, hasTitle: boolean): NameSplit {
  const capitals = byCapitals(words)
  if (capitals !== undefined) return capitals
  const begins =
    particleOf(at(words, 0), words.length === 1) !== undefined && !isWholeWithParticle(at(words, 0))
  if (words.length === 1 || begins) {
    if (hasTitle && words.length <= MOST_FAMILY) return { first: '', family: joined(words) }
    return begins ? PARTICLE_LAST : ALONE
  }
  if (isMaybeHonorific(words) && !hasTitle) return HONORIFIC
  if (words.slice(1, -1).includes('Ben')) return MIDDLE
  const agnomen = words.length > 2 && isAgnomen(words.at(-1) ?? '') ? 1 : 0
  const names = words.slice(0, words.length - agnomen)
  return splitAt(words, startOfFamily(names))
}

/** Particles at the end of the given names belong to the family name: `Heide, Anna von der`. */
function withParticles(
  family: Words,
  given: Words,
): { readonly family: Words; readonly given: Words } | undefined {
  const isMoved = (place: number): boolean => {
    const word = at(given, place)
    if (word === 'und') return at(given, place - 1) === 'von'
    return particleOf(word, false) !== undefined && !isWholeWithParticle(word)
  }
  let end = given.length
  while (end > 0 && isMoved(end - 1)) end -= 1
  const moved = given.slice(end)
  const isSmall = (word: string): boolean => word === word.toLowerCase() || isNoble(word)
  const areSmall = moved.every(isSmall) || [...family, ...given].every(isCapital)
  return areSmall ? { family: [...moved, ...family], given: given.slice(0, end) } : undefined
}

/** No particle but that of a devotion is within given names. */
const areGiven = (words: Words): boolean =>
  words.every((word, place) => {
    if (particleOf(word, false) === undefined) return true
    const begin = words.findLastIndex((one, before) => before < place && particleOf(one, false) === undefined)
    return begin >= 0 && isDevotion(at(words, begin), at(words, pastParticles(words, place)))
  })

/** `Family, First`. Without given names a title must be there. */
export function splitAtComma(before: Words, behind: Words, hasTitle: boolean): NameSplit {
  if (behind.length === 0) return hasTitle ? { first: '', family: joined(before) } : ALONE
  const parted = withParticles(before, behind)
  if (parted === undefined || parted.given.length === 0) return PARTICLE_LAST
  const { family, given } = parted
  if (given.length > MOST_GIVEN + 1 || family.length > MOST_FAMILY || !areGiven(given)) return COMMA
  // `Anna Berger, Wien` and `Anna, Berger`
  const [head = ''] = before
  const isGivenFirst = isGivenOnly(head) && (before.length > 1 || !isGivenWord(at(given, 0)))
  if (isGivenFirst) return COMMA
  return isMaybePlace(behind) ? PLACE : { first: joined(given), family: joined(family) }
}
