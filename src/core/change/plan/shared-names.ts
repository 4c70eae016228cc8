// Which names many different records have, so that they say nothing of one person. Of each name a few records are kept, never
// all of them.

/** A name of fewer records is not told. */
const LEAST_RECORDS = 5

export interface SharedNames {
  /** `who`: whose record it is. The same one counts once, however often it comes. */
  note(name: string, who: string): void
  names(): ReadonlySet<string>
}

export function createSharedNames(): SharedNames {
  const few = new Map<string, string[]>()
  const shared = new Set<string>()
  return {
    note(name, who) {
      if (shared.has(name)) return
      const seen = few.get(name) ?? []
      if (seen.includes(who)) return
      if (seen.push(who) < LEAST_RECORDS) {
        few.set(name, seen)
        return
      }
      few.delete(name)
      shared.add(name)
    },
    names: () => new Set(shared),
  }
}
