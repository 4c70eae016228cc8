// What a report about a fault may say of the state as a database: its tables and what runs came to, nothing of a record.
import Database from 'better-sqlite3'
import { openForReading } from './database.ts'

export interface DatabaseFacts {
  /** The version of SQLite. */
  readonly sqlite: string
  /** The statements that make its tables, indexes and triggers. */
  readonly schema: readonly string[]
  /** Newest first. */
  readonly runs: readonly RunFacts[]
}

interface RunFacts {
  readonly id: string
  readonly pipeline: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number | null
  readonly status: string | null
  readonly code: string | null
  /** JSON. */
  readonly counts: string | null
}

const RUNS = `
SELECT id, pipeline, started_at AS startedAt, ended_at AS endedAt, status, code, counts
FROM run ORDER BY started_at DESC LIMIT ?`

export function sqliteVersion(): string {
  const db = new Database(':memory:')
  try {
    return db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
  } finally {
    db.close()
  }
}

/** Undefined where there is no state yet. Throws STATE_UNUSABLE where it cannot be read. `runs`: how many at most. */
export function databaseFacts(path: string, { runs }: { runs: number }): DatabaseFacts | undefined {
  const db = openForReading(path)
  if (db === undefined) return undefined
  try {
    const schema = db
      .prepare<[], string>('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name')
      .pluck()
    return {
      sqlite: sqliteVersion(),
      schema: schema.all(),
      runs: db.prepare<[number], RunFacts>(RUNS).all(runs),
    }
  } finally {
    db.close()
  }
}
