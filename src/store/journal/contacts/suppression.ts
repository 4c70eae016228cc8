// What is kept of a suppression list, as a row of `meta`: its length, and what tells its contents apart; no address.
import type { KeptList, SuppressionStore } from '../../../core/change/consents/suppression.ts'
import type { StateLocation } from '../../../core/state-place.ts'
import type { Connection } from '../../file/database.ts'
import { openCurrentToRead } from '../../reading.ts'

const READ = "SELECT value FROM meta WHERE name = 'suppress:' || ?"

const keptList = (text: string | undefined): KeptList | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as KeptList)

/** As the state says, beside its owner; undefined where there is none yet, or an older version's. */
export function readKeptList(where: StateLocation, path: string): KeptList | undefined {
  const db = openCurrentToRead(where)
  if (db === undefined) return undefined
  try {
    return keptList(db.prepare<[string], string>(READ).pluck().get(path))
  } finally {
    db.close()
  }
}

export function createSuppressionStore(db: Connection): SuppressionStore {
  const read = db.prepare<[string], string>(READ).pluck()
  const write = db.prepare("INSERT OR REPLACE INTO meta VALUES ('suppress:' || ?, ?)")
  return {
    suppressionList: async (path) => keptList(read.get(path)),
    keepSuppressionList: async (path, list) => void write.run(path, JSON.stringify(list)),
  }
}
