// What a PostgreSQL server knows of the sizes of the tables, by which it plans a statement.
import { type ServerLine, plain } from './line.ts'

/** Tables that have grown to four times what the server knows of them. */
const GROWN = `
SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
AND pg_relation_size(oid) > current_setting('block_size')::bigint * 4 * greatest(relpages, 2)`
/**
 * Of the session. The sizes of tables matter and hardly the values in them: a tenth of the rows that a server takes otherwise
 * tells as much, and all accounts of the process wait meanwhile.
 */
export const QUICK_ANALYZE = 'SET default_statistics_target = 10'

/** So many statements that write pass between two looks. */
const LOOK_EVERY = 2000

/**
 * A statement is planned once, for tables as they are then, and reads a table from end to end where that is small. The server
 * would notice that one has grown within minutes, too late for a first push.
 */
export function createStatistics(line: ServerLine): { count(): void; refresh(): void } {
  let written = 0
  return {
    count: () => void (written += 1),
    refresh() {
      if (written < LOOK_EVERY) return
      written = 0
      try {
        for (const [name] of line.now(plain(GROWN)).rows) line.now(plain(`ANALYZE "${String(name)}"`))
      } catch {
        // What was committed stays so. A server that is away fails the next statement, too.
      }
    },
  }
}
