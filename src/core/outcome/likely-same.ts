// A finding of a plan or a run: persons who are probably in the source twice. See core/linkage/look-alikes.ts for how.

/** What two records have in common besides their names. */
export type SharedValue = 'mail' | 'phone' | 'birthday' | 'street'

export interface LikelyPair {
  /** The record that is linked, or stands first in the file, and then the new one. */
  readonly keys: readonly [string, string]
  /** Where they stand in the file; null for one that is linked already. */
  readonly lines: readonly [number | null, number]
  /** Of the one that is linked already. */
  readonly contact_id: number | null
  readonly evidence: readonly SharedValue[]
  /** How much speaks for one person, in bits; from THRESHOLD on. */
  readonly weight: number
}

/** What was found in one input. */
export interface LikelySame {
  readonly pairs: number
  /** False where there were too many records, or pairs, to compare all of them. */
  readonly complete: boolean
  /** Those of the greatest weight. The report of a run names no keys: a key may be a mail. */
  readonly examples: readonly (Omit<LikelyPair, 'keys'> & Partial<Pick<LikelyPair, 'keys'>>)[]
}

/** For the report of a run. */
export const withoutKeys = ({ examples, ...found }: LikelySame): LikelySame => ({
  ...found,
  examples: examples.map(({ lines, contact_id, evidence, weight }) => ({
    lines,
    contact_id,
    evidence,
    weight,
  })),
})
