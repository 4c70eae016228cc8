// Since when and why the daemon lets no run begin, for those who look at the state from another process. The note belongs to
// the owner that wrote it: what a killed one left behind is not the pause of the next.
import type { NotedPause, PauseStore } from '../core/outcome/daemon.ts'
import type { Connection } from './file/database.ts'

export function createPauseStore(db: Connection): PauseStore {
  const owner = db.prepare<[], number>('SELECT since FROM owner').pluck()
  const write = db.prepare("INSERT OR REPLACE INTO meta VALUES ('pause', ?)")
  const remove = db.prepare("DELETE FROM meta WHERE name = 'pause'")
  const read = db
    .prepare<[], string>(
      "SELECT value FROM meta JOIN owner ON CAST(json_extract(value, '$.owner') AS BIGINT) = owner.since WHERE name = 'pause'",
    )
    .pluck()
  return {
    async notedPause() {
      const text = read.get()
      if (text === undefined) return undefined
      const { since, code, reason } = JSON.parse(text) as NotedPause
      return { since, code, reason }
    },
    async notePause(pause) {
      if (pause === undefined) return void remove.run()
      const { since, code, reason } = pause
      const holder = owner.get()
      if (holder !== undefined) write.run(JSON.stringify({ since, code, reason, owner: holder }))
    },
  }
}
