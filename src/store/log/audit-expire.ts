// Destroys the values of entries that are older than is kept. The entries stay in the chain, with what was done and when,
// and one of them says up to where values are gone.
import { planEntry } from '../../core/log/other-entries.ts'
import { createAppend } from './audit-append.ts'
import { createUntagTerms } from './audit-tags.ts'
import type { Connection } from '../file/connection.ts'
import { HOUR_MS } from '../../core/words/duration.ts'

const DAY_HOURS = 24

/** Keys with which nothing can be opened any more. */
const DESTROY_KEYS = `
UPDATE person_key SET secret = NULL WHERE id <> 0 AND id IN (SELECT key_id FROM sealed WHERE seq > @from AND seq <= @upTo)
  AND NOT EXISTS (SELECT 1 FROM sealed WHERE seq = person_key.id AND key_id = person_key.id AND box IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM sealed WHERE key_id = person_key.id AND key_id <> seq AND box IS NOT NULL)`

/** The newest entry of which all that stand before it are older, too: clocks may have gone back. */
function createUpTo(db: Connection): (before: number) => number {
  const last = db.prepare<[number], number | null>('SELECT max(last) FROM log_hour WHERE hour < ?').pluck()
  const first = db.prepare<[number], number | null>('SELECT min(first) FROM log_hour WHERE hour >= ?').pluck()
  return (before) => {
    // By whole days, so that there is one entry about it a day.
    const hour = Math.floor(before / HOUR_MS / DAY_HOURS) * DAY_HOURS
    return Math.min(last.get(hour) ?? 0, (first.get(hour) ?? Number.MAX_SAFE_INTEGER) - 1)
  }
}

/** At most `limit` entries at a time; of how many the values are gone now. Times in milliseconds since the epoch. */
export function createExpireValues(
  db: Connection,
): (before: number, limit: number, about: { at: number; runId: string }) => number {
  const upToOf = createUpTo(db)
  const done = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'expired'").pluck()
  const note = db.prepare("INSERT OR REPLACE INTO meta VALUES ('expired', ?)")
  const append = createAppend(db)
  const untag = createUntagTerms(db)
  const open = db.prepare<[number, number, number], number>(
    'SELECT seq FROM sealed WHERE seq > ? AND seq <= ? AND box IS NOT NULL ORDER BY seq LIMIT 1 OFFSET ?',
  )
  const steps = [
    'UPDATE sealed SET box = NULL WHERE box IS NOT NULL AND seq > @from AND seq <= @upTo',
    DESTROY_KEYS,
  ].map((sql) => db.prepare(sql))
  return db.transaction((before: number, limit: number, about: { at: number; runId: string }) => {
    const from = Number(done.get() ?? 0)
    const most = open.pluck().get(from, upToOf(before), limit)
    const upTo = most === undefined ? upToOf(before) : most - 1
    if (upTo <= from) return 0
    untag({ from, upTo })
    const [emptied] = steps.map((step) => step.run({ from, upTo }).changes)
    note.run(String(upTo))
    const reason = `values of entries up to ${upTo} have expired`
    append(planEntry({ action: 'expire', reason, up_to: upTo }, { ...about, pipeline: null, configHash: '' }))
    return emptied ?? 0
  })
}
