// Mappings by their hash, each a row of `meta`: a few kilobytes for each configuration that a pipeline ever had.
import type { MappingStore } from '../core/mapping-store.ts'
import type { Connection } from './file/database.ts'

const nameFor = (hash: string): string => `mapping:${hash}`

export function createMappingStore(db: Connection): MappingStore {
  const read = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck()
  const write = db.prepare('INSERT OR IGNORE INTO meta VALUES (?, ?)')
  return {
    async keepMapping(hash, text) {
      if (read.get(nameFor(hash)) === undefined) write.run(nameFor(hash), text())
    },
    keptMapping: async (hash) => read.get(nameFor(hash)),
  }
}
