// Time that cannot be set: it distinguishes a jump of the wall clock from time that has passed, a machine that slept included.
import { readFileSync, readlinkSync } from 'node:fs'
import type { Connection } from '../file/connection.ts'
import { HOUR_MS } from '../../core/words/duration.ts'

/** What `SteadyTime.offset` gives. */
export type Offset = number | undefined

export interface SteadyTime {
  /** The same for all processes that count from the same moment. */
  readonly id: string
  /** The wall clock less the time since that moment, in milliseconds: it changes with a jump alone. Undefined: not known now. */
  offset(): Offset
}

/** A process that is held up between two looks knows nothing. */
const TOGETHER_MS = 20
const TRIES = 5
/** The system tells its time in hundredths of a second, and a clock that is put right slowly drifts. */
const JUMP_MS = 100

const upMs = (): number => Number(readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]) * 1000

/** By the time since the system was started, as Linux shows it; undefined on another system. `now`: the wall clock. */
export function steadyTime(now: () => number): SteadyTime | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const id = `${boot} ${readlinkSync('/proc/self/ns/pid')}`
    return Number.isFinite(upMs()) ? { id, offset: () => offsetOf(now) } : undefined
  } catch {
    return undefined
  }
}

function offsetOf(wall: () => number): Offset {
  try {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const before = upMs()
      const now = wall()
      if (upMs() - before <= TOGETHER_MS) return now - before
    }
  } catch {
    // Too many open files, say: requests are counted all the same.
  }
  return undefined
}

/** How far the clock has jumped from one measurement to the next; 0: no detected jump. */
export function jumpOf(now: Offset, before: Offset): number {
  const by = now === undefined || before === undefined ? 0 : Math.round(now - before)
  return Math.abs(by) < JUMP_MS ? 0 : by
}

export const CLOCK_TABLE = `
  CREATE TABLE IF NOT EXISTS clock (id TEXT PRIMARY KEY, ahead REAL NOT NULL) STRICT, WITHOUT ROWID;
`

/**
 * Moves all times of the file by what the clock has jumped since the last measurement: each stays as far away as before.
 * Hours are moved by whole ones, and rather too far than not far enough.
 */
export function createFollowClock(db: Connection, steady: SteadyTime): (offset: number) => void {
  const known = db.prepare<[string], number>('SELECT ahead FROM clock WHERE id = ?').pluck()
  const forgetAll = db.prepare('DELETE FROM clock')
  const note = db.prepare('INSERT INTO clock VALUES (?, ?)')
  // Times of one table are unique: moving them through negative values avoids collisions.
  const moves = [
    ['cooling', 'free_at'],
    ['hour', 'hour'],
  ].map(([table, column]) => ({
    isHour: table === 'hour',
    away: db.prepare(`UPDATE ${table} SET ${column} = -(${column} + ?)`),
    back: db.prepare(`UPDATE ${table} SET ${column} = -${column}`),
  }))
  const askers = db.prepare('UPDATE asker SET seen_at = seen_at + ?')
  const slowed = db.prepare('UPDATE slowed SET at = at + ?, resume_at = resume_at + ?')
  return (offset) => {
    const before = known.get(steady.id)
    const by = jumpOf(offset, before)
    if (before !== undefined && by === 0) return
    if (by !== 0) {
      for (const { isHour, away, back } of moves) {
        away.run(isHour ? Math.ceil(by / HOUR_MS) : by)
        back.run()
      }
      askers.run(by)
      slowed.run(by, by)
      // A process that measured from another moment has seen the same jump: for it the jump is over.
      forgetAll.run()
    }
    note.run(steady.id, offset)
  }
}
