// Moves the cursor of a pipeline: in the transaction that finishes the input which brought it, or alone where there was none.
import type { KeptCursor } from '../../core/cursor.ts'
import type { Connection } from '../file/database.ts'

export function createMoveCursor(db: Connection): (pipeline: string, cursor: KeptCursor) => void {
  const put = db.prepare("INSERT OR REPLACE INTO meta VALUES ('cursor:' || ?, ?)")
  return (pipeline, cursor) => {
    put.run(pipeline, JSON.stringify(cursor))
  }
}
