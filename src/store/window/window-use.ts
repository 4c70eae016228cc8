// How much of the shared rate limit is in use, and whether the service has slowed it down: read beside those who ask it.
import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type Connection, connect, type FileConnection } from '../file/connection.ts'
import { statePlace } from '../file/place.ts'
import { HOURS } from './day.ts'
import { HOUR_MS } from '../../core/words/duration.ts'

export interface WindowUse {
  /** Places of the window that are taken: requests under way, and answered ones that are not yet free. */
  readonly used: number
  /** Requests of the last 24 hours; counted only where a limit of a day is set. */
  readonly ofDay: number
  /** Undefined: the service has never asked for fewer requests. */
  readonly slowed: { readonly places: number; readonly resumeAt: number } | undefined
}

const PLACES = `
SELECT (SELECT coalesce(sum(places), 0) FROM cooling WHERE service = @service AND free_at > @now)
     + (SELECT coalesce(sum(busy), 0) FROM asker WHERE service = @service AND seen_at >= @alive)`

function read(
  db: Connection,
  { service, now, timeoutMs }: { service: string; now: number; timeoutMs: number },
): WindowUse {
  const places = db.prepare<[object], number>(PLACES).pluck()
  const ofDay = db
    .prepare<[string, number], number>(
      'SELECT coalesce(sum(requests), 0) FROM hour WHERE service = ? AND hour > ?',
    )
    .pluck()
  const slowed = db.prepare<[string, number], NonNullable<WindowUse['slowed']>>(
    'SELECT places, resume_at AS resumeAt FROM slowed WHERE service = ? AND at <= ?',
  )
  return {
    used: places.get({ service, now, alive: now - timeoutMs }) ?? 0,
    ofDay: ofDay.get(service, Math.floor(now / HOUR_MS) - HOURS) ?? 0,
    slowed: slowed.get(service, now),
  }
}

/** Undefined where no request was counted yet, or the file cannot be read. */
export function readWindowUse(
  statePath: string,
  of: { service: string; now: number; timeoutMs: number },
): WindowUse | undefined {
  let db: FileConnection | undefined
  try {
    const path = `${statePlace(statePath)}.window`
    if (!existsSync(path)) return undefined
    // Not `readonly`: a read-only connection to a WAL database leaves its -wal and -shm files behind.
    db = connect(path, { fileMustExist: true })
    db.pragma('busy_timeout = 5000')
    db.pragma('query_only = ON')
    return read(db, of)
  } catch (error) {
    if (error instanceof Database.SqliteError) return undefined
    throw error
  } finally {
    db?.close()
  }
}
