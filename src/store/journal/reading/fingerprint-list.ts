// All fingerprints of a pipeline in memory, to find the link of any of them: for inputs that come in another order than
// their links were made in. An index in the state would have to be written for each record, at a place of its own, since
// fingerprints lie in no order: a page for each record to read, to write and to write once more.
import { FINGERPRINT_LENGTH } from '../../../core/change/fingerprint.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BITS = new Uint8Array(128)
for (let bits = 0; bits < ALPHABET.length; bits += 1) BITS[ALPHABET.charCodeAt(bits)] = bits

/** Numbers of 30 bits each. Three are kept: among a million fingerprints two alike by chance are a matter of 10^-15. */
const LETTERS_OF_A_NUMBER = 5
const NUMBERS = 3
/** Slots for each fingerprint, at least. */
const ROOM = 1.5

function numberAt(text: string, at: number): number {
  let number = 0
  for (let letter = at; letter < at + LETTERS_OF_A_NUMBER; letter += 1)
    number = (number << 6) | (BITS[text.charCodeAt(letter)] ?? 0)
  return number
}

export interface FingerprintList {
  /** `text`: fingerprints, one behind the other; `linkAt` gives the link of each by its place. */
  add(text: string, linkAt: (place: number) => number): void
  linkOf(value: string): number | undefined
}

/** For at most so many; each takes some 30 bytes. */
export function createFingerprintList(most: number): FingerprintList {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(2, most * ROOM))))
  const numbers = new Uint32Array(most * NUMBERS)
  const links = new Float64Array(most)
  let count = 0
  /** The slot in which the fingerprint is, or an empty one. */
  const slotOf = (text: string, at: number): number => {
    const first = numberAt(text, at)
    const second = numberAt(text, at + LETTERS_OF_A_NUMBER)
    const third = numberAt(text, at + 2 * LETTERS_OF_A_NUMBER)
    for (let slot = first % slots.length; ; slot = (slot + 1) % slots.length) {
      const taken = slots[slot] ?? 0
      const from = (taken - 1) * NUMBERS
      const isSame = numbers[from] === first && numbers[from + 1] === second && numbers[from + 2] === third
      if (taken === 0 || isSame) return slot
    }
  }
  return {
    add(text, linkAt) {
      for (let place = 0; place * FINGERPRINT_LENGTH < text.length; place += 1) {
        const at = place * FINGERPRINT_LENGTH
        const slot = slotOf(text, at)
        // Of two links with one fingerprint the first one is found.
        if (slots[slot] !== 0) continue
        for (let number = 0; number < NUMBERS; number += 1)
          numbers[count * NUMBERS + number] = numberAt(text, at + number * LETTERS_OF_A_NUMBER)
        links[count] = linkAt(place)
        count += 1
        slots[slot] = count
      }
    },
    linkOf(value) {
      const taken = slots[slotOf(value, 0)] ?? 0
      return taken === 0 ? undefined : links[taken - 1]
    },
  }
}
