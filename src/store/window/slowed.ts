// What the service has asked of a process: to wait, and to send less for a while after that. It holds for all processes, and for
// the one that is started next. A clock that was set back does not make it last.
import { grownBack, RECOVERY_MS } from '../../core/outcome/recovery.ts'
import type { Connection } from '../file/connection.ts'

interface Slowed {
  readonly at: number
  readonly places: number
  readonly resume_at: number
}

/** More than any limit has: a pause alone leaves all of them. */
export const ALL_PLACES = 1_000_000_000

export function createSlowed(db: Connection, service: string) {
  const write = db.prepare('INSERT OR REPLACE INTO slowed VALUES (?, ?, ?, ?)')
  const read = db.prepare<[string, number], Slowed>(
    'SELECT at, places, resume_at FROM slowed WHERE service = ? AND at <= ?',
  )
  return {
    /** How long nothing may be sent; and of so many places, those that may be used then. */
    limitOf(now: number, allowed: number): { pausedMs: number; places: number } {
      const { places, resume_at: resumeAt } = read.get(service, now) ?? { places: allowed, resume_at: now }
      const isFewer = places < allowed
      return {
        pausedMs: Math.max(0, resumeAt - now),
        places: isFewer ? Math.max(1, grownBack(allowed, places, now - resumeAt)) : allowed,
      }
    },
    /** What one process is told does not end what another one was told, while that still holds. */
    slowDown: (now: number, places: number, resumeAt: number): void =>
      db.exclusive(() => {
        const before = read.get(service, now)
        const holds = before !== undefined && now < before.resume_at + RECOVERY_MS
        const fewest = holds ? Math.min(before.places, places) : places
        const latest = Math.max(before?.resume_at ?? 0, resumeAt)
        write.run(service, Math.floor(now), fewest, Math.ceil(latest))
      }),
  }
}
