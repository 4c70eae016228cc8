// The names that a pipeline had before it was renamed. Tombstones are hashes of pipeline and key, and the keys are not known
// any more: so they are looked for under the former names, too.
import type { Connection } from '../file/connection.ts'

const FORMER = 'former:'

const namesIn = (value: string | undefined): readonly string[] => JSON.parse(value ?? '[]') as string[]

/** Gives the name itself, and those that it had before. */
export function createNames(db: Connection): (pipeline: string) => readonly string[] {
  const read = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck()
  return (pipeline) => [pipeline, ...namesIn(read.get(`${FORMER}${pipeline}`))]
}

/** Gives the name that the pipeline has now, which may be the same. */
export function createPresentName(db: Connection): (pipeline: string) => string {
  const all = db.prepare<[], { name: string; value: string }>(
    `SELECT name, value FROM meta WHERE name >= '${FORMER}' AND name < 'former;'`,
  )
  return (pipeline) => {
    const row = all.all().find(({ value }) => namesIn(value).includes(pipeline))
    return row === undefined ? pipeline : row.name.slice(FORMER.length)
  }
}

/** After what was noted of the old name has been taken over. */
export function noteFormerName(db: Connection, { from, to }: { from: string; to: string }): void {
  const [, ...before] = createNames(db)(to)
  const names = [from, ...before.filter((name) => name !== to && name !== from)]
  db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(`${FORMER}${to}`, JSON.stringify(names))
}
