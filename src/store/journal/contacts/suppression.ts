// What is kept of a suppression list, as a row of `meta`: its length, and what tells its contents apart; no address.
import type { KeptList, SuppressionStore } from '../../../core/change/consents/suppression.ts'
import type { Connection } from '../../file/database.ts'

export function createSuppressionStore(db: Connection): SuppressionStore {
  const read = db.prepare<[string], string>("SELECT value FROM meta WHERE name = 'suppress:' || ?").pluck()
  const write = db.prepare("INSERT OR REPLACE INTO meta VALUES ('suppress:' || ?, ?)")
  return {
    async suppressionList(path) {
      const kept = read.get(path)
      return kept === undefined ? undefined : (JSON.parse(kept) as KeptList)
    },
    keepSuppressionList: async (path, list) => void write.run(path, JSON.stringify(list)),
  }
}
