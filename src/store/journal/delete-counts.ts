// Deletes by pipeline and hour, and how many contacts were linked then: for limits over time (guards.max_deletes_per).
import { UNCERTAIN } from '../../core/change/states.ts'
import type { DeleteCounts } from '../../core/deletes-over-time.ts'
import { DAY_MS, HOUR_MS } from '../../core/words/duration.ts'
import type { Connection } from '../file/database.ts'
import { isOneOf } from '../file/state-sets.ts'

const hourOf = (at: number): number => Math.floor(at / HOUR_MS)

/** No period is longer; one row before it says how many were linked when it began. */
const KEPT_HOURS = (400 * DAY_MS) / HOUR_MS

const SINCE = `
SELECT coalesce(sum(deletes) FILTER (WHERE hour >= @hour), 0) +
    (SELECT count(*) FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND ${isOneOf(UNCERTAIN)}
      AND kind = 'delete' AND cause = 'missing' AND undoes IS NULL AND released = 0) AS deletes,
  coalesce(max(iif(hour < @hour, links - deletes, links)), 0) AS links
FROM delete_count WHERE pipeline = @pipeline
  AND hour >= coalesce((SELECT max(hour) FROM delete_count WHERE pipeline = @pipeline AND hour < @hour), @hour)`

/** Of days that are over, the hour with the most links stands for the hours without deletes: one row a day is kept. */
const THIN = `
DELETE FROM delete_count AS old WHERE pipeline = @pipeline AND deletes = 0 AND hour < @hour AND EXISTS (
  SELECT 1 FROM delete_count AS other WHERE other.pipeline = old.pipeline
    AND other.hour BETWEEN old.hour - old.hour % 24 AND old.hour - old.hour % 24 + 23
    AND (other.links > old.links OR (other.links = old.links AND other.hour < old.hour)))`

export function createDeleteCounts(db: Connection): DeleteCounts {
  const note = db.prepare(`
    INSERT INTO delete_count VALUES (@pipeline, @hour, @links, 0)
    ON CONFLICT (pipeline, hour) DO UPDATE SET links = max(delete_count.links, excluded.links)`)
  const expire = db.prepare('DELETE FROM delete_count WHERE pipeline = @pipeline AND hour < @hour')
  const thin = db.prepare(THIN)
  const since = db.prepare<[Record<string, unknown>], { deletes: number; links: number }>(SINCE)
  const noteAndExpire = db.transaction((pipeline: string, at: number, links: number) => {
    note.run({ pipeline, hour: hourOf(at), links })
    expire.run({ pipeline, hour: hourOf(at) - KEPT_HOURS })
    thin.run({ pipeline, hour: hourOf(at) - 48 })
  })
  return {
    noteLinks: async (pipeline, { at, links }) => noteAndExpire(pipeline, at, links),
    deletedSince: async (pipeline, at) =>
      since.get({ pipeline, hour: hourOf(at) }) ?? { deletes: 0, links: 0 },
  }
}

/** Counts a delete that is done, before it leaves the journal. */
export function createCountDelete(db: Connection): (operation: { id: number }, at: number) => void {
  const count = db.prepare(`
    INSERT INTO delete_count
    SELECT pipeline, @hour, 0, 1 FROM operation
    WHERE id = @id AND cause = 'missing' AND undoes IS NULL AND released = 0
    ON CONFLICT (pipeline, hour) DO UPDATE SET deletes = delete_count.deletes + 1`)
  return ({ id }, at) => void count.run({ id, hour: hourOf(at) })
}
