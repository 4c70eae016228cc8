// The head of the sync log as a line that others keep: a program that rewrites the log, with every key of this machine,
// cannot change what is kept elsewhere. Pure.
import { z } from 'zod'

/** One line: at this time the log of this state had so many entries, and the last of them had this hash. */
export interface Witness {
  readonly at: string
  /** The state, by the name that it was created with. */
  readonly instance: string
  readonly entries: number
  readonly hash: string
}

/** When the daemon last wrote a witness; milliseconds since the epoch. */
export interface WitnessStore {
  lastWitness(): Promise<number | undefined>
  noteWitness(at: number): Promise<void>
}

const witness = z.object({
  at: z.string(),
  instance: z.string(),
  entries: z.int().min(0),
  hash: z.string().regex(/^[\da-f]{64}$/),
})

export const witnessLine = ({ at, instance, entries, hash }: Witness): string =>
  `${JSON.stringify({ at, instance, entries, hash })}\n`

/** Throws RangeError with the number of the first line that is none. Blank lines are passed over. */
export function readWitnesses(text: string): readonly (Witness & { readonly line: number })[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    try {
      return [{ ...witness.parse(JSON.parse(line)), line: index + 1 }]
    } catch {
      throw new RangeError(`line ${index + 1} is no line of audit witness`)
    }
  })
}

/** Whether the next one is due. A clock that was put back makes it due at once. */
export const isWitnessDue = (last: number | undefined, every: number, now: number): boolean =>
  last === undefined || now >= last + every || now < last
