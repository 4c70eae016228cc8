// A state at a server that another version has made: the first worker of a newer version brings it up to date, while workers of
// the versions before go on.
import { SyncError } from '../../core/words/errors.ts'
import type { Connection } from '../file/connection.ts'
import { presentText, presentWorkers } from './workers.ts'

/** `sql`: done once, within one transaction. */
interface Upgrade {
  readonly sql: string
  /** Versions that do not have it cannot work with the state after it: their processes have to end before, and none can join. */
  readonly alone?: true
}

/**
 * What became different since the first version, in order. Workers of the versions before are at work meanwhile, so an upgrade
 * only adds: tables, columns with a default at the end, functions of another name or with other parameters. A migration of the
 * file (file/schema.ts) is one here, too.
 */
const UPGRADES: readonly Upgrade[] = []

/** Rows of `meta`: the number of the newest version that has worked with the state, and the lowest of those that can. */
export const UPGRADE_NOTES = ['upgrade', 'upgrade_oldest'] as const

const newestNumber = (): number => 1 + UPGRADES.length

/** A state that is made by this version has all of them. */
export function noteNewest(db: Connection): void {
  db.prepare("INSERT INTO meta VALUES ('upgrade', ?), ('upgrade_oldest', ?)").run(
    String(newestNumber()),
    String(lowestFor(newestNumber())),
  )
}

/** The lowest number of a version that can work with a state of that number. */
function lowestFor(number: number): number {
  const last = UPGRADES.slice(0, number - 1).findLastIndex(({ alone }) => alone === true)
  return last + 2
}

function numbersOf(db: Connection): { readonly number: number; readonly oldest: number } {
  const read = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck()
  return { number: Number(read.get('upgrade') ?? 1), oldest: Number(read.get('upgrade_oldest') ?? 1) }
}

/** Throws STATE_UNUSABLE where this version cannot work with the state, or, to read it, where a worker has to upgrade it first. */
export function assertKnown(db: Connection, place: string): void {
  const { number, oldest } = numbersOf(db)
  const own = newestNumber()
  if (oldest > own)
    throw new SyncError(
      'STATE_UNUSABLE',
      `the state ${place} was upgraded by a newer contact-sync (to ${number}, this one knows ${own})`,
      { hint: 'Use that version. This one cannot work with the state any more.' },
    )
  if (number < own)
    throw new SyncError(
      'STATE_UNUSABLE',
      `the state ${place} is that of an older contact-sync (${number}, this one has ${own})`,
      { hint: 'Start or run contact-sync of this version once: it brings the state up to date.' },
    )
}

/** Throws STATE_LOCKED where a version before is at work that could not go on. */
export function upgrade(db: Connection, place: string): void {
  const own = newestNumber()
  if (numbersOf(db).number >= own) return
  db.exclusive(() => {
    // Another worker may have been faster.
    const { number } = numbersOf(db)
    const missing = UPGRADES.slice(number - 1)
    if (missing.some(({ alone }) => alone === true)) assertAlone(db, place)
    for (const { sql } of missing) db.exec(sql)
    if (missing.length === 0) return
    const note = db.prepare(
      'INSERT INTO meta VALUES (@name, @value) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    )
    note.run({ name: 'upgrade', value: String(own) })
    note.run({ name: 'upgrade_oldest', value: String(lowestFor(own)) })
  })
}

/** All that are at work are of versions before: a newer one would have upgraded the state. */
function assertAlone(db: Connection, place: string): void {
  const present = presentWorkers(db)
  if (present.length === 0) return
  throw new SyncError(
    'STATE_LOCKED',
    `the state ${place} cannot be upgraded while an older contact-sync is at work (${present.map(presentText).join('; ')})`,
    { hint: 'Stop every process of the version before, then start this one. Nothing was changed.' },
  )
}
