// Counts requests by the hour, so that the limit of a day holds over restarts.
import type { DailyAllowance } from '../core/ports.ts'
import type { Connection } from './database.ts'

const HOUR_MS = 3_600_000
/** The hour that runs and the 24 before it: never less than the last 24 hours, whatever the minute. */
const HOURS = 25

/** Requests of the last 24 hours, as they are counted against the limit of a day. */
export function createDailyUse(db: Connection): (nowMs: number) => number {
  const used = db
    .prepare<[number], number>('SELECT coalesce(sum(requests), 0) FROM daily_request WHERE hour > ?')
    .pluck()
  return (nowMs) => used.get(Math.floor(nowMs / HOUR_MS) - HOURS) ?? 0
}

export function createDailyAllowance(db: Connection, perDay: number): DailyAllowance {
  const used = db
    .prepare<[number], number>('SELECT coalesce(sum(requests), 0) FROM daily_request WHERE hour > ?')
    .pluck()
  const add = db.prepare(
    'INSERT INTO daily_request VALUES (?, 1) ON CONFLICT DO UPDATE SET requests = requests + 1',
  )
  const forget = db.prepare('DELETE FROM daily_request WHERE hour <= ?')
  const takeOne = db.transaction((hour: number): boolean => {
    forget.run(hour - HOURS)
    if ((used.get(hour - HOURS) ?? 0) >= perDay) return false
    add.run(hour)
    return true
  })
  return {
    take: async (nowMs) => takeOne(Math.floor(nowMs / HOUR_MS)),
  }
}
