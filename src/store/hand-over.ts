// How far the sync log has been handed over to a collector of logs.
import type { HandedOver, HandOverStore } from '../core/log/hand-over.ts'
import type { Connection } from './file/database.ts'

export function createHandOverStore(db: Connection): HandOverStore {
  const write = db.prepare("INSERT OR REPLACE INTO meta VALUES ('handed_over', ?)")
  const read = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'handed_over'").pluck()
  return {
    async handedOver() {
      const text = read.get()
      return text === undefined ? undefined : (JSON.parse(text) as HandedOver)
    },
    async noteHandedOver({ to, seq }) {
      write.run(JSON.stringify({ to, seq }))
    },
  }
}
