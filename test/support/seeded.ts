// Chance that can be had again: the same seed gives the same numbers, so that a failure can be replayed.

export interface Seeded {
  /** From 0 up to, and without, 1. */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  pick<T>(choices: readonly T[]): T
}

/** Mulberry32: 32 bits of state, good enough to choose faults by. */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick(choices) {
      const choice = choices[Math.floor(next() * choices.length)]
      if (choice === undefined) throw new Error('there is nothing to pick from')
      return choice
    },
  }
}
