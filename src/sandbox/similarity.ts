// How alike two texts are, between 0 and 1: Jaro-Winkler, made for names with slips of the pen.

const PREFIX_WEIGHT = 0.1
const LONGEST_PREFIX = 4

/** Characters of `left` that have a partner in `right` nearby, in order. */
function partners(left: string, right: string, reach: number): string[] {
  const taken = new Set<number>()
  const found: string[] = []
  for (let at = 0; at < left.length; at += 1) {
    const from = Math.max(0, at - reach)
    const to = Math.min(right.length, at + reach + 1)
    for (let other = from; other < to; other += 1) {
      if (taken.has(other) || left[at] !== right[other]) continue
      taken.add(other)
      found.push(left.charAt(at))
      break
    }
  }
  return found
}

function jaro(left: string, right: string): number {
  const reach = Math.max(0, Math.floor(Math.max(left.length, right.length) / 2) - 1)
  const one = partners(left, right, reach)
  const other = partners(right, left, reach)
  if (one.length === 0) return 0
  const swapped = one.filter((character, index) => character !== other[index]).length / 2
  return (one.length / left.length + one.length / right.length + (one.length - swapped) / one.length) / 3
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
