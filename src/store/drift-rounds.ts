// The latest round of looks for drift of each pipeline: what it has counted, and up to which key it has come.
import type { DriftCounts, DriftRoundStore } from '../core/change/others/drift-rounds.ts'
import type { Connection } from './file/database.ts'

interface RoundRow {
  readonly key: string
  readonly started_at: number
  readonly ended_at: number | null
  readonly counts: string
}

export function createDriftRoundStore(db: Connection): DriftRoundStore {
  const read = db.prepare<[string], RoundRow>(
    'SELECT key, started_at, ended_at, counts FROM drift_round WHERE pipeline = ?',
  )
  // A person may have been erased since the look began: their key must not come back.
  const write = db.prepare(
    `INSERT OR REPLACE INTO drift_round (pipeline, key, started_at, ended_at, counts)
     SELECT @pipeline, @after, @startedAt, @endedAt, @counts
     WHERE @after = '' OR EXISTS (SELECT 1 FROM link WHERE pipeline = @pipeline AND key = @after)`,
  )
  return {
    async driftRound(pipeline) {
      const row = read.get(pipeline)
      if (row === undefined) return undefined
      const counts = JSON.parse(row.counts) as DriftCounts
      return {
        ...{ pipeline, after: row.key, counts },
        ...{ startedAt: row.started_at, endedAt: row.ended_at ?? undefined },
      }
    },
    async noteDriftRound({ counts, endedAt = null, ...round }) {
      write.run({ ...round, endedAt, counts: JSON.stringify(counts) })
    },
  }
}
