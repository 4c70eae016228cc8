// One protocol bug, as a change of the source.

interface Edit {
  /** Below `src/`. */
  readonly file: string
  readonly find: string
  readonly put: string
  /** How often it must be found; once, if nothing is said. */
  readonly times?: number
}

export interface Mutant {
  /** One that noticed it; tried before all others. */
  readonly seed: number
  readonly bug: string
  /** Noticed with sources that are asked for their records, with users who edit contacts, with people who are erased, or with a person who sets values right. */
  readonly kind?: 'pulled' | 'edited' | 'erased' | 'corrected'
  readonly edits: readonly Edit[]
}

export const oneBug = (
  seed: number,
  bug: string,
  ...[file, [find, put]]: readonly [file: string, change: readonly [find: string, put: string]]
): Mutant => ({
  seed,
  bug,
  edits: [{ file, find, put }],
})
