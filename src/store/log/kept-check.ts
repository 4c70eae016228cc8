// What the state keeps beside the sync log and the log speaks for: who counts as erased, and the configurations that were in force.
// A change of these by another hand leaves the chain whole, so they are compared with what the entries, and the hashes, say.
import { hash } from 'node:crypto'
import { erasedDigest, type PublicPart } from '../../core/log/audit-chain.ts'
import type { KeptFault } from '../../core/log/sync-log.ts'
import type { Connection } from '../file/connection.ts'
import { word } from './audit-tags.ts'
import { createTombstonesDigest } from './tombstones.ts'

/** The newest entry that says who counts as erased from then on; entries of older versions do not. */
function lastAboutErased(db: Connection): PublicPart | undefined {
  const newest = db
    .prepare<[string], string>(
      `SELECT a.entry FROM log_word AS w CROSS JOIN log_tag AS r ON r.word = w.id
       CROSS JOIN audit AS a ON a.seq BETWEEN r.first AND r.last WHERE w.word = ? ORDER BY a.seq DESC LIMIT 1`,
    )
    .pluck()
  const [last] = ['erase', 'readmit']
    .flatMap((action) => newest.get(word.action(action)) ?? [])
    .map((text) => JSON.parse(text) as PublicPart)
    .sort((one, other) => other.seq - one.seq)
  return last
}

function wrongTombstones(db: Connection): KeptFault | undefined {
  const last = lastAboutErased(db)
  const isOlder = last !== undefined && last.tombstones === undefined
  if (isOlder || (last?.tombstones ?? erasedDigest([])) === createTombstonesDigest(db)()) return undefined
  // Another process has erased someone meanwhile.
  if (lastAboutErased(db)?.seq !== last?.seq) return wrongTombstones(db)
  const why =
    last === undefined
      ? 'no entry says that anyone was erased: records of others may be left out'
      : `it is not as entry ${last.seq} (${last.action}) left it: records of erased persons may be sent again, or those of others left out`
  return { table: 'tombstone', why }
}

function wrongConfiguration(db: Connection): KeptFault | undefined {
  const rows = db.prepare<[], { hash: string; pipelines: string; settings: string }>(
    'SELECT hash, pipelines, settings FROM configuration ORDER BY id',
  )
  for (const row of rows.iterate())
    if (hash('sha256', `[${row.settings},${row.pipelines}]`, 'hex') !== row.hash)
      return { table: 'configuration', why: `${row.hash} is not the configuration that was in force` }
  return undefined
}

/** The first of them that is not as it was written. */
export const checkKept = (db: Connection): KeptFault | undefined =>
  wrongTombstones(db) ?? wrongConfiguration(db)
