// How far each pipeline has read its source, as a row of `meta` that is moved or removed with the pipeline.
import type { CursorStore, KeptCursor } from '../core/cursor.ts'
import type { Connection } from './file/database.ts'
import { createMoveCursor } from './journal/move-cursor.ts'

const nameFor = (pipeline: string): string => `cursor:${pipeline}`

export function createCursorStore(db: Connection): CursorStore {
  const read = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck()
  const move = createMoveCursor(db)
  return {
    moveCursor: async (pipeline, cursor) => move(pipeline, cursor),
    async cursor(pipeline) {
      const value = read.get(nameFor(pipeline))
      return value === undefined ? undefined : (JSON.parse(value) as KeptCursor)
    },
  }
}
