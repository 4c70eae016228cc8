// How alike two texts are, between 0 and 1: Jaro-Winkler, designed for names with typing errors; for names of people
// also initials, nicknames, and slips where Jaro-Winkler minds them too much.
import { distance } from 'fastest-levenshtein'
import { areNicknames } from './nicknames.ts'

const PREFIX_WEIGHT = 0.1
const LONGEST_PREFIX = 4

/** Positions of `left` and of `right` that are partners: equal characters near each other, each taken once. */
function partners(left: string, right: string): { ofLeft: number[]; ofRight: number[] } {
  const reach = Math.max(0, Math.floor(Math.max(left.length, right.length) / 2) - 1)
  const ofLeft: number[] = []
  const ofRight: number[] = []
  const taken: boolean[] = []
  for (let at = 0; at < left.length; at += 1) {
    const to = Math.min(right.length, at + reach + 1)
    let other = Math.max(0, at - reach)
    const code = left.charCodeAt(at)
    while (other < to && (taken[other] === true || right.charCodeAt(other) !== code)) other += 1
    if (other >= to) continue
    taken[other] = true
    ofLeft.push(at)
    ofRight.push(other)
  }
  return { ofLeft, ofRight: ofRight.sort((one, next) => one - next) }
}

function jaro(left: string, right: string): number {
  const { ofLeft, ofRight } = partners(left, right)
  const found = ofLeft.length
  if (found === 0) return 0
  let inOtherOrder = 0
  for (let index = 0; index < found; index += 1)
    if (left.charCodeAt(ofLeft[index] ?? 0) !== right.charCodeAt(ofRight[index] ?? 0)) inOtherOrder += 1
  return (found / left.length + found / right.length + (found - inOtherOrder / 2) / found) / 3
}

/** 1 for equal texts, 0 for texts without anything in common; symmetric but for rounding. */
export function jaroWinkler(left: string, right: string): number {
  if (left === right) return 1
  if (left === '' || right === '') return 0
  const [first, second] = left < right ? [left, right] : [right, left]
  const base = jaro(first, second)
  let prefix = 0
  while (prefix < LONGEST_PREFIX && first[prefix] !== undefined && first[prefix] === second[prefix])
    prefix += 1
  return base + prefix * PREFIX_WEIGHT * (1 - base)
}

/** Nearly the same name, and one that might be: what the levels of a name's agreement begin at. */
export const NEAR = 0.92
export const PERHAPS = 0.82

const inOrder = (text: string): string => Array.from(text).sort().join('')

/** The same letters in another order, one of them lost or gained at most: fast typing. */
function areJumbled(left: string, right: string): boolean {
  return Math.abs(left.length - right.length) <= 1 && distance(inOrder(left), inOrder(right)) <= 1
}

/** As Jaro-Winkler, but never less than what initials, nicknames and one or two strokes are worth. */
export function nameLikeness(left: string, right: string): number {
  const alike = jaroWinkler(left, right)
  if (alike >= NEAR || left === '' || right === '') return alike
  if (areNicknames(left, right)) return NEAR
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left]
  if (shorter.length === 1) return longer.startsWith(shorter) ? Math.max(alike, PERHAPS) : alike
  // Jaro-Winkler weighs the first letters most: a slip there costs more than a slip should.
  if (shorter.length < 4) return alike
  const strokes = distance(left, right)
  if (strokes === 1) return NEAR
  const isPerhaps = longer.length >= 5 && (strokes === 2 || areJumbled(left, right))
  return isPerhaps ? Math.max(alike, PERHAPS) : alike
}
