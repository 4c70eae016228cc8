// Rounds of looks for drift of each pipeline: what the latest has counted, up to which key it has come, and what those before it
// have found.
import type { DriftCounts, DriftRound, DriftRoundStore } from '../core/change/others/drift-rounds.ts'
import type { Connection } from './file/database.ts'

interface RoundRow {
  readonly key: string
  readonly started_at: number
  readonly ended_at: number | null
  readonly counts: string
}

/** More than a year of daily rounds. */
const MOST = 400

const roundOf = (pipeline: string, row: RoundRow): DriftRound => ({
  ...{ pipeline, after: row.key, counts: JSON.parse(row.counts) as DriftCounts },
  ...{ startedAt: row.started_at, endedAt: row.ended_at ?? undefined },
})

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
  const past = db.prepare<[string, number], RoundRow>(
    "SELECT '' AS key, started_at, ended_at, counts FROM drift_past WHERE pipeline = ? ORDER BY ended_at DESC LIMIT ?",
  )
  const keep = db.prepare(
    'INSERT OR REPLACE INTO drift_past (pipeline, ended_at, started_at, counts) VALUES (@pipeline, @endedAt, @startedAt, @counts)',
  )
  const prune = db.prepare<[string, string, number]>(
    `DELETE FROM drift_past WHERE pipeline = ? AND ended_at <=
       (SELECT ended_at FROM drift_past WHERE pipeline = ? ORDER BY ended_at DESC LIMIT 1 OFFSET ?)`,
  )
  const note = db.transaction(({ counts, endedAt, ...round }: DriftRound) => {
    const values = { ...round, endedAt: endedAt ?? null, counts: JSON.stringify(counts) }
    write.run(values)
    if (endedAt === undefined) return
    keep.run({ pipeline: values.pipeline, startedAt: values.startedAt, endedAt, counts: values.counts })
    prune.run(round.pipeline, round.pipeline, MOST)
  })
  return {
    async driftRound(pipeline) {
      const row = read.get(pipeline)
      return row === undefined ? undefined : roundOf(pipeline, row)
    },
    driftRounds: async (pipeline, limit) => past.all(pipeline, limit).map((row) => roundOf(pipeline, row)),
    async noteDriftRound(round) {
      note(round)
    },
  }
}
