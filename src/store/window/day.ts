// The requests of a day, by the hour: on the file that all processes share, and for one process alone where there is none.
import { type Connection, isFile } from '../file/connection.ts'
import { HOUR_MS } from '../../core/words/duration.ts'
import type { Offset } from './steady-time.ts'

/** The hour that runs and the 24 before it. */
export const HOURS = 25

export type TakeOfDay = (now: number, perDay: number, offset: Offset) => boolean

/** A window is over before a machine that lost its power is up again; a day is not. */
export function durably<Result>(db: Connection, work: () => Result): Result {
  if (!isFile(db)) return db.exclusive(work)
  db.pragma('synchronous = FULL')
  try {
    return db.exclusive(work)
  } finally {
    db.pragma('synchronous = NORMAL')
  }
}

/** Takes one request off the day. */
export function createDay(db: Connection, service: string, follow: (offset: Offset) => void): TakeOfDay {
  const used = db
    .prepare<[string, number], number>(
      'SELECT coalesce(sum(requests), 0) FROM hour WHERE service = ? AND hour > ?',
    )
    .pluck()
  const add = db.prepare(
    'INSERT INTO hour VALUES (?, ?, 1) ON CONFLICT (service, hour) DO UPDATE SET requests = hour.requests + 1',
  )
  const old = db.prepare('DELETE FROM hour WHERE hour <= ?')
  const takeOne: TakeOfDay = (now, perDay, offset) => {
    follow(offset)
    const hour = Math.floor(now / HOUR_MS)
    old.run(hour - HOURS)
    if ((used.get(service, hour - HOURS) ?? 0) >= perDay) return false
    add.run(service, hour)
    return true
  }
  return (...given) => durably(db, () => takeOne(...given))
}

/** The requests of this process, for a day that cannot be shared. */
export function createOwnDay() {
  const byHour = new Map<number, number>()
  const usedSince = (oldest: number): number =>
    [...byHour].reduce((sum, [hour, requests]) => sum + (hour > oldest ? requests : 0), 0)
  return {
    add(now: number): void {
      const hour = Math.floor(now / HOUR_MS)
      byHour.set(hour, (byHour.get(hour) ?? 0) + 1)
      for (const old of byHour.keys()) if (old <= hour - HOURS) byHour.delete(old)
    },
    isLeft: (now: number, perDay: number): boolean => usedSince(Math.floor(now / HOUR_MS) - HOURS) < perDay,
  }
}
