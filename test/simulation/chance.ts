// Chance from a seed: the same seed gives the same numbers on every machine. Each part of the world draws from a stream
// of its own, so that one more draw in one of them leaves the others as they were.

export interface Chance {
  /** In [0, 1). */
  next(): number
  /** 0 .. below - 1. */
  int(below: number): number
  between(least: number, most: number): number
  happens(probability: number): boolean
  pick<T>(list: readonly T[]): T
  shuffled<T>(list: readonly T[]): T[]
  stream(name: string): Chance
}

function mixed(seed: number, name: string): number {
  let hash = (seed ^ 0x9e3779b9) >>> 0
  for (const character of name) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x85ebca6b) >>> 0
    hash = (hash ^ (hash >>> 13)) >>> 0
  }
  return hash
}

/** Mulberry32: small, quick, and good enough for drawing schedules. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function chanceFrom(seed: number): Chance {
  const next = generator(mixed(seed, 'start'))
  const int = (below: number): number => Math.floor(next() * below)
  const chance: Chance = {
    next,
    int,
    between: (least, most) => least + int(most - least + 1),
    happens: (probability) => next() < probability,
    pick(list) {
      const picked = list[int(list.length)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
    shuffled(list) {
      const rest = [...list]
      for (let last = rest.length - 1; last > 0; last -= 1) {
        const other = int(last + 1)
        ;[rest[last], rest[other]] = [
          rest[other] as (typeof rest)[number],
          rest[last] as (typeof rest)[number],
        ]
      }
      return rest
    },
    stream: (name) => chanceFrom(mixed(seed, name)),
  }
  return chance
}
