// Whether two contacts are one person, by probabilistic record linkage (Fellegi and Sunter): what the sandbox does under
// `duplicate_check_method: auto`, and how likely the same person is found under two keys of a source. Each field speaks for or against with the logarithm of how much likelier its agreement is among
// contacts of one person (m) than among strangers (u); a field that one of them lacks carries no evidence.
import { DAY_MS } from '../words/duration.ts'
import type { Person } from './person.ts'
import { jaroWinkler, NEAR, nameLikeness, PERHAPS } from './similarity.ts'

/** Weights in bits; from here on two contacts are taken for one person. Reasoned from the fields, not fitted to data. */
export const THRESHOLD = 9

interface Level {
  readonly from: number
  readonly weight: number
}

const bits = (m: number, u: number): number => Math.log2(m / u)

/** Levels of agreement, best first; the last one is disagreement. */
const FIRST: readonly Level[] = [
  { from: 1, weight: bits(0.75, 0.01) },
  { from: NEAR, weight: bits(0.12, 0.005) },
  { from: PERHAPS, weight: bits(0.06, 0.02) },
  { from: 0, weight: bits(0.07, 0.96) },
]
const FAMILY: readonly Level[] = [
  { from: 1, weight: bits(0.75, 0.005) },
  { from: NEAR, weight: bits(0.12, 0.003) },
  { from: PERHAPS, weight: bits(0.06, 0.02) },
  { from: 0, weight: bits(0.07, 0.97) },
]
const STREET: readonly Level[] = [
  { from: 1, weight: bits(0.6, 0.002) },
  { from: 0.9, weight: bits(0.2, 0.01) },
  { from: 0, weight: bits(0.2, 0.98) },
]
const CITY: readonly Level[] = [
  { from: 1, weight: bits(0.7, 0.03) },
  { from: 0.85, weight: bits(0.1, 0.01) },
  { from: 0, weight: bits(0.2, 0.96) },
]
/**
 * Many a person has two addresses, so that another one says little. Addresses are made of names: where those agree, a
 * likeness is no news.
 */
const MAIL: readonly Level[] = [
  { from: 1, weight: bits(0.6, 0.0002) },
  { from: 0.94, weight: bits(0.15, 0.001) },
  { from: 0.86, weight: bits(0.05, 0.05) },
  { from: 0, weight: bits(0.2, 0.99) },
]
const OTHER_TITLE = bits(0.05, 0.5)
/** First name written as family name: a slip of one in four clerks at most. */
const CROSSED = -2

type Likeness = (left: string, right: string) => number

function compared(levels: readonly Level[], left: string, right: string, likeness: Likeness): number {
  if (left === '' || right === '') return 0
  const alike = likeness(left, right)
  return levels.find(({ from }) => alike >= from)?.weight ?? 0
}

/** Digits that differ, two of them swapped counting as one slip. */
function digitSlips(left: string, right: string): number {
  const differing = Array.from({ length: left.length }, (_, index) => index).filter(
    (index) => left[index] !== right[index],
  )
  const [first, second] = differing
  const isSwap =
    differing.length === 2 &&
    first !== undefined &&
    second !== undefined &&
    left[first] === right[second] &&
    left[second] === right[first]
  return isSwap ? 1 : differing.length
}

function dayNumber(born: string): number {
  return Date.parse(`${born.slice(0, 4)}-${born.slice(4, 6)}-${born.slice(6)}`) / DAY_MS
}

const YEAR_DAYS = 365.25
const MONTH_DAYS = 31

/** About the same day, be it a year or a decade beside: a slip in the year together with one in the day. */
function isNearby(left: string, right: string): boolean {
  const apart = Math.abs(dayNumber(left) - dayNumber(right))
  return [0, YEAR_DAYS, 10 * YEAR_DAYS].some((years) => Math.abs(apart - years) <= MONTH_DAYS)
}

function bornWeight(left: string, right: string): number {
  if (left.length !== 8 || right.length !== 8) return 0
  if (left === right) return bits(0.75, 0.0003)
  // Day and month in the other order is the slip of a program, not of a person.
  if (left === right.slice(0, 4) + right.slice(6) + right.slice(4, 6)) return bits(0.05, 0.0005)
  if (digitSlips(left, right) === 1) return bits(0.08, 0.004)
  return isNearby(left, right) ? bits(0.06, 0.0125) : bits(0.06, 0.98)
}

function digitsWeight(left: string, right: string, shortest: number): number {
  if (left.length < shortest || right.length < shortest) return 0
  if (left === right) return bits(0.7, 0.004)
  return left.length === right.length && digitSlips(left, right) === 1 ? bits(0.12, 0.005) : bits(0.18, 0.99)
}

/** Common names coincide more often than by chance: a name alone is never enough evidence. */
const MOST_FOR_A_NAME = 10

/** First and family name, also in the other order, and where one of the two is missing. */
function nameWeight(left: Person, right: Person): number {
  const straight =
    compared(FIRST, left.first, right.first, nameLikeness) +
    compared(FAMILY, left.family, right.family, nameLikeness)
  const crossed =
    compared(FIRST, left.first, right.family, nameLikeness) +
    compared(FIRST, left.family, right.first, nameLikeness)
  return Math.min(MOST_FOR_A_NAME, Math.max(straight, crossed + CROSSED))
}

/** City and postal code say one thing: the better of the two counts, the other may be a slip or the next district. */
function placeWeight(left: Person, right: Person): number {
  const cities =
    left.city === '' || right.city === '' ? undefined : compared(CITY, left.city, right.city, jaroWinkler)
  const codes =
    left.postalCode.length < 3 || right.postalCode.length < 3
      ? undefined
      : digitsWeight(left.postalCode, right.postalCode, 3)
  return Math.max(cities ?? codes ?? 0, codes ?? cities ?? 0)
}

/** A household shares street and place, and so do neighbours: together they weigh so much at most. */
const MOST_FOR_AN_ADDRESS = 9

function addressWeight(left: Person, right: Person): number {
  const street = compared(STREET, left.street, right.street, jaroWinkler)
  return Math.min(MOST_FOR_AN_ADDRESS, street + placeWeight(left, right))
}

function otherFirstName(left: Person, right: Person): boolean {
  const mayBe = (one: string, other: string): boolean =>
    one === '' || other === '' || nameLikeness(one, other) >= PERHAPS
  const isCrossed = mayBe(left.first, right.family) && mayBe(left.family, right.first)
  return !mayBe(left.first, right.first) && !isCrossed
}

/** Less than the threshold: what a household shares is never enough evidence. */
const MOST_FOR_A_HOUSEHOLD = 8
/** Of two in a household with one birthday, it is one in about sixty that they are twins. */
const MOST_FOR_A_BIRTHDAY_AT_HOME = bits(0.8, 0.01)

/** With another first name, all that a family has in common (its mail too) is one piece of evidence. */
function householdWeight(left: Person, right: Person, mail: number, rest: number): number {
  const shared = compared(FAMILY, left.family, right.family, nameLikeness) + Math.max(0, mail) + rest
  return (
    compared(FIRST, left.first, right.first, nameLikeness) +
    Math.min(MOST_FOR_A_HOUSEHOLD, shared) +
    Math.min(0, mail) +
    Math.min(MOST_FOR_A_BIRTHDAY_AT_HOME, bornWeight(left.born, right.born))
  )
}

/** The evidence in bits; symmetric. */
export function linkageWeight(left: Person, right: Person): number {
  const mail = compared(MAIL, left.mail, right.mail, jaroWinkler)
  const rest = addressWeight(left, right) + digitsWeight(left.phone, right.phone, 6)
  const isOtherTitle = left.title !== '' && right.title !== '' && left.title !== right.title
  const title = isOtherTitle ? OTHER_TITLE : 0
  if (otherFirstName(left, right)) return title + householdWeight(left, right, mail, rest)
  return title + nameWeight(left, right) + mail + rest + bornWeight(left.born, right.born)
}
