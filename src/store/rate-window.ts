// The window of the rate limit over the end of a process: the service counts on, whoever asks.
import { statSync } from 'node:fs'
import type { WindowMemory } from '../core/ports.ts'
import type { Connection } from './database.ts'

const modifiedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** When the owner that did not close the state wrote to it last; undefined: it was closed in good order. To be asked before it is opened for writing. */
export function killedAt(db: Connection, path: string): number | undefined {
  const isOpen = db.prepare('SELECT 1 FROM owner').get() !== undefined
  return isOpen ? Math.max(modifiedAt(path), modifiedAt(`${path}-wal`)) : undefined
}

export function createWindowMemory(db: Connection, killed: number | undefined): WindowMemory {
  const read = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'rate_window'").pluck()
  const write = db.prepare("INSERT OR REPLACE INTO meta VALUES ('rate_window', ?)")
  let before = killed
  return {
    load: () => (before === undefined ? (JSON.parse(read.get() ?? '[]') as number[]) : { killedAt: before }),
    save(freeAt) {
      write.run(JSON.stringify(freeAt))
      // The next to ask is another client of this very process.
      before = undefined
    },
  }
}
