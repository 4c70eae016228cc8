// What a report about a fault may say of the state as a database: its tables and what runs came to, nothing of a record.
import Database from 'better-sqlite3'
import { type Connection, isFile } from './connection.ts'

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

/** `db`: the state, opened for reading; it is closed. Undefined where there is no state yet. `runs`: how many at most. */
export function databaseFacts(
  db: Connection | undefined,
  { runs }: { runs: number },
): DatabaseFacts | undefined {
  if (db === undefined) return undefined
  try {
    const definitions = db.prepare<[], string>(
      'SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name',
    )
    return {
      sqlite: sqliteVersion(),
      schema: isFile(db) ? definitions.pluck().all() : [],
      runs: db.prepare<[number], RunFacts>(RUNS).all(runs),
    }
  } finally {
    db.close()
  }
}
