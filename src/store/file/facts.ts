// What a report about a fault may say of the state as a database: its tables and what runs came to, nothing of a record.
import Database from 'better-sqlite3'
import { type Connection, isFile } from './connection.ts'

export interface DatabaseFacts {
  /** The version of SQLite. */
  readonly sqlite: string
  /** Of a state at a server: the version of that. */
  readonly server: string | undefined
  /** The statements that make its tables, indexes and triggers; at a server without the triggers. */
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

const FILE_SCHEMA = 'SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name'

const SERVER_SCHEMA = `
SELECT 'CREATE TABLE ' || c.relname || ' (' || string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
  || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY a.attnum) || ')'
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = to_regnamespace(current_schema()::text) AND c.relkind = 'r' GROUP BY c.relname
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1`

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
    const text = (sql: string) => db.prepare<[], string>(sql).pluck()
    return {
      sqlite: sqliteVersion(),
      server: isFile(db) ? undefined : text('SELECT version()').get(),
      schema: text(isFile(db) ? FILE_SCHEMA : SERVER_SCHEMA).all(),
      runs: db.prepare<[number], RunFacts>(RUNS).all(runs),
    }
  } finally {
    db.close()
  }
}
